// Records that are sent before others have been written, to one topic or two, and for some time.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	inStream  = 8
	steady    = 25
	pauseTime = 100 * time.Millisecond
	shortTime = 10 * time.Millisecond
	orders    = "orders.v2"
)

func init() {
	settings["stream"] = []kgo.Opt{kgo.ProducerLinger(0)}
	actions["stream"] = stream
	settings["both"] = []kgo.Opt{kgo.MetadataMinAge(gatherTime)} // else it looks again in 5 s
	actions["both"] = both
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
