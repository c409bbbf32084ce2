// Topics behind a login, and as a client of a long name.
package main

import (
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const (
	user     = "one,two=three"
	password = "four=five,six"
	longName = 300
	// Of the same user, that nobody signed.
	token = "eyJhbGciOiJub25lIn0" +
		".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9."
)

func init() {
	settings["login"] = []kgo.Opt{kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism())}
	settings["scram"] = []kgo.Opt{kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha256Mechanism())}
	settings["oauth"] = []kgo.Opt{kgo.SASL(oauth.Auth{Token: token}.AsMechanism())}
	settings["named"] = []kgo.Opt{kgo.ClientID(strings.Repeat("c", longName))}
	actions["oauth"] = topics
	actions["named"] = topics
	actions["login"] = topics
	actions["scram"] = topics
}
