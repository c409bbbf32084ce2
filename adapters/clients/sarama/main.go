// sarama as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

const (
	requestTimeout = 3 * time.Second
	actionTimeout  = 6 * time.Second
	events         = "events"
)

var errDriverTimeout = errors.New("no record came within " + actionTimeout.String())

type action func(bootstrap []string, config *sarama.Config) error

var actions = map[string]action{
	"topics":  topics,
	"groups":  groups,
	"create":  create,
	"produce": produce,
	"consume": consume,
}

func main() {
	config := sarama.NewConfig()
	config.Net.DialTimeout = requestTimeout
	config.Net.ReadTimeout = requestTimeout
	config.Net.WriteTimeout = requestTimeout
	config.Metadata.Timeout = actionTimeout
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
	fmt.Println("ok")
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

func groups(bootstrap []string, config *sarama.Config) error {
	admin, err := sarama.NewClusterAdmin(bootstrap, config)
	if err != nil {
		return err
	}
	defer admin.Close()
	answers, err := admin.DescribeConsumerGroups([]string{"group-a", "group-b"})
	if err != nil {
		return err
	}
	for _, group := range answers {
		if group.Err != sarama.ErrNoError && group.Err != sarama.ErrGroupIDNotFound {
			return group.Err
		}
	}
	return nil
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
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	key, value := sarama.StringEncoder("k"), sarama.StringEncoder("v")
	_, _, err = producer.SendMessage(&sarama.ProducerMessage{Topic: events, Key: key, Value: value})
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
