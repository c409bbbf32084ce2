// A partition that is read, and then another one beside it; early releases have no call for that.
package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

func init() {
	first := map[int32]kgo.Offset{0: kgo.NewOffset().AtStart()}
	settings["widen"] = []kgo.Opt{kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{orders: first})}
	actions["widen"] = widen
}

func widen(ctx context.Context, client *kgo.Client) error {
	if err := readEach(ctx, client, 1); err != nil {
		return err
	}
	second := map[int32]kgo.Offset{1: kgo.NewOffset().AtStart()}
	client.AddConsumePartitions(map[string]map[int32]kgo.Offset{orders: second})
	return readEach(ctx, client, 2)
}
