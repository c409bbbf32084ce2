//go:build old

// What is done with a Conn and a Writer, as they were before 0.4.0.
package main

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

func init() {
	actions["topics"] = topics
	actions["produce"] = func(ctx context.Context, bootstrap string) error {
		return write(ctx, bootstrap, -1, record)
	}
	actions["unacknowledged"] = func(ctx context.Context, bootstrap string) error {
		defer time.Sleep(gatherTime) // it is on its way still
		return write(ctx, bootstrap, 0, record)
	}
	actions["batch"] = func(ctx context.Context, bootstrap string) error {
		return write(ctx, bootstrap, -1, several()...)
	}
}

func dialer() *kafka.Dialer { return &kafka.Dialer{Timeout: requestTimeout} }

func topics(ctx context.Context, bootstrap string) error {
	conn, err := dialer().DialContext(ctx, "tcp", bootstrap)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(requestTimeout))
	_, err = conn.ReadPartitions()
	return err
}

func write(ctx context.Context, bootstrap string, acks int, messages ...kafka.Message) error {
	writer := kafka.NewWriter(kafka.WriterConfig{
		Brokers:      []string{bootstrap},
		Topic:        events,
		Dialer:       dialer(),
		BatchTimeout: gatherTime,
		ReadTimeout:  requestTimeout,
		WriteTimeout: requestTimeout,
		RequiredAcks: acks,
	})
	defer writer.Close()
	return writer.WriteMessages(ctx, messages...)
}
