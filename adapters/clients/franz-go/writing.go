// Records in the other ways of writing them.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	longest    = 30 * 24 * time.Hour
	gatherTime = 100 * time.Millisecond
)

var written = time.UnixMilli(1_700_000_000_000)

func init() {
	for name, codec := range map[string]kgo.CompressionCodec{
		"batch":  kgo.NoCompression(),
		"gzip":   kgo.GzipCompression(),
		"snappy": kgo.SnappyCompression(),
		"lz4":    kgo.Lz4Compression(),
		"zstd":   kgo.ZstdCompression(),
	} {
		settings[name] = []kgo.Opt{
			kgo.ProducerBatchCompression(codec),
			kgo.ProducerLinger(gatherTime),
			kgo.RecordDeliveryTimeout(0), // which counts from a record's timestamp
		}
		actions[name] = several
	}
	settings["produce"] = []kgo.Opt{kgo.MetadataMinAge(gatherTime)} // else it looks again in 5 s
	settings["unacknowledged"] = []kgo.Opt{kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite()}
	actions["unacknowledged"] = unacknowledged
	settings["idempotent"] = settings["produce"]
	actions["idempotent"] = idempotent
	settings["patient"] = []kgo.Opt{kgo.ProduceRequestTimeout(longest)}
	actions["patient"] = produce
	settings["transact"] = []kgo.Opt{kgo.TransactionalID("tx-a")}
	actions["transact"] = transact
	settings["empty"] = settings["transact"]
	actions["empty"] = func(ctx context.Context, client *kgo.Client) error {
		if err := client.BeginTransaction(); err != nil {
			return err
		}
		return client.EndTransaction(ctx, kgo.TryCommit)
	}
}

func several(ctx context.Context, client *kgo.Client) error {
	results := client.ProduceSync(ctx,
		&kgo.Record{Topic: events, Key: []byte("k"), Value: []byte("v"), Timestamp: written},
		&kgo.Record{Topic: events, Value: []byte("w"), Timestamp: written.Add(time.Second)},
		&kgo.Record{Topic: events, Key: []byte("x"), Timestamp: written.Add(longest)},
		&kgo.Record{Topic: events, Key: []byte{}, Value: []byte{}, Timestamp: written.Add(-time.Second),
			Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("1")}}},
	)
	for _, each := range results {
		told = append(told, fmt.Sprint(each.Record.Offset))
	}
	return results.FirstErr()
}

func unacknowledged(ctx context.Context, client *kgo.Client) error {
	defer time.Sleep(gatherTime) // it is on its way still
	return produce(ctx, client)
}

// The second record is written whatever became of the first.
func idempotent(ctx context.Context, client *kgo.Client) error {
	return errors.Join(produce(ctx, client), produce(ctx, client))
}

func transact(ctx context.Context, client *kgo.Client) error {
	if err := client.BeginTransaction(); err != nil {
		return err
	}
	if err := produce(ctx, client); err != nil {
		return err
	}
	return client.EndTransaction(ctx, kgo.TryCommit)
}
