// Members of a group that want another topic; early releases have no call for that.
package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const changeTime = 800 * time.Millisecond

func init() {
	actions["change"] = change
	settings["change"] = append(append([]kgo.Opt{}, asMember...), kgo.ConsumeTopics(orders))
}

func change(ctx context.Context, client *kgo.Client) error {
	pollUntilChange(ctx, client)
	client.AddConsumeTopics(events)
	isRead := pollUntilChange(ctx, client)
	client.PurgeTopicsFromClient(orders)
	if !isRead { // it goes on where it was
		if err := read(ctx, client, true); err != nil {
			return err
		}
	}
	client.LeaveGroup()
	return nil
}

func pollUntilChange(ctx context.Context, client *kgo.Client) (isRead bool) {
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	for ctx.Err() == nil {
		fetches := client.PollFetches(ctx)
		isRead = isRead || !fetches.RecordIter().Done()
	}
	return isRead
}
