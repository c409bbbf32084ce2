// A partition that is read, and then another one beside it.
package main

import (
	"time"

	"github.com/IBM/sarama"
)

func init() { actions["widen"] = widen }

func widen(bootstrap []string, config *sarama.Config) error {
	consumer, err := sarama.NewConsumer(bootstrap, config)
	if err != nil {
		return err
	}
	defer consumer.Close()
	var partitions []sarama.PartitionConsumer
	for index := int32(0); index < 2; index++ {
		partition, err := consumer.ConsumePartition(orders, index, sarama.OffsetOldest)
		if err != nil {
			return err
		}
		defer partition.AsyncClose()
		partitions = append(partitions, partition)
		if err := readFrom(partition); err != nil {
			return err
		}
	}
	return readFrom(partitions[0])
}

func readFrom(partition sarama.PartitionConsumer) error {
	late, failed := time.After(actionTimeout), errDriverTimeout
	for {
		select {
		case <-partition.Messages():
			return nil
		case err := <-partition.Errors():
			failed = err // it is told on the way, and may pass
		case <-late:
			return failed
		}
	}
}
