// Two partitions that are read, and paused one after the other; two topics, of which one is paused.
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
	first := map[int32]kgo.Offset{0: kgo.NewOffset().AtStart()}
	both := map[string]map[int32]kgo.Offset{orders: begin, events: first}
	settings["aside"] = []kgo.Opt{kgo.ConsumePartitions(both)}
	actions["aside"] = aside
}

func pause(ctx context.Context, client *kgo.Client) error {
	if err := readEach(ctx, client, 2); err != nil {
		return err
	}
	client.PauseFetchPartitions(map[string][]int32{orders: {0}})
	pollFor(ctx, client)
	client.PauseFetchPartitions(map[string][]int32{orders: {1}})
	pollFor(ctx, client)
	client.ResumeFetchPartitions(map[string][]int32{orders: {0, 1}})
	return readEach(ctx, client, 2)
}

func aside(ctx context.Context, client *kgo.Client) error {
	if err := readEach(ctx, client, 3); err != nil {
		return err
	}
	client.PauseFetchTopics(orders)
	pollFor(ctx, client)
	client.ResumeFetchTopics(orders)
	return readEach(ctx, client, 3)
}

func pollFor(ctx context.Context, client *kgo.Client) {
	ctx, cancel := context.WithTimeout(ctx, restTime)
	defer cancel()
	for ctx.Err() == nil {
		client.PollFetches(ctx)
	}
}

func readEach(ctx context.Context, client *kgo.Client, partitions int) error {
	type place struct {
		topic     string
		partition int32
	}
	read := map[place]bool{}
	for len(read) < partitions {
		fetches := client.PollFetches(ctx)
		for records := fetches.RecordIter(); !records.Done(); {
			record := records.Next()
			read[place{record.Topic, record.Partition}] = true
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
