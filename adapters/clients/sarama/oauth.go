// For itself, as releases before 1.21 have no OAUTHBEARER.
package main

import "github.com/IBM/sarama"

// Of the user, that nobody signed.
const token = "eyJhbGciOiJub25lIn0" +
	".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9."

type provider struct{}

func (provider) Token() (*sarama.AccessToken, error) { return &sarama.AccessToken{Token: token}, nil }

func init() {
	actions["oauth"] = func(bootstrap []string, config *sarama.Config) error {
		config.Net.SASL.Enable = true
		config.Net.SASL.Mechanism = sarama.SASLTypeOAuth
		config.Net.SASL.TokenProvider = provider{}
		return topics(bootstrap, config)
	}
}
