// Records whose time is up before the last is sent.
package main

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

const (
	givenTime    = 1500 * time.Millisecond
	laterTime    = 2500 * time.Millisecond
	metadataTime = 200 * time.Millisecond
	last         = several
)

func init() { actions["later"] = later }

// How often it was told of each record.
func later(bootstrap []string, config *sarama.Config) error {
	config.Producer.Idempotent = true
	config.Producer.Timeout = givenTime
	config.Producer.Flush.Messages = several
	config.Producer.Flush.Frequency = gatherTime
	config.Metadata.RefreshFrequency = metadataTime
	config.Net.MaxOpenRequests = 1
	producer, err := sarama.NewAsyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	var times [several + 1]int
	var failed error
	await := func(until <-chan time.Time, enough func() bool) {
		for !enough() {
			select {
			case each := <-producer.Successes():
				times[each.Metadata.(int)]++
			case each := <-producer.Errors():
				times[each.Msg.Metadata.(int)]++
				if each.Msg.Metadata == last {
					failed = each.Err
				}
			case <-until:
				return
			}
		}
	}
	for index := range times {
		if index == last {
			await(time.After(laterTime), func() bool { return false })
		}
		each := message(events, "v")
		each.Metadata = index
		producer.Input() <- each
	}
	await(time.After(actionTimeout), func() bool { return times[last] > 0 })
	if times[last] == 0 {
		return errDriverTimeout
	}
	for _, each := range times {
		told = append(told, fmt.Sprint(each))
	}
	return failed
}
