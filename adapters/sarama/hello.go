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
	// limited have a struct that only this can be done with, or nothing.
	limited = map[string][]string{
		"ProduceRequest":               nil, // holds records that are read already
		"FetchResponse":                {"encode"},
		"FetchRequest":                 {"encode", "encode-request"}, // drops the replica
		"JoinGroupRequest":             {"encode", "encode-request"}, // reads into a map
		"DescribeClientQuotasRequest":  {"roundtrip"},                // kinds of matches
		"AlterClientQuotasRequest":     {"roundtrip"},
		"AlterClientQuotasResponse":    {"roundtrip"},
		"DescribeClientQuotasResponse": nil,
		"AddPartitionsToTxnResponse":   nil, // one struct under two names
		"CreateTopicsResponse":         nil, // two maps of the same topics
		"DeleteTopicsResponse":         nil,
		"ListGroupsResponse":           nil,
		"ProduceResponse":              nil,        // a time that is none
		"ListOffsetsRequest":           nil,        // reads a number as a boolean
		"DescribeGroupsResponse":       {"decode"}, // fields twice
	}
)

func hello() object {
	messages, maps := object{}, object{"ConsumerProtocolAssignment": object{"assignedPartitions": "topic"}}
	requests, responses := sarama.Bodies()
	askedBy := map[reflect.Type]reflect.Type{}
	for i, of := range responses {
		askedBy[of] = requests[i]
	}
	for _, of := range append(requests, responses...) {
		var versions []int16
		var name string
		for version := range int16(32) {
			_, key, valid := sarama.NewBody(of, version)
			if asks, answers := askedBy[of]; answers && !valid { // a Broker reads it in the version of its request
				_, _, valid = sarama.NewBody(asks, version)
			}
			name = keys[key] + of.Elem().Name()[strings.LastIndex(of.Elem().Name(), "Re"):]
			if last, ok := newest[name]; valid && (!ok || version <= last) {
				versions = append(versions, version)
			}
		}
		ops, some := limited[name]
		if some && ops == nil || versions == nil || strings.HasPrefix(of.Elem().Name(), "ConsumerMeta") {
			continue
		}
		types[name] = of
		if !some && slices.Contains(requests, of) {
			ops = append(slices.Clone(bodies), frames...)
		} else if !some {
			ops = bodies
		}
		if held := mapsIn(of, "", field{}, map[string]string{}); len(held) > 0 { // what is read loses the order that it is to be written in
			ops = slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return op == "roundtrip" })
			maps[name] = held
		}
		messages[name] = object{"versions": [][]int16{{versions[0], versions[len(versions)-1]}}, "ops": ops}
	}
	messages["ConsumerProtocolSubscription"] = object{"versions": [][]int16{{0, newestMember}}, "ops": bodies}
	messages["ConsumerProtocolAssignment"] = object{"versions": [][]int16{{0, newestMember}}, "ops": bodies[1:]}
	messages["RecordBatch"] = object{"versions": [][]int16{{2, 2}}, "ops": bodies}
	return object{"protocol": 1, "name": "sarama", "version": os.Args[1], "language": "go",
		"ops": append(slices.Clone(bodies), frames...), "messages": messages,
		"definitions": "3.9.2", "unknownTags": "dropped", "maps": maps, "window": 64}
}

// mapsIn are the arrays that a message holds as maps, by their paths, each with the name of its key.
func mapsIn(t reflect.Type, path string, of field, found map[string]string) map[string]string {
	switch t.Kind() {
	case reflect.Map:
		found[path] = of.key
		inner := field{}
		if of.entry != nil {
			inner = *of.entry
			path += "." + inner.name
		}
		mapsIn(t.Elem(), path, inner, found)
	case reflect.Pointer, reflect.Slice:
		if t != reflect.TypeFor[*sarama.Broker]() && t != reflect.TypeFor[*sarama.Records]() {
			mapsIn(t.Elem(), path, of, found)
		}
	case reflect.Struct:
		for _, each := range fields(reflect.New(t).Elem(), anyVersion) {
			mapsIn(each.value.Type(), strings.Trim(path+"."+each.name, "."), each, found)
		}
	}
	return found
}
