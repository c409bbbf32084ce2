// Records that are read one by one, and where the reader says it is: OFFSET/POSITION. It has no pause.
package main

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/segmentio/kafka-go"
)

func init() {
	actions["position"] = position
}

func position(ctx context.Context, bootstrap string) error {
	config := kafka.ReaderConfig{
		Brokers: []string{bootstrap},
		Topic:   events,
		MaxWait: time.Second,
		Dialer:  &kafka.Dialer{Timeout: requestTimeout},
	}
	// Releases before 0.3.5 read all that is there.
	if level := reflect.ValueOf(&config).Elem().FieldByName("IsolationLevel"); level.IsValid() {
		level.SetInt(readCommitted)
	}
	reader := kafka.NewReader(config)
	defer reader.Close()
	for {
		record, err := reader.ReadMessage(ctx)
		if err != nil {
			return err
		}
		told = append(told, fmt.Sprintf("%d/%d", record.Offset, reader.Offset()))
		if string(record.Key) == "end" {
			return nil
		}
	}
}
