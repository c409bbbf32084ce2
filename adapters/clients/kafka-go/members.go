// Members of a group: a record is read, and its offset committed.
package main

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	commitTimes = 30
	commitPause = 50 * time.Millisecond
)

func init() {
	actions["join"] = func(ctx context.Context, bootstrap string) error {
		return asMember(ctx, bootstrap, &kafka.Dialer{Timeout: requestTimeout}, commitOnce)
	}
	actions["commits"] = func(ctx context.Context, bootstrap string) error {
		return asMember(ctx, bootstrap, &kafka.Dialer{Timeout: requestTimeout}, commitOften)
	}
}

type stay func(context.Context, *kafka.Reader, kafka.Message) error

func asMember(ctx context.Context, bootstrap string, dialer *kafka.Dialer, then stay) error {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers:           []string{bootstrap},
		Topic:             events,
		GroupID:           "group-a",
		HeartbeatInterval: heartbeat,
		MaxWait:           time.Second,
		Dialer:            dialer,
	})
	defer reader.Close()
	message, err := reader.FetchMessage(ctx)
	if err != nil {
		return err
	}
	return then(ctx, reader, message)
}

func commitOnce(ctx context.Context, reader *kafka.Reader, message kafka.Message) error {
	if err := reader.CommitMessages(ctx, message); err != nil {
		return err
	}
	time.Sleep(memberTime)
	return nil
}

// None waits for another, and whatever becomes of each.
func commitOften(ctx context.Context, reader *kafka.Reader, message kafka.Message) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for count := 0; count < commitTimes; count++ {
		go reader.CommitMessages(ctx, message)
		time.Sleep(commitPause)
	}
	return nil
}
