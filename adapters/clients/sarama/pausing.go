// Partitions that are read, and paused one after the other or both at once; releases before 1.31 have no pause.
package main

import (
	"time"

	"github.com/IBM/sarama"
)

const restTime = 500 * time.Millisecond

func init() {
	actions["pause"] = func(bootstrap []string, config *sarama.Config) error {
		return paused(bootstrap, config, false)
	}
	actions["aside"] = func(bootstrap []string, config *sarama.Config) error {
		return paused(bootstrap, config, true)
	}
}

// Beside the other topic or not, whose partitions are then paused at once.
func paused(bootstrap []string, config *sarama.Config, aside bool) error {
	consumer, err := sarama.NewConsumer(bootstrap, config)
	if err != nil {
		return err
	}
	defer consumer.Close()
	places := []struct {
		topic string
		index int32
	}{{orders, 0}, {orders, 1}, {events, 0}}
	if !aside {
		places = places[:2]
	}
	var partitions []sarama.PartitionConsumer
	for _, each := range places {
		partition, err := consumer.ConsumePartition(each.topic, each.index, sarama.OffsetOldest)
		if err != nil {
			return err
		}
		defer partition.AsyncClose()
		partitions = append(partitions, partition)
	}
	if err := readEach(partitions, 2*time.Second); err != nil {
		return err
	}
	for number, each := range partitions[:2] {
		each.Pause()
		if number == 1 || !aside {
			_ = readEach(partitions, restTime)
		}
	}
	for _, each := range partitions[:2] {
		each.Resume()
	}
	return readEach(partitions, actionTimeout)
}

// Until a record of each has come, for so long.
func readEach(partitions []sarama.PartitionConsumer, limit time.Duration) error {
	late, read, failed := time.After(limit), map[sarama.PartitionConsumer]bool{}, errDriverTimeout
	for len(read) < len(partitions) {
		for _, each := range partitions {
			select {
			case <-each.Messages():
				read[each] = true
			case err := <-each.Errors():
				failed = err // it is told on the way, and may pass
			case <-late:
				return failed
			case <-time.After(time.Millisecond):
			}
		}
	}
	return nil
}
