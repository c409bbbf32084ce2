// What an application asks about a cluster, and has done to it; and topics behind a login.
package main

import "github.com/IBM/sarama"

func init() {
	actions["login"] = func(bootstrap []string, config *sarama.Config) error {
		asUser(config)
		return topics(bootstrap, config)
	}
	actions["configs"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		_, err := admin.DescribeConfig(sarama.ConfigResource{Type: brokers, Name: "1"})
		return err
	})
	actions["grow"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		return admin.CreatePartitions(events, 2, nil, true)
	})
	actions["trim"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		return admin.DeleteRecords(events, map[int32]int64{0: 1})
	})
}

func asUser(config *sarama.Config) {
	config.Net.SASL.Enable = true
	config.Net.SASL.User = "one,two=three"
	config.Net.SASL.Password = "four=five,six"
}

// The type of a resource of configs, whose name came with 1.22.1.
const brokers = sarama.ConfigResourceType(4)

func asAdmin(ask func(sarama.ClusterAdmin) error) action {
	return func(bootstrap []string, config *sarama.Config) error {
		admin, err := sarama.NewClusterAdmin(bootstrap, config)
		if err != nil {
			return err
		}
		defer admin.Close()
		return ask(admin)
	}
}
