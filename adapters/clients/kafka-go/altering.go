//go:build !old

// What an application alters and deletes, and topics listed under other client ids.
package main

import (
	"context"
	"strings"

	"github.com/segmentio/kafka-go"
)

const threads = "log.cleaner.threads"

func init() {
	actions["delete"] = deleteTopic
	for name, id := range map[string]string{"blank": "", "lengthy": strings.Repeat("x", 300), "brimming": strings.Repeat("x", 240), "foreign": "cl\u00e9-\u540d-\U0001f99c"} {
		id := id
		actions[name] = func(ctx context.Context, bootstrap string) error {
			one := client(bootstrap)
			one.Transport.(*kafka.Transport).ClientID = id
			return listed(ctx, one)
		}
	}
}

func firstOf(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}

func deleteTopic(ctx context.Context, bootstrap string) error {
	answer, err := client(bootstrap).DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{"orders.v2"}})
	if err != nil {
		return err
	}
	return answer.Errors["orders.v2"]
}
