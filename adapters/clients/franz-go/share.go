package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Members of share groups; releases before 1.21 are built without them.
func init() {
	actions["share"] = share
	actions["shared"] = shared
	settings["share"] = []kgo.Opt{kgo.ShareGroup("share-a"), kgo.ConsumeTopics(events)}
}

func share(ctx context.Context, client *kgo.Client) error {
	if err := read(ctx, client, true); err != nil {
		return err
	}
	client.MarkAcks(kgo.AckAccept)
	client.LeaveGroup()
	return nil
}

func shared(ctx context.Context, client *kgo.Client) error {
	topic := kmsg.NewDescribeShareGroupOffsetsRequestGroupTopic()
	topic.Topic, topic.Partitions = events, []int32{0}
	group := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
	group.GroupID = "share-a"
	group.Topics = append(group.Topics, topic)
	request := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	request.Groups = append(request.Groups, group)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, group := range answer.Groups {
		if err := kerr.ErrorForCode(group.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}
