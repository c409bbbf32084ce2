// For itself, as older releases alter no configs.
package main

import (
	"context"

	"github.com/segmentio/kafka-go"
)

func init() {
	actions["replace"] = func(ctx context.Context, bootstrap string) error {
		configs := []kafka.AlterConfigRequestConfig{{Name: threads, Value: "2"}}
		resource := kafka.AlterConfigRequestResource{
			ResourceType: kafka.ResourceTypeBroker, ResourceName: "1", Configs: configs,
		}
		request := kafka.AlterConfigsRequest{Resources: []kafka.AlterConfigRequestResource{resource}}
		answer, err := client(bootstrap).AlterConfigs(ctx, &request)
		if err != nil {
			return err
		}
		for _, each := range answer.Errors {
			if each != nil {
				return each
			}
		}
		return nil
	}
}
