// What an application alters and deletes, log dirs, and topics listed under other client ids.
package main

import (
	"context"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	ofBroker = 4 // the type of a resource of configs
	ofTopic  = 2
	literal  = 3
	reading  = 3
	allowed  = 3
)

var threads, anyHost, alice, eventsName, ordersName = "2", "*", "User:alice", events, "orders.v2"

func init() {
	actions["alter"] = alter
	actions["replace"] = replace
	actions["acls"] = acls
	actions["forget"] = forget
	actions["delete"] = deleteTopic
	actions["dirs"] = dirs
	for name, id := range map[string]string{"blank": "", "lengthy": strings.Repeat("x", 300), "brimming": strings.Repeat("x", 240), "foreign": "cl\u00e9-\u540d-\U0001f99c"} {
		actions[name] = topics
		settings[name] = []kgo.Opt{kgo.ClientID(id)}
	}
}

func firstOf(codes ...int16) error {
	for _, code := range codes {
		if err := kerr.ErrorForCode(code); err != nil {
			return err
		}
	}
	return nil
}

func alter(ctx context.Context, client *kgo.Client) error {
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Value = "log.cleaner.threads", &threads
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = ofBroker, "1"
	resource.Configs = append(resource.Configs, config)
	request := kmsg.NewPtrIncrementalAlterConfigsRequest()
	request.Resources = append(request.Resources, resource)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, each := range answer.Resources {
		if err := firstOf(each.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}

func replace(ctx context.Context, client *kgo.Client) error {
	config := kmsg.NewAlterConfigsRequestResourceConfig()
	config.Name, config.Value = "log.cleaner.threads", &threads
	resource := kmsg.NewAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = ofBroker, "1"
	resource.Configs = append(resource.Configs, config)
	request := kmsg.NewPtrAlterConfigsRequest()
	request.Resources = append(request.Resources, resource)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, each := range answer.Resources {
		if err := firstOf(each.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}

func forget(ctx context.Context, client *kgo.Client) error {
	partition := kmsg.NewOffsetDeleteRequestTopicPartition()
	topic := kmsg.NewOffsetDeleteRequestTopic()
	topic.Topic, topic.Partitions = events, append(topic.Partitions, partition)
	request := kmsg.NewPtrOffsetDeleteRequest()
	request.Group, request.Topics = "group-a", append(request.Topics, topic)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	codes := []int16{answer.ErrorCode}
	for _, each := range answer.Topics {
		for _, one := range each.Partitions {
			codes = append(codes, one.ErrorCode)
		}
	}
	return firstOf(codes...)
}

func deleteTopic(ctx context.Context, client *kgo.Client) error {
	topic := kmsg.NewDeleteTopicsRequestTopic()
	topic.Topic = &ordersName
	request := kmsg.NewPtrDeleteTopicsRequest()
	request.TopicNames, request.Topics = []string{ordersName}, append(request.Topics, topic)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, each := range answer.Topics {
		if err := firstOf(each.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}

func dirs(ctx context.Context, client *kgo.Client) error {
	answer, err := kmsg.NewPtrDescribeLogDirsRequest().RequestWith(ctx, client.Broker(1))
	if err != nil {
		return err
	}
	for _, each := range answer.Dirs {
		if err := firstOf(each.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}
