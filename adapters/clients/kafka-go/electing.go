// For itself, as releases before 0.4.11 can't have leaders elected.
package main

import (
	"context"

	"github.com/segmentio/kafka-go"
)

func init() { actions["elect"] = elect }

func elect(ctx context.Context, bootstrap string) error {
	request := kafka.ElectLeadersRequest{Topic: events, Partitions: []int{0}, Timeout: requestTimeout}
	answer, err := client(bootstrap).ElectLeaders(ctx, &request)
	if err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	for _, each := range answer.PartitionResults {
		if each.Error != nil {
			return each.Error
		}
	}
	return nil
}
