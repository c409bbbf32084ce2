// Topics behind a login.
package main

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
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

var asUser = plain.Auth{User: user, Pass: password}.AsMechanism()

func init() {
	settings["login"] = []kgo.Opt{kgo.SASL(asUser)}
	settings["scram"] = []kgo.Opt{kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha256Mechanism())}
	settings["oauth"] = []kgo.Opt{kgo.SASL(oauth.Auth{Token: token}.AsMechanism())}
	settings["gssapi"] = []kgo.Opt{kgo.SASL(unsealed{})}
	actions["oauth"] = topics
	actions["gssapi"] = topics
	actions["login"] = topics
	actions["scram"] = topics
}

// GSSAPI with a Kerberos that seals nothing: a ticket is the user's name.
type unsealed struct{}

func (unsealed) Name() string { return "GSSAPI" }

func (unsealed) Authenticate(context.Context, string) (sasl.Session, []byte, error) {
	return &unsealedSession{}, []byte(user), nil
}

type unsealedSession struct{ accepted bool }

// The broker's answer to the ticket is answered with nothing, and its offer with the choice of no layer.
func (session *unsealedSession) Challenge(said []byte) (bool, []byte, error) {
	if !session.accepted {
		session.accepted = true
		return false, nil, nil
	}
	if len(said) != 4 || said[0]&1 == 0 {
		return false, nil, errors.New("the broker has no connection without a security layer")
	}
	return true, append([]byte{1}, said[1:]...), nil
}
