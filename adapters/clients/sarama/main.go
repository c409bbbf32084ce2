// sarama as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

const (
	requestTimeout = 3 * time.Second
	actionTimeout  = 6 * time.Second
	memberTime     = 400 * time.Millisecond // long enough for some heartbeats
	heartbeat      = 100 * time.Millisecond
)

// What is written to and read.
var events = cmp.Or(os.Getenv("KAFKA_TOPIC"), "events")

var errDriverTimeout = errors.New("no record came within " + actionTimeout.String())

// What the application is told.
var told []string

type action func(bootstrap []string, config *sarama.Config) error

var actions = map[string]action{
	"topics":  topics,
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
	config := sarama.NewConfig()
	// Releases before 1.30 take a broker for older than any that is served still.
	if !config.Version.IsAtLeast(sarama.V1_0_0_0) {
		config.Version = sarama.MaxVersion
	}
	// The release of the brokers, where the application knows.
	if version, err := sarama.ParseKafkaVersion(os.Getenv("KAFKA_RELEASE")); err == nil {
		config.Version = version
		if version.IsAtLeast(sarama.MaxVersion) {
			config.Version = sarama.MaxVersion
		}
	}
	config.Net.DialTimeout = requestTimeout
	config.Net.ReadTimeout = requestTimeout
	config.Net.WriteTimeout = requestTimeout
	// Releases before 1.24 have no such limit.
	if limit := reflect.ValueOf(&config.Metadata).Elem().FieldByName("Timeout"); limit.IsValid() {
		limit.SetInt(int64(actionTimeout))
	}
	config.Admin.Timeout = requestTimeout
	config.Producer.Timeout = requestTimeout
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Return.Successes = true
	config.Consumer.Return.Errors = true
	if err := actions[os.Args[1]]([]string{os.Args[2]}, config); err != nil {
		var code sarama.KError
		kind := fmt.Sprintf("%T", err)
		if errors.Is(err, errDriverTimeout) {
			kind = "DriverTimeout"
		} else if errors.As(err, &code) {
			kind = fmt.Sprint(int16(code))
		}
		fmt.Println("error", kind, strings.Join(strings.Fields(err.Error()), " "))
		os.Exit(1)
	}
	fmt.Println("ok", strings.Join(told, " "))
}

func topics(bootstrap []string, config *sarama.Config) error {
	client, err := sarama.NewClient(bootstrap, config)
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.Topics()
	return err
}

func create(bootstrap []string, config *sarama.Config) error {
	admin, err := sarama.NewClusterAdmin(bootstrap, config)
	if err != nil {
		return err
	}
	defer admin.Close()
	detail := sarama.TopicDetail{NumPartitions: 1, ReplicationFactor: 1}
	return admin.CreateTopic("made-by-a-client", &detail, false)
}

func produce(bootstrap []string, config *sarama.Config) error {
	return produceTo(events, bootstrap, config)
}

func produceTo(topic string, bootstrap []string, config *sarama.Config) error {
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	key, value := sarama.StringEncoder("k"), sarama.StringEncoder("v")
	_, _, err = producer.SendMessage(&sarama.ProducerMessage{Topic: topic, Key: key, Value: value})
	return err
}

func consume(bootstrap []string, config *sarama.Config) error {
	consumer, err := sarama.NewConsumer(bootstrap, config)
	if err != nil {
		return err
	}
	defer consumer.Close()
	partition, err := consumer.ConsumePartition(events, 0, sarama.OffsetOldest)
	if err != nil {
		return err
	}
	defer partition.AsyncClose()
	select {
	case <-partition.Messages():
		return nil
	case err := <-partition.Errors():
		return err
	case <-time.After(actionTimeout):
		return errDriverTimeout
	}
}

// A member that reads a record, marks it, so that it is committed at the end, and leaves.
type member struct {
	leave context.CancelFunc
	stay  time.Duration
	read  bool
}

func (*member) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (*member) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (each *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		session.MarkMessage(message, "")
		each.read = true
		time.Sleep(each.stay)
		each.leave()
	}
	return nil
}

func join(bootstrap []string, config *sarama.Config) error {
	return joinFor(memberTime, bootstrap, config)
}

func joinFor(stay time.Duration, bootstrap []string, config *sarama.Config) error {
	config.Consumer.Return.Errors = false // they are told on the way, and may pass
	config.Consumer.Group.Heartbeat.Interval = heartbeat
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	group, err := sarama.NewConsumerGroup(bootstrap, "group-a", config)
	if err != nil {
		return err
	}
	ctx, leave := context.WithTimeout(context.Background(), actionTimeout)
	defer leave()
	each := &member{leave: leave, stay: stay}
	for err == nil && ctx.Err() == nil {
		err = group.Consume(ctx, []string{events}, each)
	}
	if closed := group.Close(); err == nil {
		err = closed
	}
	if err == nil && !each.read {
		err = errDriverTimeout
	}
	return err
}
