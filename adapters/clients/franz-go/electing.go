// Leaders that are elected.
package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func init() { actions["elect"] = elect }

func elect(ctx context.Context, client *kgo.Client) error {
	topic := kmsg.NewElectLeadersRequestTopic()
	topic.Topic, topic.Partitions = events, []int32{0}
	request := kmsg.NewPtrElectLeadersRequest()
	request.Topics = append(request.Topics, topic)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	if err := kerr.ErrorForCode(answer.ErrorCode); err != nil {
		return err
	}
	for _, topic := range answer.Topics {
		for _, each := range topic.Partitions {
			if err := kerr.ErrorForCode(each.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}
