// Records in the other ways of writing them.
package main

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	longest    = 30 * 24 * time.Hour
	gatherTime = 100 * time.Millisecond
)

var written = time.UnixMilli(1_700_000_000_000)

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
			return write(ctx, writer,
				kafka.Message{Key: []byte("k"), Value: []byte("v"), Time: written},
				kafka.Message{Value: []byte("w"), Time: written.Add(time.Second)},
				kafka.Message{Key: []byte("x"), Time: written.Add(longest)},
				kafka.Message{Key: []byte{}, Value: []byte{}, Time: written.Add(-time.Second),
					Headers: []kafka.Header{{Key: "h", Value: []byte("1")}}})
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
