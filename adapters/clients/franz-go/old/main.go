// franz-go as it was before 0.7, as a driver that reads as a member: ACTION HOST:PORT. Its last line is ok, or error
// and why.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	requestTimeout = 3 * time.Second
	retryTimeout   = 6 * time.Second
	actionTimeout  = 8 * time.Second
	memberTime     = 400 * time.Millisecond // long enough for some heartbeats
	heartbeat      = 100 * time.Millisecond
	events         = "events"
)

var actions = map[string]func(context.Context, *kgo.Client) error{"topics": topics, "join": join}

func main() {
	act, known := actions[os.Args[1]]
	if !known {
		fmt.Println("unsupported it has no", os.Args[1])
		os.Exit(1)
	}
	ctx, cancel := context.WithTimeout(context.Background(), actionTimeout)
	defer cancel()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(os.Args[2]),
		kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
			return (&net.Dialer{Timeout: requestTimeout}).DialContext(ctx, network, host)
		}),
		kgo.ConnTimeoutOverhead(requestTimeout),
		kgo.RetryTimeout(func(int16) time.Duration { return retryTimeout }),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	if err == nil {
		defer client.Close()
		err = act(ctx, client)
	}
	if err != nil {
		var known *kerr.Error
		kind := fmt.Sprintf("%T", err)
		if ctx.Err() != nil {
			kind = "DriverTimeout"
		} else if errors.As(err, &known) {
			kind = known.Message
		}
		fmt.Println("error", kind, strings.Join(strings.Fields(err.Error()), " "))
		os.Exit(1)
	}
	fmt.Println("ok")
}

func topics(ctx context.Context, client *kgo.Client) error {
	_, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client)
	return err
}

func join(ctx context.Context, client *kgo.Client) error {
	client.AssignGroup("group-a", kgo.GroupTopics(events), kgo.HeartbeatInterval(heartbeat), kgo.DisableAutoCommit())
	if err := read(ctx, client); err != nil {
		return err
	}
	if err := commit(ctx, client); err != nil {
		return err
	}
	time.Sleep(memberTime)
	client.LeaveGroup()
	return nil
}

// What a member is told on the way may pass.
func read(ctx context.Context, client *kgo.Client) (told error) {
	for ctx.Err() == nil {
		fetches := client.PollFetches(ctx)
		if !fetches.RecordIter().Done() {
			return nil
		}
		for _, each := range fetches.Errors() {
			if ctx.Err() == nil {
				told = each.Err
			}
		}
	}
	if told == nil {
		told = ctx.Err()
	}
	return told
}
