// What the testee says of itself: all messages and versions that the library has.
package main

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/IBM/sarama"
)

var (
	types        = map[string]reflect.Type{}
	bodies       = []string{"roundtrip", "decode", "encode"}
	frames       = []string{"decode-request", "encode-request"}
	errUnknownOp = errors.New("no such operation here")

	// newest is the last version whose fields the struct has, none where it has them in no version.
	newest = map[string]int16{"ApiVersionsResponse": 2, "MetadataRequest": 9, "DeleteTopicsRequest": 5,
		"AlterUserScramCredentialsRequest": -1}
	// limited have a struct that only this can be done with.
	limited = map[string][]string{
		"JoinGroupRequest":            {"encode", "encode-request"}, // reads into a map
		"DescribeClientQuotasRequest": {"roundtrip"},                // kinds of matches
		"AlterClientQuotasRequest":    {"roundtrip"},
		"AlterClientQuotasResponse":   {"roundtrip"},
	}
)

func hello() object {
	messages := object{}
	requests, responses := sarama.Bodies()
	for _, of := range append(requests, responses...) {
		var versions []int16
		var name string
		for version := range int16(32) {
			_, key, valid := sarama.NewBody(of, version)
			name = keys[key] + of.Elem().Name()[strings.LastIndex(of.Elem().Name(), "Re"):]
			if last, ok := newest[name]; valid && (!ok || version <= last) {
				versions = append(versions, version)
			}
		}
		ops, some := limited[name]
		if !some && hasMap(of) || versions == nil || strings.HasPrefix(of.Elem().Name(), "ConsumerMeta") {
			continue
		}
		types[name] = of
		if !some && slices.Contains(requests, of) {
			ops = append(slices.Clone(bodies), frames...)
		} else if !some {
			ops = bodies
		}
		messages[name] = object{"versions": [][]int16{{versions[0], versions[len(versions)-1]}}, "ops": ops}
	}
	messages["RecordBatch"] = object{"versions": [][]int16{{2, 2}}, "ops": bodies}
	return object{"protocol": 1, "name": "sarama", "version": os.Args[1], "language": "go",
		"ops": append(slices.Clone(bodies), frames...), "messages": messages,
		"definitions": "3.9.2", "unknownTags": "dropped", "window": 64}
}

func hasMap(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return t != reflect.TypeFor[*sarama.Broker]() && hasMap(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasMap(t.Field(i).Type) {
				return true
			}
		}
	}
	return t.Kind() == reflect.Map
}
