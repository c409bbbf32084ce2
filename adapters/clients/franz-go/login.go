// Topics behind a login.
package main

import (
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const (
	user     = "one,two=three"
	password = "four=five,six"
	// Of the same user, that nobody signed.
	token = "eyJhbGciOiJub25lIn0" +
		".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9."
)

func init() {
	settings["login"] = []kgo.Opt{kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism())}
	settings["scram"] = []kgo.Opt{kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha256Mechanism())}
	settings["oauth"] = []kgo.Opt{kgo.SASL(oauth.Auth{Token: token}.AsMechanism())}
	actions["oauth"] = topics
	actions["login"] = topics
	actions["scram"] = topics
}
