//go:build !old

// Records in the other ways of writing them.
package main

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

func init() {
	for name, codec := range map[string]kafka.Compression{
		"batch":  0,
		"gzip":   kafka.Gzip,
		"snappy": kafka.Snappy,
		"lz4":    kafka.Lz4,
		"zstd":   kafka.Zstd,
	} {
		actions[name] = func(ctx context.Context, bootstrap string) error {
			writer := writerTo(bootstrap)
			writer.Compression, writer.BatchTimeout = codec, gatherTime
			return write(ctx, writer, several()...)
		}
	}
	actions["unacknowledged"] = func(ctx context.Context, bootstrap string) error {
		writer := writerTo(bootstrap)
		writer.RequiredAcks = kafka.RequireNone
		defer time.Sleep(gatherTime) // it is on its way still
		return write(ctx, writer, record)
	}
	actions["both"] = both
	actions["made"] = func(ctx context.Context, bootstrap string) error {
		writer := writerTo(bootstrap)
		writer.Topic = "made-by-writing"
		return write(ctx, writer, record)
	}
	actions["patient"] = func(ctx context.Context, bootstrap string) error {
		writer := writerTo(bootstrap)
		writer.ReadTimeout, writer.WriteTimeout = longest, longest
		return write(ctx, writer, record)
	}
}

// The second is sent whatever became of the first; those that were written are told.
func both(ctx context.Context, bootstrap string) (failed error) {
	writer := writerTo(bootstrap)
	writer.Topic, writer.BatchTimeout = "", gatherTime
	defer writer.Close()
	for _, topic := range []string{"orders.v2", events} {
		message := record
		message.Topic = topic
		if err := writer.WriteMessages(ctx, message); err != nil {
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
