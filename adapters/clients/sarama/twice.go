// Two transactions, of which one that fails is aborted. For itself, as releases before 1.35 have none.
package main

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

const waitTime = 64 * time.Millisecond

func init() { actions["twice"] = twice }

// What became of each.
func twice(bootstrap []string, config *sarama.Config) error {
	config.Version = sarama.MaxVersion
	config.Producer.Idempotent = true
	config.Producer.Transaction.ID = "tx-a"
	config.Producer.Transaction.Retry.Backoff = waitTime
	config.Producer.Retry.Backoff = waitTime
	config.Producer.Flush.MaxMessages = 1
	config.Net.MaxOpenRequests = 1
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	first := make([]*sarama.ProducerMessage, inStream)
	for index := range first {
		first[index] = message(events, fmt.Sprint("v", index))
	}
	for _, messages := range [][]*sarama.ProducerMessage{first, {message(events, "w")}} {
		if err := producer.BeginTxn(); err != nil {
			return err
		}
		became, err := "committed", producer.SendMessages(messages)
		if err == nil {
			err = producer.CommitTxn()
		}
		if err != nil {
			became = "aborted"
			if err := producer.AbortTxn(); err != nil {
				return err
			}
		}
		told = append(told, became)
	}
	return nil
}
