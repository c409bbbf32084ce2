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
	actions["patient"] = func(ctx context.Context, bootstrap string) error {
		writer := writerTo(bootstrap)
		writer.ReadTimeout, writer.WriteTimeout = longest, longest
		return write(ctx, writer, record)
	}
}
