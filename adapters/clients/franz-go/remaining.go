// Members of a group that stay for some time behind a login.
package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const remainTime = 2500 * time.Millisecond

func init() {
	actions["remain"] = remain
	settings["remain"] = append([]kgo.Opt{kgo.SASL(asUser)}, asMember...)
}

func remain(ctx context.Context, client *kgo.Client) error {
	if err := read(ctx, client, true); err != nil {
		return err
	}
	time.Sleep(remainTime)
	if err := commit(ctx, client); err != nil {
		return err
	}
	client.LeaveGroup()
	return nil
}
