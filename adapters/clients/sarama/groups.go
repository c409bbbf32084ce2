// For itself, as releases before 1.21 can't describe groups.
package main

import "github.com/IBM/sarama"

func init() { actions["groups"] = groups }

func groups(bootstrap []string, config *sarama.Config) error {
	admin, err := sarama.NewClusterAdmin(bootstrap, config)
	if err != nil {
		return err
	}
	defer admin.Close()
	answers, err := admin.DescribeConsumerGroups([]string{"group-a", "group-b"})
	if err != nil {
		return err
	}
	for _, group := range answers {
		if group.Err != sarama.ErrNoError && group.Err != sarama.ErrGroupIDNotFound {
			return group.Err
		}
	}
	return nil
}
