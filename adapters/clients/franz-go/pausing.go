// Two partitions that are read, and paused one after the other.
package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const restTime = 500 * time.Millisecond

func init() {
	begin := map[int32]kgo.Offset{0: kgo.NewOffset().AtStart(), 1: kgo.NewOffset().AtStart()}
	settings["pause"] = []kgo.Opt{kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{orders: begin})}
	actions["pause"] = pause
}

func pause(ctx context.Context, client *kgo.Client) error {
	if err := readBoth(ctx, client); err != nil {
		return err
	}
	client.PauseFetchPartitions(map[string][]int32{orders: {0}})
	pollFor(ctx, client)
	client.PauseFetchPartitions(map[string][]int32{orders: {1}})
	pollFor(ctx, client)
	client.ResumeFetchPartitions(map[string][]int32{orders: {0, 1}})
	return readBoth(ctx, client)
}

func pollFor(ctx context.Context, client *kgo.Client) {
	ctx, cancel := context.WithTimeout(ctx, restTime)
	defer cancel()
	for ctx.Err() == nil {
		client.PollFetches(ctx)
	}
}

func readBoth(ctx context.Context, client *kgo.Client) error {
	read := map[int32]bool{}
	for len(read) < 2 {
		fetches := client.PollFetches(ctx)
		for records := fetches.RecordIter(); !records.Done(); {
			read[records.Next().Partition] = true
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
