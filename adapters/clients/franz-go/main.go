// franz-go as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
package main

import (
	"cmp"
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
)

// What is written to and read.
var events = cmp.Or(os.Getenv("KAFKA_TOPIC"), "events")

// The client had as long as this driver gives it.
type driverTimeout struct{ error }

type action func(context.Context, *kgo.Client) error

var asMember = []kgo.Opt{
	kgo.ConsumerGroup("group-a"),
	kgo.ConsumeTopics(events),
	kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	kgo.HeartbeatInterval(heartbeat),
	kgo.DisableAutoCommit(),
}

// What the application is told, and of which errors on the way.
var told, passed []string

// What an action needs to be set.
var settings = map[string][]kgo.Opt{"join": asMember}

// What is set where the application knows the release of its brokers.
var forRelease []kgo.Opt

var actions = map[string]action{
	"topics":  topics,
	"groups":  groups,
	"create":  create,
	"produce": produce,
	"consume": consume,
	"join":    join,
}

func main() {
	if _, known := actions[os.Args[1]]; !known {
		fmt.Println("unsupported it has no", os.Args[1])
		os.Exit(1)
	}
	name, bootstrap := os.Args[1], os.Args[2]
	if err := run(name, bootstrap); err != nil {
		var known *kerr.Error
		var late driverTimeout
		kind := fmt.Sprintf("%T", err)
		if errors.As(err, &late) {
			kind = "DriverTimeout"
		} else if errors.As(err, &known) {
			kind = known.Message
		}
		fmt.Println("error", kind, strings.Join(strings.Fields(err.Error()), " "))
		os.Exit(1)
	}
	fmt.Println("ok", strings.Join(told, " "))
}

func run(name, bootstrap string) error {
	options := []kgo.Opt{
		kgo.SeedBrokers(bootstrap),
		kgo.Dialer((&net.Dialer{Timeout: requestTimeout}).DialContext),
		kgo.RequestTimeoutOverhead(requestTimeout),
		kgo.RetryTimeout(retryTimeout),
		kgo.RecordDeliveryTimeout(retryTimeout),
	}
	options = append(options, settings[name]...)
	options = append(options, forRelease...)
	client, err := kgo.NewClient(options...)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), actionTimeout)
	defer cancel()
	err = actions[name](ctx, client)
	if err != nil && ctx.Err() != nil {
		return driverTimeout{err}
	}
	return err
}

func topics(ctx context.Context, client *kgo.Client) error {
	request := kmsg.NewPtrMetadataRequest()
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, topic := range answer.Topics {
		if err := kerr.ErrorForCode(topic.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}

func groups(ctx context.Context, client *kgo.Client) error {
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups = []string{"group-a", "group-b"}
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, group := range answer.Groups {
		err := kerr.ErrorForCode(group.ErrorCode)
		if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			return err
		}
	}
	return nil
}

func create(ctx context.Context, client *kgo.Client) error {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = "made-by-a-client", 1, 1
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics = append(request.Topics, topic)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, topic := range answer.Topics {
		if err := kerr.ErrorForCode(topic.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}

func produce(ctx context.Context, client *kgo.Client) error {
	record := kgo.Record{Topic: events, Key: []byte("k"), Value: []byte("v")}
	return client.ProduceSync(ctx, &record).FirstErr()
}

func consume(ctx context.Context, client *kgo.Client) error {
	return read(ctx, client, false)
}

// What a member is told on the way may pass, so that it is patient.
func read(ctx context.Context, client *kgo.Client, patient bool) (told error) {
	for ctx.Err() == nil {
		fetches := client.PollFetches(ctx)
		if !fetches.RecordIter().Done() {
			return nil
		}
		for _, each := range fetches.Errors() {
			if !patient {
				return each.Err
			}
			if ctx.Err() == nil {
				told = each.Err
				passed = append(passed, strings.Join(strings.Fields(told.Error()), "_"))
			}
		}
	}
	if told == nil {
		told = ctx.Err()
	}
	return told
}

func join(ctx context.Context, client *kgo.Client) error {
	if err := read(ctx, client, true); err != nil {
		return err
	}
	if err := commit(ctx, client); err != nil {
		return err
	}
	time.Sleep(memberTime)
	client.LeaveGroup()
	told = []string{"quiet"}
	if len(passed) > 0 {
		told = append([]string{"told"}, passed...)
	}
	return nil
}
