package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	commitTimes = 30
	commitPause = 50 * time.Millisecond
)

func init() { actions["commits"], settings["commits"] = commits, asMember }

// None waits for another, and whatever becomes of each.
func commits(ctx context.Context, client *kgo.Client) error {
	if err := read(ctx, client, true); err != nil {
		return err
	}
	next := map[string]map[int32]kgo.EpochOffset{events: {0: {Epoch: -1, Offset: 1}}}
	for count := 0; count < commitTimes; count++ {
		client.CommitOffsets(ctx, next, nil)
		pause, cancel := context.WithTimeout(ctx, commitPause)
		client.PollFetches(pause)
		cancel()
	}
	client.LeaveGroup()
	return nil
}
