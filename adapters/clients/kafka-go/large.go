//go:build !old

// Large records, of which none waits for another, and whose caller gives up in time.
package main

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	largeLength = 500_000
	shortLength = 100
	recordTime  = 3 * time.Second
	betweenTime = 10 * time.Millisecond
)

func init() {
	actions["large"] = large
}

// Each is sent whatever becomes of the others, in a batch of its own.
func large(ctx context.Context, bootstrap string) (failed error) {
	writer := writerTo(bootstrap)
	writer.BatchSize = 1
	defer writer.Close()
	long := func(letter string) []byte { return bytes.Repeat([]byte(letter), largeLength) }
	for _, values := range [][][]byte{{long("a"), bytes.Repeat([]byte("b"), shortLength)}, {long("c"), long("d")}} {
		var sent sync.WaitGroup
		outcomes := make([]error, len(values))
		for index := range values {
			sent.Add(1)
			go func(index int) {
				defer sent.Done()
				within, cancel := context.WithTimeout(ctx, recordTime)
				defer cancel()
				outcomes[index] = writer.WriteMessages(within, kafka.Message{Key: []byte("k"), Value: values[index]})
			}(index)
			time.Sleep(betweenTime)
		}
		sent.Wait()
		for _, each := range outcomes {
			if each != nil {
				failed = each
			}
		}
	}
	return failed
}
