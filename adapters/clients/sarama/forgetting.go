// For itself, as older releases delete no offsets.
package main

import "github.com/IBM/sarama"

func init() {
	actions["forget"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		return admin.DeleteConsumerGroupOffset("group-a", events, 0)
	})
}
