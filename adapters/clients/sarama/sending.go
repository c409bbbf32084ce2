// Records that are sent before others have been written, to one topic or two.
package main

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

const (
	inStream = 8
	inMany   = 80_000
	orders   = "orders.v2"
)

func init() {
	actions["stream"] = stream
	actions["both"] = both
	actions["many"] = many
	actions["made"] = func(bootstrap []string, config *sarama.Config) error {
		return produceTo("made-by-writing", bootstrap, config) // brokers may make it unless it is told otherwise
	}
}

func message(topic, value string) *sarama.ProducerMessage {
	key, text := sarama.StringEncoder("k"), sarama.StringEncoder(value)
	return &sarama.ProducerMessage{Topic: topic, Key: key, Value: text, Partition: 0}
}

// Each is sent whatever becomes of the others, in a batch of its own.
func stream(bootstrap []string, config *sarama.Config) error {
	config.Producer.Idempotent = true
	config.Net.MaxOpenRequests = 1
	config.Producer.Flush.MaxMessages = 1
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	var messages []*sarama.ProducerMessage
	for index := 0; index < inStream; index++ {
		messages = append(messages, message(events, fmt.Sprint("v", index)))
	}
	err = producer.SendMessages(messages)
	for _, each := range messages {
		told = append(told, fmt.Sprint(each.Offset))
	}
	return err
}

// Gathered in batches that are as large as can be.
func many(bootstrap []string, config *sarama.Config) error {
	config.Producer.Idempotent = true
	config.Net.MaxOpenRequests = 1
	config.Producer.Flush.Messages = inMany
	config.Producer.Flush.Frequency = time.Second
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	messages := make([]*sarama.ProducerMessage, inMany)
	for index := range messages {
		messages[index] = message(events, "v")
	}
	return producer.SendMessages(messages)
}

// The second is sent whatever became of the first; those that were written are told.
func both(bootstrap []string, config *sarama.Config) error {
	config.Producer.Partitioner = sarama.NewManualPartitioner
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	for _, topic := range []string{orders, events} {
		if _, _, failed := producer.SendMessage(message(topic, "v")); failed != nil {
			err = failed
		} else {
			told = append(told, topic)
		}
	}
	if len(told) > 0 {
		return nil
	}
	return err
}
