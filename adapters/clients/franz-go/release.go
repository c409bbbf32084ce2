// For itself, as releases before 0.10 find no versions by a name.
package main

import (
	"os"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

func init() {
	if versions := kversion.FromString(os.Getenv("KAFKA_RELEASE")); versions != nil {
		forRelease = []kgo.Opt{kgo.MaxVersions(versions)}
	}
}
