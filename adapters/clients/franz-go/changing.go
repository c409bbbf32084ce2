// Members of a group that want another topic as well; early releases have no call for that.
package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const changeTime = time.Second

func init() {
	actions["change"] = change
	settings["change"] = append(append([]kgo.Opt{}, asMember...), kgo.ConsumeTopics(orders))
}

func change(ctx context.Context, client *kgo.Client) error {
	first, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	for first.Err() == nil {
		client.PollFetches(first)
	}
	client.AddConsumeTopics(events)
	if err := read(ctx, client, true); err != nil {
		return err
	}
	client.LeaveGroup()
	return nil
}
