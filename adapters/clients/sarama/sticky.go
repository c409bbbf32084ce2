// For itself, as releases before 1.23 have no such assignor.
package main

import "github.com/IBM/sarama"

func init() {
	actions["sticky"] = func(bootstrap []string, config *sarama.Config) error {
		config.Consumer.Group.Rebalance.Strategy = sarama.BalanceStrategySticky
		return join(bootstrap, config)
	}
}
