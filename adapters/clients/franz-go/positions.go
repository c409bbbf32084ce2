// Records that are read one by one, with a pause behind the first: OFFSET/?, as no call tells the position.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const shortRest = 200 * time.Millisecond

func init() {
	begin := map[int32]kgo.Offset{0: kgo.NewOffset().AtStart()}
	settings["position"] = []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{events: begin}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	}
	actions["position"] = position
}

func position(ctx context.Context, client *kgo.Client) (failed error) {
	for ctx.Err() == nil {
		fetches := client.PollRecords(ctx, 1)
		for _, each := range fetches.Errors() {
			if ctx.Err() == nil || failed == nil {
				failed = each.Err // it is told on the way, and may pass
			}
		}
		for records := fetches.RecordIter(); !records.Done(); {
			record := records.Next()
			told = append(told, fmt.Sprintf("%d/?", record.Offset))
			if string(record.Key) == "end" {
				return nil
			}
		}
		if len(told) == 1 {
			pauseShortly(ctx, client)
		}
	}
	return failed
}

func pauseShortly(ctx context.Context, client *kgo.Client) {
	partition := map[string][]int32{events: {0}}
	client.PauseFetchPartitions(partition)
	defer client.ResumeFetchPartitions(partition)
	ctx, cancel := context.WithTimeout(ctx, shortRest)
	defer cancel()
	client.PollRecords(ctx, 1)
}
