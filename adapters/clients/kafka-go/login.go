//go:build !old

// Topics behind a login.
package main

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

const (
	user     = "one,two=three"
	password = "four=five,six"
	// How long a member stays.
	remainTime = 2500 * time.Millisecond
)

func init() {
	actions["login"] = func(ctx context.Context, bootstrap string) error {
		return login(ctx, bootstrap, plain.Mechanism{Username: user, Password: password})
	}
	actions["remain"] = func(ctx context.Context, bootstrap string) error {
		mechanism := plain.Mechanism{Username: user, Password: password}
		dialer := &kafka.Dialer{Timeout: requestTimeout, SASLMechanism: mechanism}
		return asMember(ctx, bootstrap, dialer, commitLate)
	}
	actions["scram"] = func(ctx context.Context, bootstrap string) error {
		mechanism, err := scram.Mechanism(scram.SHA256, user, password)
		if err != nil {
			return err
		}
		return login(ctx, bootstrap, mechanism)
	}
}

func commitLate(ctx context.Context, reader *kafka.Reader, message kafka.Message) error {
	time.Sleep(remainTime)
	return reader.CommitMessages(ctx, message)
}

func login(ctx context.Context, bootstrap string, mechanism sasl.Mechanism) error {
	one := client(bootstrap)
	one.Transport = &kafka.Transport{DialTimeout: requestTimeout, SASL: mechanism}
	return listed(ctx, one)
}
