// For itself, as older releases have no IncrementalAlterConfigs.
package main

import (
	"context"

	"github.com/segmentio/kafka-go"
)

func init() {
	actions["alter"] = func(ctx context.Context, bootstrap string) error {
		configs := []kafka.IncrementalAlterConfigsRequestConfig{{Name: threads, Value: "2"}}
		resource := kafka.IncrementalAlterConfigsRequestResource{
			ResourceType: kafka.ResourceTypeBroker, ResourceName: "1", Configs: configs,
		}
		request := kafka.IncrementalAlterConfigsRequest{Resources: []kafka.IncrementalAlterConfigsRequestResource{resource}}
		answer, err := client(bootstrap).IncrementalAlterConfigs(ctx, &request)
		if err != nil {
			return err
		}
		for _, each := range answer.Resources {
			if each.Error != nil {
				return each.Error
			}
		}
		return nil
	}
}
