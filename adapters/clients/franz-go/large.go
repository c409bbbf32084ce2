// Large records, of which none waits for another.
package main

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	largeLength = 500_000
	shortLength = 100
	recordTime  = 3 * time.Second
)

func init() {
	settings["large"] = []kgo.Opt{kgo.ProducerLinger(0), kgo.RecordDeliveryTimeout(recordTime)}
	actions["large"] = large
}

// Each is sent whatever becomes of the others, and so soon behind the last that no batch gathers two.
func large(ctx context.Context, client *kgo.Client) error {
	long := func(letter string) []byte { return bytes.Repeat([]byte(letter), largeLength) }
	rounds := [][][]byte{{long("a"), bytes.Repeat([]byte("b"), shortLength)}, {long("c"), long("d")}}
	var failed []error
	for _, values := range rounds {
		var sent sync.WaitGroup
		outcomes := make([]error, len(values))
		for index, value := range values {
			sent.Add(1)
			record := kgo.Record{Topic: events, Key: []byte("k"), Value: value}
			client.Produce(ctx, &record, func(_ *kgo.Record, err error) {
				outcomes[index] = err
				sent.Done()
			})
			time.Sleep(shortTime)
		}
		sent.Wait()
		failed = append(failed, outcomes...)
	}
	return errors.Join(failed...)
}
