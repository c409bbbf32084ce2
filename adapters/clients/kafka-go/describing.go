// What a connection tells of a topic.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
)

func init() { actions["describe"] = describe }

func describe(ctx context.Context, bootstrap string) error {
	conn, err := (&kafka.Dialer{Timeout: requestTimeout}).DialContext(ctx, "tcp", bootstrap)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(requestTimeout))
	partitions, err := conn.ReadPartitions(events)
	if err != nil {
		return err
	}
	for _, each := range partitions[0].Replicas {
		told = append(told, fmt.Sprint(each.ID))
	}
	return nil
}
