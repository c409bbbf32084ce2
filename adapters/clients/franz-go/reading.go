// All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE.
package main

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

func init() {
	begin := map[int32]kgo.Offset{0: kgo.NewOffset().AtStart()}
	settings["read"] = []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{events: begin}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	}
	settings["consume"] = settings["read"]
	actions["read"] = readAll
	settings["uncommitted"] = []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{events: begin}),
		kgo.FetchIsolationLevel(kgo.ReadUncommitted()),
	}
	actions["uncommitted"] = readAll
	settings["sticky"] = append([]kgo.Opt{kgo.Balancers(kgo.CooperativeStickyBalancer())}, asMember...)
	actions["sticky"] = join
}

func readAll(ctx context.Context, client *kgo.Client) (failed error) {
	for ctx.Err() == nil {
		fetches := client.PollFetches(ctx)
		for _, each := range fetches.Errors() {
			if ctx.Err() == nil || failed == nil {
				failed = each.Err // it is told on the way, and may pass
			}
		}
		for records := fetches.RecordIter(); !records.Done(); {
			record := records.Next()
			told = append(told, fmt.Sprintf("%d/%d/%s/%s", record.Offset, record.Timestamp.UnixMilli(),
				text(record.Key), text(record.Value)))
			if string(record.Key) == "end" {
				return nil
			}
		}
	}
	return failed
}

func text(raw []byte) string {
	if raw == nil {
		return "null"
	}
	return string(raw)
}
