// For itself, as releases before 1.23 can't describe a cluster.
package main

import (
	"fmt"

	"github.com/IBM/sarama"
)

func init() {
	actions["cluster"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		_, controller, err := admin.DescribeCluster()
		told = append(told, fmt.Sprint(controller))
		return err
	})
}
