// For itself, as older releases ask for no log dirs.
package main

import "github.com/IBM/sarama"

func init() {
	actions["dirs"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		answer, err := admin.DescribeLogDirs([]int32{1})
		if err != nil {
			return err
		}
		for _, each := range answer[1] {
			if each.ErrorCode != sarama.ErrNoError {
				return each.ErrorCode
			}
		}
		return nil
	})
}
