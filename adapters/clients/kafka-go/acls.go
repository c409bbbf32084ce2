// For itself, as older releases delete no ACLs.
package main

import (
	"context"

	"github.com/segmentio/kafka-go"
)

func init() { actions["acls"] = acls }

func acls(ctx context.Context, bootstrap string) error {
	one := client(bootstrap)
	created, err := one.CreateACLs(ctx, &kafka.CreateACLsRequest{ACLs: []kafka.ACLEntry{{
		ResourceType: kafka.ResourceTypeTopic, ResourceName: events, ResourcePatternType: kafka.PatternTypeLiteral,
		Principal: "User:alice", Host: "*",
		Operation: kafka.ACLOperationTypeRead, PermissionType: kafka.ACLPermissionTypeAllow,
	}}})
	if err != nil {
		return err
	}
	if err := firstOf(created.Errors...); err != nil {
		return err
	}
	described, err := one.DescribeACLs(ctx, &kafka.DescribeACLsRequest{Filter: kafka.ACLFilter{
		ResourceTypeFilter: kafka.ResourceTypeTopic, ResourceNameFilter: events,
		ResourcePatternTypeFilter: kafka.PatternTypeLiteral, PrincipalFilter: "User:alice", HostFilter: "*",
		Operation: kafka.ACLOperationTypeRead, PermissionType: kafka.ACLPermissionTypeAllow,
	}})
	if err != nil {
		return err
	}
	if described.Error != nil {
		return described.Error
	}
	deleted, err := one.DeleteACLs(ctx, &kafka.DeleteACLsRequest{Filters: []kafka.DeleteACLsFilter{{
		ResourceTypeFilter: kafka.ResourceTypeTopic, ResourceNameFilter: events,
		ResourcePatternTypeFilter: kafka.PatternTypeLiteral, PrincipalFilter: "User:alice", HostFilter: "*",
		Operation: kafka.ACLOperationTypeRead, PermissionType: kafka.ACLPermissionTypeAllow,
	}}})
	if err != nil {
		return err
	}
	for _, each := range deleted.Results {
		if each.Error != nil {
			return each.Error
		}
	}
	return nil
}
