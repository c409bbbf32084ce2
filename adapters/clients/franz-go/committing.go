// For itself, as releases before 0.10 have another call for it.
package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

func commit(ctx context.Context, client *kgo.Client) error {
	return client.CommitUncommittedOffsets(ctx)
}
