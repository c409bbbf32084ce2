//go:build !old

// What is done with a Client and a Writer, as they are from 0.4.0 on.
package main

import (
	"context"
	"fmt"
	"reflect"

	"github.com/segmentio/kafka-go"
)

func init() {
	actions["topics"] = topics
	actions["create"] = create
	actions["produce"] = produce
	actions["cluster"] = cluster
}

func transport() *kafka.Transport {
	return &kafka.Transport{DialTimeout: requestTimeout}
}

func client(bootstrap string) *kafka.Client {
	return &kafka.Client{Addr: kafka.TCP(bootstrap), Timeout: requestTimeout, Transport: transport()}
}

func topics(ctx context.Context, bootstrap string) error {
	return listed(ctx, client(bootstrap))
}

func listed(ctx context.Context, one *kafka.Client) error {
	answer, err := one.Metadata(ctx, &kafka.MetadataRequest{})
	if err != nil {
		return err
	}
	for _, topic := range answer.Topics {
		if topic.Error != nil {
			return topic.Error
		}
	}
	return nil
}

func create(ctx context.Context, bootstrap string) error {
	topic := kafka.TopicConfig{Topic: "made-by-a-client", NumPartitions: 1, ReplicationFactor: 1}
	request := kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{topic}}
	answer, err := client(bootstrap).CreateTopics(ctx, &request)
	if err != nil {
		return err
	}
	return answer.Errors[topic.Topic]
}

func cluster(ctx context.Context, bootstrap string) error {
	answer, err := client(bootstrap).Metadata(ctx, &kafka.MetadataRequest{})
	if err != nil {
		return err
	}
	told = append(told, fmt.Sprint(answer.Controller.ID))
	return nil
}

func produce(ctx context.Context, bootstrap string) error {
	return write(ctx, writerTo(bootstrap), record)
}

func writerTo(bootstrap string) *kafka.Writer {
	writer := &kafka.Writer{
		Addr:         kafka.TCP(bootstrap),
		Topic:        events,
		RequiredAcks: kafka.RequireAll,
		ReadTimeout:  requestTimeout,
		WriteTimeout: requestTimeout,
		Transport:    transport(),
	}
	// Releases before 0.4.21 have no such switch.
	if allow := reflect.ValueOf(writer).Elem().FieldByName("AllowAutoTopicCreation"); allow.IsValid() {
		allow.SetBool(true)
	}
	return writer
}

func write(ctx context.Context, writer *kafka.Writer, messages ...kafka.Message) error {
	defer writer.Close()
	return writer.WriteMessages(ctx, messages...)
}
