// For itself, as releases before 0.4.4 can't describe configs of several brokers.
package main

import (
	"context"

	"github.com/segmentio/kafka-go"
)

func init() {
	actions["configs"] = func(ctx context.Context, bootstrap string) error {
		return configs(ctx, bootstrap, "1")
	}
	actions["brokers"] = func(ctx context.Context, bootstrap string) error {
		return configs(ctx, bootstrap, "1", "2")
	}
}

func configs(ctx context.Context, bootstrap string, ids ...string) error {
	request := kafka.DescribeConfigsRequest{}
	for _, id := range ids {
		request.Resources = append(request.Resources, kafka.DescribeConfigRequestResource{
			ResourceType: kafka.ResourceTypeBroker, ResourceName: id,
		})
	}
	answer, err := client(bootstrap).DescribeConfigs(ctx, &request)
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
