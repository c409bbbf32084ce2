// All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE.
package main

import (
	"fmt"
	"reflect"
	"time"

	"github.com/IBM/sarama"
)

func init() {
	actions["read"] = func(bootstrap []string, config *sarama.Config) error {
		// Releases before 1.27 read all that is there.
		if level := reflect.ValueOf(&config.Consumer).Elem().FieldByName("IsolationLevel"); level.IsValid() {
			level.SetInt(1)
		}
		return readAll(bootstrap, config)
	}
	actions["uncommitted"] = readAll
}

func readAll(bootstrap []string, config *sarama.Config) error {
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
	late, failed := time.After(actionTimeout), errDriverTimeout
	for {
		select {
		case record := <-partition.Messages():
			told = append(told, fmt.Sprintf("%d/%s/%s/%s", record.Offset, at(record.Timestamp),
				text(record.Key), text(record.Value)))
			if string(record.Key) == "end" {
				return nil
			}
		case err := <-partition.Errors():
			failed = err // it is told on the way, and may pass
		case <-late:
			return failed
		}
	}
}

func at(written time.Time) string {
	if written.IsZero() {
		return "none"
	}
	return fmt.Sprint(written.UnixMilli())
}

func text(raw []byte) string {
	if raw == nil {
		return "null"
	}
	return string(raw)
}
