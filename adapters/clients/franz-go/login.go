// Topics behind a login.
package main

import (
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const (
	user     = "one,two=three"
	password = "four=five,six"
)

func init() {
	settings["login"] = []kgo.Opt{kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism())}
	settings["scram"] = []kgo.Opt{kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha256Mechanism())}
	actions["login"] = topics
	actions["scram"] = topics
}
