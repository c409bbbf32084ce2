package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

const nextGeneration = "opt_in_kafka_next_gen_balancer_beta"

// Members whose coordinator shares out; releases before 1.19 are built without them.
func init() {
	next := context.WithValue(context.Background(), nextGeneration, true)
	actions["member"] = join
	settings["member"] = append([]kgo.Opt{
		kgo.WithContext(next), kgo.Balancers(kgo.RangeBalancer()),
	}, asMember...)
}
