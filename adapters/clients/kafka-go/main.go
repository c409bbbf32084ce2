// segmentio's kafka-go as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	requestTimeout = 3 * time.Second
	actionTimeout  = 8 * time.Second
	memberTime     = 400 * time.Millisecond // long enough for some heartbeats
	heartbeat      = 100 * time.Millisecond
)

// What is written to and read.
var events = cmp.Or(os.Getenv("KAFKA_TOPIC"), "events")

// What the application is told.
var told []string

type action func(ctx context.Context, bootstrap string) error

var actions = map[string]action{
	"consume": consume,
}

func main() {
	if _, known := actions[os.Args[1]]; !known {
		fmt.Println("unsupported it has no", os.Args[1])
		os.Exit(1)
	}
	ctx, cancel := context.WithTimeout(context.Background(), actionTimeout)
	defer cancel()
	if err := actions[os.Args[1]](ctx, os.Args[2]); err != nil {
		var code kafka.Error
		kind := fmt.Sprintf("%T", err)
		if ctx.Err() != nil {
			kind = "DriverTimeout"
		} else if errors.As(err, &code) {
			kind = fmt.Sprint(int(code))
		}
		fmt.Println("error", kind, strings.Join(strings.Fields(err.Error()), " "))
		os.Exit(1)
	}
	fmt.Println("ok", strings.Join(told, " "))
}

func consume(ctx context.Context, bootstrap string) error {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers: []string{bootstrap},
		Topic:   events,
		MaxWait: time.Second,
		Dialer:  &kafka.Dialer{Timeout: requestTimeout},
	})
	defer reader.Close()
	_, err := reader.ReadMessage(ctx)
	return err
}
