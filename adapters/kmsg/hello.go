// What kmsg of the version that was built has.
package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const window = 64

// followed are the releases of Kafka whose versions a kmsg has, each with the first such kmsg.
var followed = []struct {
	major, minor int
	release      string
}{
	{0, 0, "3.0.2"}, {1, 0, "3.2.3"}, {1, 1, "3.3.2"}, {1, 4, "3.4.1"}, {1, 5, "3.5.2"}, {1, 8, "3.7.2"},
	{1, 9, "3.8.1"}, {1, 10, "4.0.2"}, {1, 12, "4.1.2"}, {1, 13, "4.2.2"}, {1, 14, "4.4.0"},
}

func hello() answer {
	version := os.Args[1]
	messages := answer{"RecordBatch": answer{"versions": [][]int16{{2, 2}}, "ops": []string{"decode", "encode", "roundtrip"}}}
	for name, make := range makers {
		versions := []int16{0, make().MaxVersion()}
		messages[name] = versions
		if name == "StopReplicaRequest" { // which has other structs than the definitions
			messages[name] = answer{"versions": [][]int16{versions}, "ops": []string{"roundtrip"}}
		} else if !strings.HasSuffix(name, "Request") { // which alone has a frame
			messages[name] = answer{"versions": [][]int16{versions}, "ops": []string{"roundtrip", "decode", "encode"}}
		}
	}
	return answer{
		"protocol": 1, "name": "kmsg", "version": version, "language": "go", "messages": messages,
		"ops":         []string{"roundtrip", "decode", "encode", "encode-request"},
		"definitions": definitions(version), "unknownTags": tags(), "window": window,
		"unknownFields": answer{"UpdateMetadataRequest": []string{"type"}}, "compression": []string{}, "defaults": true,
	}
}

func definitions(version string) (release string) {
	var major, minor int
	fmt.Sscanf(version, "%d.%d", &major, &minor)
	for _, since := range followed {
		if major > since.major || major == since.major && minor >= since.minor {
			release = since.release
		}
	}
	return release
}

// tags says what becomes of unknown tags: kmsg has kept them since its structs have a place for them.
func tags() string {
	if _, has := reflect.TypeFor[kmsg.ApiVersionsRequest]().FieldByName("UnknownTags"); has {
		return "kept"
	}
	return "dropped"
}
