// A member that is told that its brokers are of Kafka 1.0.
package main

import "github.com/IBM/sarama"

func init() {
	actions["older"] = func(bootstrap []string, config *sarama.Config) error {
		config.Version = sarama.V1_0_0_0
		return join(bootstrap, config)
	}
}
