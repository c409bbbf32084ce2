// How releases before 0.10 commit and wait.
package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func commit(ctx context.Context, client *kgo.Client) (told error) {
	done := func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
		told = err
		if err != nil {
			return
		}
		for _, topic := range answer.Topics {
			for _, each := range topic.Partitions {
				if err := kerr.ErrorForCode(each.ErrorCode); err != nil {
					told = err
				}
			}
		}
	}
	client.BlockingCommitOffsets(ctx, client.UncommittedOffsets(), done)
	return told
}
