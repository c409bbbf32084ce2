// For itself, as releases before 1.45 can't have leaders elected.
package main

import "github.com/IBM/sarama"

func init() {
	actions["elect"] = asAdmin(func(admin sarama.ClusterAdmin) error {
		results, err := admin.ElectLeaders(sarama.PreferredElection, map[string][]int32{events: {0}})
		if err != nil {
			return err
		}
		for _, each := range results[events] {
			if each.ErrorCode != sarama.ErrNoError {
				return each.ErrorCode
			}
		}
		return nil
	})
}
