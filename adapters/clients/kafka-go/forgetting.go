// For itself, as older releases delete no offsets.
package main

import (
	"context"

	"github.com/segmentio/kafka-go"
)

func init() {
	actions["forget"] = func(ctx context.Context, bootstrap string) error {
		request := kafka.OffsetDeleteRequest{GroupID: "group-a", Topics: map[string][]int{events: {0}}}
		answer, err := client(bootstrap).OffsetDelete(ctx, &request)
		if err != nil {
			return err
		}
		if answer.Error != nil {
			return answer.Error
		}
		for _, each := range answer.Topics[events] {
			if each.Error != nil {
				return each.Error
			}
		}
		return nil
	}
}
