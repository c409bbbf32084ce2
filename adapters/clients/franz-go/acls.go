package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// An ACL that is created, described and deleted.
func acls(ctx context.Context, client *kgo.Client) error {
	creation := kmsg.NewCreateACLsRequestCreation()
	creation.ResourceType, creation.ResourceName, creation.ResourcePatternType = ofTopic, events, literal
	creation.Principal, creation.Host = alice, anyHost
	creation.Operation, creation.PermissionType = reading, allowed
	create := kmsg.NewPtrCreateACLsRequest()
	create.Creations = append(create.Creations, creation)
	created, err := create.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, each := range created.Results {
		if err := firstOf(each.ErrorCode); err != nil {
			return err
		}
	}

	describe := kmsg.NewPtrDescribeACLsRequest()
	describe.ResourceType, describe.ResourceName, describe.ResourcePatternType = ofTopic, &eventsName, literal
	describe.Principal, describe.Host = &alice, &anyHost
	describe.Operation, describe.PermissionType = reading, allowed
	described, err := describe.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	if err := firstOf(described.ErrorCode); err != nil {
		return err
	}

	filter := kmsg.NewDeleteACLsRequestFilter()
	filter.ResourceType, filter.ResourceName, filter.ResourcePatternType = ofTopic, &eventsName, literal
	filter.Principal, filter.Host = &alice, &anyHost
	filter.Operation, filter.PermissionType = reading, allowed
	request := kmsg.NewPtrDeleteACLsRequest()
	request.Filters = append(request.Filters, filter)
	deleted, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, each := range deleted.Results {
		if err := firstOf(each.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}
