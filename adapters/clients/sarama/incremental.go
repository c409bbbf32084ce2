// For itself, as older releases have no IncrementalAlterConfigs.
package main

import "github.com/IBM/sarama"

func init() {
	actions["alter"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		value := "2"
		set := sarama.IncrementalAlterConfigsEntry{Operation: sarama.IncrementalAlterConfigsOperationSet, Value: &value}
		entries := map[string]sarama.IncrementalAlterConfigsEntry{threads: set}
		return admin.IncrementalAlterConfig(brokers, "1", entries, false)
	})
}
