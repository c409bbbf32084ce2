// What kmsg of the version that was built has.
package main

import (
	"reflect"
	"runtime/debug"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const window = 64

var definitions = map[string]string{ // the release that has the versions which a kmsg has
	"v1.1.0":  "3.2.0",
	"v1.11.0": "4.0.0",
	"v1.12.0": "4.1.0",
	"v1.15.0": "4.4.0",
}

func hello() answer {
	version := ""
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == reflect.TypeFor[kmsg.Tags]().PkgPath() {
			version = module.Version
		}
	}
	messages := answer{}
	for name, make := range makers {
		versions := []int16{0, make().MaxVersion()}
		messages[name] = versions
		if name == "StopReplicaRequest" { // which has other structs than the definitions
			messages[name] = answer{"versions": [][]int16{versions}, "ops": []string{"roundtrip"}}
		}
	}
	return answer{
		"protocol": 1, "name": "kmsg", "version": version[1:], "language": "go", "messages": messages,
		"ops":         []string{"roundtrip", "decode", "encode", "encode-request"},
		"definitions": definitions[version], "unknownTags": "kept", "window": window,
		"unknownFields": answer{"UpdateMetadataRequest": []string{"type"}},
	}
}
