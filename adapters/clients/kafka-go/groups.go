// For itself, as releases before 0.4.25 can't describe groups.
package main

import (
	"context"
	"errors"

	"github.com/segmentio/kafka-go"
)

func init() { actions["groups"] = groups }

func groups(ctx context.Context, bootstrap string) error {
	request := kafka.DescribeGroupsRequest{GroupIDs: []string{"group-a", "group-b"}}
	answer, err := client(bootstrap).DescribeGroups(ctx, &request)
	if err != nil {
		return err
	}
	for _, group := range answer.Groups {
		if group.Error != nil && !errors.Is(group.Error, kafka.GroupIdNotFound) {
			return group.Error
		}
	}
	return nil
}
