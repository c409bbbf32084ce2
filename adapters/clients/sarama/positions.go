// Records that are read one by one, with a pause behind the first: OFFSET/?, as no call tells the position.
package main

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

const shortRest = 200 * time.Millisecond

func init() {
	actions["position"] = position
}

func position(bootstrap []string, config *sarama.Config) error {
	config.ChannelBufferSize = 0
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
			told = append(told, fmt.Sprintf("%d/?", record.Offset))
			if string(record.Key) == "end" {
				return nil
			}
			if len(told) == 1 {
				partition.Pause()
				time.Sleep(shortRest)
				partition.Resume()
			}
		case err := <-partition.Errors():
			failed = err // it is told on the way, and may pass
		case <-late:
			return failed
		}
	}
}
