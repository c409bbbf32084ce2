// Records in the other ways of writing them.
package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

const (
	longest    = 30 * 24 * time.Hour
	gatherTime = 100 * time.Millisecond
	several    = 4
)

var written = time.UnixMilli(1_700_000_000_000)

func init() {
	for name, codec := range map[string]sarama.CompressionCodec{
		"batch":  sarama.CompressionNone,
		"gzip":   sarama.CompressionGZIP,
		"snappy": sarama.CompressionSnappy,
		"lz4":    sarama.CompressionLZ4,
		"zstd":   sarama.CompressionZSTD,
	} {
		actions[name] = func(bootstrap []string, config *sarama.Config) error {
			config.Producer.Compression = codec
			return produceSeveral(bootstrap, config)
		}
	}
	actions["unacknowledged"] = func(bootstrap []string, config *sarama.Config) error {
		config.Producer.RequiredAcks = sarama.NoResponse
		defer time.Sleep(gatherTime) // it is on its way still
		return produce(bootstrap, config)
	}
	actions["patient"] = func(bootstrap []string, config *sarama.Config) error {
		config.Producer.Timeout = longest
		return produce(bootstrap, config)
	}
	actions["idempotent"] = idempotent
}

func produceSeveral(bootstrap []string, config *sarama.Config) error {
	config.Version = sarama.MaxVersion // else it has no zstd
	config.Producer.Flush.Messages = several
	config.Producer.Flush.Frequency = gatherTime
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	messages := []*sarama.ProducerMessage{
		{Topic: events, Key: sarama.StringEncoder("k"), Value: sarama.StringEncoder("v"), Timestamp: written},
		{Topic: events, Value: sarama.StringEncoder("w"), Timestamp: written.Add(time.Second)},
		{Topic: events, Key: sarama.StringEncoder("x"), Timestamp: written.Add(longest)},
		{Topic: events, Key: sarama.StringEncoder(""), Value: sarama.StringEncoder(""),
			Timestamp: written.Add(-time.Second),
			Headers:   []sarama.RecordHeader{{Key: []byte("h"), Value: []byte("1")}}},
	}
	err = producer.SendMessages(messages)
	for _, each := range messages {
		told = append(told, fmt.Sprint(each.Offset))
	}
	return err
}

// The second record is written whatever became of the first.
func idempotent(bootstrap []string, config *sarama.Config) error {
	config.Producer.Idempotent = true
	config.Net.MaxOpenRequests = 1
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	var told [2]error
	for index := range told {
		key, value := sarama.StringEncoder("k"), sarama.StringEncoder("v")
		_, _, told[index] = producer.SendMessage(&sarama.ProducerMessage{Topic: events, Key: key, Value: value})
	}
	return errors.Join(told[:]...)
}
