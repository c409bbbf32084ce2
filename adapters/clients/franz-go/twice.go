// Two transactions, of which one that fails is aborted, and records whose time is up before the last.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	waitTime     = 64 * time.Millisecond
	givenTime    = 1500 * time.Millisecond
	laterTime    = 2500 * time.Millisecond
	metadataTime = 200 * time.Millisecond
	atOnce       = 4
)

func init() {
	settings["twice"] = []kgo.Opt{
		kgo.TransactionalID("tx-a"),
		kgo.ProducerLinger(0),
		kgo.MetadataMinAge(gatherTime), // else it looks again in 5 s
		kgo.RetryBackoffFn(func(int) time.Duration { return waitTime }),
	}
	actions["twice"] = twice
	settings["later"] = []kgo.Opt{
		kgo.ProducerLinger(gatherTime),
		kgo.MetadataMinAge(gatherTime),
		kgo.MetadataMaxAge(metadataTime),
		kgo.RecordDeliveryTimeout(givenTime),
	}
	actions["later"] = later
}

// What became of each.
func twice(ctx context.Context, client *kgo.Client) error {
	first := make([]string, inStream)
	for index := range first {
		first[index] = fmt.Sprint("v", index)
	}
	for _, values := range [][]string{first, {"w"}} {
		if err := client.BeginTransaction(); err != nil {
			return err
		}
		became, err := "committed", inBatches(ctx, client, values)
		if err == nil {
			err = client.EndTransaction(ctx, kgo.TryCommit)
		}
		if err != nil {
			became = "aborted"
			if err := client.AbortBufferedRecords(ctx); err != nil {
				return err
			}
			if err := client.EndTransaction(ctx, kgo.TryAbort); err != nil {
				return err
			}
		}
		told = append(told, became)
	}
	return nil
}

// So soon behind the last that no batch gathers two.
func inBatches(ctx context.Context, client *kgo.Client, values []string) error {
	failed := make(chan error, len(values))
	for _, value := range values {
		record := kgo.Record{Topic: events, Key: []byte("k"), Value: []byte(value)}
		client.Produce(ctx, &record, func(_ *kgo.Record, err error) { failed <- err })
		time.Sleep(shortTime)
	}
	var all error
	for range values {
		all = errors.Join(all, <-failed)
	}
	return all
}

// How often it was told of each record.
func later(ctx context.Context, client *kgo.Client) error {
	var times [atOnce + 1]atomic.Int32
	for index := range atOnce {
		client.Produce(ctx, laterRecord(), func(*kgo.Record, error) { times[index].Add(1) })
	}
	time.Sleep(laterTime)
	last := make(chan error, atOnce)
	client.Produce(ctx, laterRecord(), func(_ *kgo.Record, err error) {
		times[atOnce].Add(1)
		last <- err
	})
	if err := <-last; err != nil {
		return err
	}
	for index := range times {
		told = append(told, fmt.Sprint(times[index].Load()))
	}
	return nil
}

func laterRecord() *kgo.Record {
	return &kgo.Record{Topic: events, Key: []byte("k"), Value: []byte("v")}
}
