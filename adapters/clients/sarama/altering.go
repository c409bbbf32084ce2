// What an application alters and deletes, and topics listed under other client ids.
package main

import (
	"strings"

	"github.com/IBM/sarama"
)

const threads = "log.cleaner.threads"

func init() {
	actions["replace"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		value := "2"
		return admin.AlterConfig(brokers, "1", map[string]*string{threads: &value}, false)
	})
	actions["delete"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		return admin.DeleteTopic("orders.v2")
	})
	for name, id := range map[string]string{"blank": "", "lengthy": strings.Repeat("x", 300), "brimming": strings.Repeat("x", 240), "foreign": "cl\u00e9-\u540d-\U0001f99c"} {
		id := id
		actions[name] = func(bootstrap []string, config *sarama.Config) error {
			config.ClientID = id
			return topics(bootstrap, config)
		}
	}
}
