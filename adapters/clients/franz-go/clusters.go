// What a cluster is.
package main

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func init() { actions["cluster"] = cluster }

func cluster(ctx context.Context, client *kgo.Client) error {
	answer, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client)
	if err != nil {
		return err
	}
	told = append(told, fmt.Sprint(answer.ControllerID))
	return nil
}
