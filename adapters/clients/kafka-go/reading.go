// All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE.
package main

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/segmentio/kafka-go"
)

const readCommitted = 1

func init() {
	actions["read"] = func(ctx context.Context, bootstrap string) error {
		return readAll(ctx, bootstrap, readCommitted)
	}
	actions["uncommitted"] = func(ctx context.Context, bootstrap string) error {
		return readAll(ctx, bootstrap, 0)
	}
}

func readAll(ctx context.Context, bootstrap string, isolation int64) error {
	config := kafka.ReaderConfig{
		Brokers: []string{bootstrap},
		Topic:   events,
		MaxWait: time.Second,
		Dialer:  &kafka.Dialer{Timeout: requestTimeout},
	}
	// Releases before 0.3.5 read all that is there.
	if level := reflect.ValueOf(&config).Elem().FieldByName("IsolationLevel"); level.IsValid() {
		level.SetInt(isolation)
	}
	reader := kafka.NewReader(config)
	defer reader.Close()
	for {
		record, err := reader.ReadMessage(ctx)
		if err != nil {
			return err
		}
		told = append(told, fmt.Sprintf("%d/%s/%s/%s", record.Offset, at(record.Time),
			text(record.Key), text(record.Value)))
		if string(record.Key) == "end" {
			return nil
		}
	}
}

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
