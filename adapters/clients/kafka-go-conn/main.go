// segmentio's kafka-go as a driver, by its Conn alone: ACTION HOST:PORT. Its last line is ok, or error and why.
//
// A Conn leads to one broker. It is dialled once: what ends it is an error.
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
)

// What is written to and read.
var events = cmp.Or(os.Getenv("KAFKA_TOPIC"), "events")

// What the application is told.
var told []string

type action func(ctx context.Context, bootstrap string) error

var actions = map[string]action{
	"topics": topics,
	"lookup": withLeader(lookup),
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

func topics(ctx context.Context, bootstrap string) error {
	dialer := kafka.Dialer{Timeout: requestTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", bootstrap)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(requestTimeout))
	_, err = conn.ReadPartitions()
	return err
}

// What is done with a connection to the leader of partition 0.
func withLeader(do func(context.Context, *kafka.Conn) error) action {
	return func(ctx context.Context, bootstrap string) error {
		dialing, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		dialer := kafka.Dialer{Timeout: requestTimeout}
		conn, err := dialer.DialLeader(dialing, "tcp", bootstrap, events, 0)
		if err != nil {
			return err
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(requestTimeout))
		return do(ctx, conn)
	}
}

func lookup(_ context.Context, conn *kafka.Conn) error {
	if _, _, err := conn.ReadOffsets(); err != nil {
		return err
	}
	_, err := conn.ReadOffset(time.UnixMilli(1))
	return err
}
