// Large records, of which none waits for another.
package main

import (
	"strings"

	"github.com/IBM/sarama"
)

const (
	largeLength = 500_000
	shortLength = 100
)

func init() {
	actions["large"] = large
}

// Each is sent whatever becomes of the others, in a batch of its own.
func large(bootstrap []string, config *sarama.Config) error {
	config.Producer.Flush.MaxMessages = 1
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	long := func(letter string) string { return strings.Repeat(letter, largeLength) }
	for _, values := range [][]string{{long("a"), strings.Repeat("b", shortLength)}, {long("c"), long("d")}} {
		messages := []*sarama.ProducerMessage{message(events, values[0]), message(events, values[1])}
		if failed := producer.SendMessages(messages); failed != nil {
			err = failed
		}
	}
	return err
}
