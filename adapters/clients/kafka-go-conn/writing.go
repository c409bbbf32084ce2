// What is written.
package main

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

var written = time.UnixMilli(1_700_000_000_000)

func init() {
	actions["produce"] = writes(kafka.Message{Key: []byte("k"), Value: []byte("v")})
	actions["batch"] = writes(
		kafka.Message{Key: []byte("k"), Value: []byte("v"), Time: written},
		kafka.Message{Value: []byte("w"), Time: written.Add(time.Second)},
		kafka.Message{Key: []byte("x"), Time: written.Add(30 * 24 * time.Hour)},
		kafka.Message{Key: []byte{}, Value: []byte{}, Time: written.Add(-time.Second),
			Headers: []kafka.Header{{Key: "h", Value: []byte("1")}}},
	)
}

func writes(messages ...kafka.Message) action {
	return withLeader(func(_ context.Context, conn *kafka.Conn) error {
		_, err := conn.WriteMessages(messages...)
		return err
	})
}
