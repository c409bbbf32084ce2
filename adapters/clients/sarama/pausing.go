// Two partitions that are read, and paused one after the other; releases before 1.31 have no pause.
package main

import (
	"time"

	"github.com/IBM/sarama"
)

const restTime = 500 * time.Millisecond

func init() { actions["pause"] = pause }

func pause(bootstrap []string, config *sarama.Config) error {
	consumer, err := sarama.NewConsumer(bootstrap, config)
	if err != nil {
		return err
	}
	defer consumer.Close()
	var partitions [2]sarama.PartitionConsumer
	for index := range partitions {
		if partitions[index], err = consumer.ConsumePartition(orders, int32(index), sarama.OffsetOldest); err != nil {
			return err
		}
		defer partitions[index].AsyncClose()
	}
	if err := readBoth(partitions, 2*time.Second); err != nil {
		return err
	}
	for _, each := range partitions {
		each.Pause()
		_ = readBoth(partitions, restTime)
	}
	for _, each := range partitions {
		each.Resume()
	}
	return readBoth(partitions, actionTimeout)
}

// Until a record of each has come, for so long.
func readBoth(partitions [2]sarama.PartitionConsumer, limit time.Duration) error {
	late, read, failed := time.After(limit), map[int32]bool{}, errDriverTimeout
	for len(read) < len(partitions) {
		select {
		case record := <-partitions[0].Messages():
			read[record.Partition] = true
		case record := <-partitions[1].Messages():
			read[record.Partition] = true
		case err := <-partitions[0].Errors():
			failed = err // it is told on the way, and may pass
		case err := <-partitions[1].Errors():
			failed = err
		case <-late:
			return failed
		}
	}
	return nil
}
