package main

import (
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

// A member that is told that its brokers are of Kafka 1.0.
func init() {
	actions["older"] = join
	settings["older"] = append([]kgo.Opt{kgo.MaxVersions(kversion.V1_0_0())}, asMember...)
}
