// Records, or a member of a group, for some time behind a login; releases before 1.23 can't be told how long it is good.
package main

import (
	"time"

	"github.com/IBM/sarama"
)

const (
	steady    = 25
	pauseTime = 100 * time.Millisecond
	// How long a member stays.
	remainTime = 2500 * time.Millisecond
)

func init() {
	actions["steady"] = steadily
	actions["remain"] = func(bootstrap []string, config *sarama.Config) error {
		withLifetime(config)
		return joinFor(remainTime, bootstrap, config)
	}
}

func steadily(bootstrap []string, config *sarama.Config) error {
	withLifetime(config)
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	end := time.Now().Add(actionTimeout)
	for index := 0; index < steady; index++ {
		if time.Now().After(end) {
			return errDriverTimeout
		}
		if _, _, err := producer.SendMessage(message(events, "v")); err != nil {
			return err
		}
		time.Sleep(pauseTime)
	}
	return nil
}

func withLifetime(config *sarama.Config) {
	asUser(config)
	config.Version = sarama.MaxVersion // else it is not told how long a login is good
	config.Net.SASL.Version = sarama.SASLHandshakeV1
}
