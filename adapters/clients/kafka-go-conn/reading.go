// Records of a partition: one message, or batch by batch, each record told as OFFSET/TIMESTAMP/KEY/VALUE.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
)

const mostBytes = 10_000_000

func init() {
	actions["consume"] = withLeader(readOne)
	actions["read"] = withLeader(func(ctx context.Context, conn *kafka.Conn) error {
		return readAll(ctx, conn, kafka.ReadCommitted)
	})
	actions["uncommitted"] = withLeader(func(ctx context.Context, conn *kafka.Conn) error {
		return readAll(ctx, conn, kafka.ReadUncommitted)
	})
}

func readOne(ctx context.Context, conn *kafka.Conn) error {
	for ctx.Err() == nil {
		conn.SetReadDeadline(time.Now().Add(requestTimeout))
		if _, err := conn.ReadMessage(mostBytes); !hadNothing(err) {
			return err
		}
	}
	return ctx.Err()
}

func readAll(ctx context.Context, conn *kafka.Conn, level kafka.IsolationLevel) error {
	for ctx.Err() == nil {
		conn.SetReadDeadline(time.Now().Add(requestTimeout))
		batch := conn.ReadBatchWith(kafka.ReadBatchConfig{
			MinBytes: 1, MaxBytes: mostBytes, IsolationLevel: level,
		})
		isLast := tellAll(batch)
		if err := batch.Close(); isLast || err != nil && !hadNothing(err) {
			return err
		}
	}
	return ctx.Err()
}

// Tells the records of a batch, and whether the last of the log was among them. What went wrong its Close says.
func tellAll(batch *kafka.Batch) bool {
	for {
		record, err := batch.ReadMessage()
		if err != nil {
			return false
		}
		told = append(told, fmt.Sprintf("%d/%s/%s/%s", record.Offset, at(record.Time),
			text(record.Key), text(record.Value)))
		if string(record.Key) == "end" {
			return true
		}
	}
}

// Whether there was no record in time, after which the connection is as good as before.
func hadNothing(err error) bool { return errors.Is(err, kafka.RequestTimedOut) }

func at(written time.Time) string {
	if written.IsZero() {
		return "none"
	}
	return fmt.Sprint(written.UnixMilli())
}

func text(raw []byte) string {
	if raw == nil {
		return "null"
	}
	return string(raw)
}
