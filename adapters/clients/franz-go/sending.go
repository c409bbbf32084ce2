// Records that are sent before others have been written, to one topic or two, and for some time.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	inStream  = 8
	many      = 80_000
	steady    = 25
	pauseTime = 100 * time.Millisecond
	shortTime = 10 * time.Millisecond
	// Longer than it takes to have all flushed.
	lingerTime = time.Second
	orders     = "orders.v2"
)

func init() {
	settings["stream"] = []kgo.Opt{kgo.ProducerLinger(0)}
	actions["stream"] = stream
	settings["both"] = []kgo.Opt{kgo.MetadataMinAge(gatherTime)} // else it looks again in 5 s
	settings["flush"] = []kgo.Opt{kgo.ProducerLinger(lingerTime)}
	actions["flush"] = flush
	actions["both"] = both
	settings["many"] = []kgo.Opt{kgo.ProducerLinger(lingerTime), kgo.MaxBufferedRecords(many)}
	actions["many"] = manyAtOnce
	settings["made"] = []kgo.Opt{kgo.AllowAutoTopicCreation(), kgo.MetadataMinAge(gatherTime)}
	actions["made"] = func(ctx context.Context, client *kgo.Client) error {
		record := kgo.Record{Topic: "made-by-writing", Key: []byte("k"), Value: []byte("v")}
		return client.ProduceSync(ctx, &record).FirstErr()
	}
	settings["steady"] = settings["login"]
	actions["steady"] = steadily
}

// Each is sent whatever becomes of the others, and so soon behind the last that no batch gathers two.
func stream(ctx context.Context, client *kgo.Client) error {
	var sent sync.WaitGroup
	offsets, failed := make([]string, inStream), make([]error, inStream)
	for index := range inStream {
		sent.Add(1)
		record := kgo.Record{Topic: events, Key: []byte("k"), Value: fmt.Append(nil, "v", index)}
		client.Produce(ctx, &record, func(record *kgo.Record, err error) {
			offsets[index], failed[index] = fmt.Sprint(record.Offset), err
			sent.Done()
		})
		time.Sleep(shortTime)
	}
	sent.Wait()
	told = offsets
	return errors.Join(failed...)
}

// What is known of each when all have been flushed.
func flush(ctx context.Context, client *kgo.Client) error {
	var known atomic.Int32
	for index := range inStream {
		record := kgo.Record{Topic: events, Key: []byte("k"), Value: fmt.Append(nil, "v", index)}
		client.Produce(ctx, &record, func(*kgo.Record, error) { known.Add(1) })
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	for index := range int32(inStream) {
		told = append(told, map[bool]string{true: "written", false: "waiting"}[index < known.Load()])
	}
	return nil
}

// Gathered in batches that are as large as can be.
func manyAtOnce(ctx context.Context, client *kgo.Client) error {
	records := make([]*kgo.Record, many)
	for index := range records {
		records[index] = &kgo.Record{Topic: events, Key: []byte("k"), Value: []byte("v")}
	}
	return client.ProduceSync(ctx, records...).FirstErr()
}

// The second is sent whatever became of the first; those that were written are told.
func both(ctx context.Context, client *kgo.Client) (failed error) {
	for _, topic := range []string{orders, events} {
		record := kgo.Record{Topic: topic, Key: []byte("k"), Value: []byte("v")}
		if err := client.ProduceSync(ctx, &record).FirstErr(); err != nil {
			failed = err
		} else {
			told = append(told, topic)
		}
	}
	if len(told) > 0 {
		return nil
	}
	return failed
}

func steadily(ctx context.Context, client *kgo.Client) error {
	for range steady {
		if err := produce(ctx, client); err != nil {
			return err
		}
		time.Sleep(pauseTime)
	}
	return nil
}
