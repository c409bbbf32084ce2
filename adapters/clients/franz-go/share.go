package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Members of share groups; releases before 1.21 are built without them.
func init() {
	actions["share"] = share
	settings["share"] = []kgo.Opt{kgo.ShareGroup("share-a"), kgo.ConsumeTopics(events)}
}

func share(ctx context.Context, client *kgo.Client) error {
	if err := read(ctx, client, true); err != nil {
		return err
	}
	client.MarkAcks(kgo.AckAccept)
	client.LeaveGroup()
	return nil
}
