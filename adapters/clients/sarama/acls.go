// For itself, as releases before 1.21 have no types of patterns.
package main

import "github.com/IBM/sarama"

func init() {
	actions["acls"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		name, alice, host := events, "User:alice", "*"
		topic := sarama.Resource{
			ResourceType: sarama.AclResourceTopic, ResourceName: name, ResourcePatternType: sarama.AclPatternLiteral,
		}
		may := sarama.Acl{
			Principal: alice, Host: host, Operation: sarama.AclOperationRead, PermissionType: sarama.AclPermissionAllow,
		}
		like := sarama.AclFilter{
			ResourceType: sarama.AclResourceTopic, ResourceName: &name, ResourcePatternTypeFilter: sarama.AclPatternLiteral,
			Principal: &alice, Host: &host, Operation: sarama.AclOperationRead, PermissionType: sarama.AclPermissionAllow,
		}
		if err := admin.CreateACL(topic, may); err != nil {
			return err
		}
		if _, err := admin.ListAcls(like); err != nil {
			return err
		}
		_, err := admin.DeleteACL(like, false)
		return err
	})
}
