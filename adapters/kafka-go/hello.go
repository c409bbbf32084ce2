// What the testee says of itself: all messages and versions that the library has.
package main

import (
	"errors"
	"os"
	"strings"

	_ "driver/messages"
	"github.com/segmentio/kafka-go/protocol"
)

// kind is a message as the package knows it: a key, and which side sends it.
type kind struct {
	key      protocol.ApiKey
	response bool
}

var (
	kinds         = map[string]kind{}
	errUnknownOp  = errors.New("no such operation here")
	opaqueRecords = map[string]bool{"ProduceRequest": true, "FetchResponse": true} // not bytes in it
)

func hello() answer {
	messages := map[string]any{}
	for key := range protocol.Keys() {
		for suffix, response := range map[string]bool{"Request": false, "Response": true} {
			name := key.String() + suffix
			if _, versions := protocol.Registered(key, response); versions != nil && !opaqueRecords[name] {
				kinds[name] = kind{key, response}
				side := strings.ToLower(suffix)
				ops := []string{"roundtrip", "decode", "encode", "decode-" + side, "encode-" + side}
				span := []int16{versions[0], versions[len(versions)-1]}
				messages[name] = answer{"versions": [][]int16{span}, "ops": ops}
			}
		}
	}
	messages[recordsField] = answer{"versions": [][]int16{{0, 2}}, "ops": []string{"decode"}}
	return answer{"protocol": 1, "name": "kafka-go", "version": os.Args[1], "language": "go",
		"ops": []string{"roundtrip", "decode", "encode", "decode-request", "encode-request",
			"decode-response", "encode-response"},
		"messages": messages, "definitions": "3.9.2", "unknownTags": "dropped", "window": 64,
		"unknownFields": answer{"CreateTopicsResponse": []string{"topics.topicConfigErrorCode"}}}
}
