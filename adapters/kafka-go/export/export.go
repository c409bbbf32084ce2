// Package protocol, this file added to it: its codec of bodies, which it keeps to itself.
package protocol

import (
	"bytes"
	"io"
)

// Keys is how many there are.
func Keys() ApiKey { return ApiKey(len(apiTypes)) }

// Registered lists the requests, or the responses, that imported packages brought, by version.
func Registered(key ApiKey, responses bool) (types []Message, versions []int16) {
	for _, each := range typesOfKey(key, responses) {
		types, versions = append(types, each.new()), append(versions, each.version)
	}
	return types, versions
}

// DecodeBody reads what ReadRequest and ReadResponse read behind a header, and counts the rest.
func DecodeBody(key ApiKey, responses bool, version int16, data []byte) (Message, int, error) {
	each, err := ofVersion(key, responses, version)
	if err != nil {
		return nil, 0, err
	}
	d, msg := &decoder{reader: bytes.NewReader(data), remain: len(data)}, each.new()
	each.decode(d, valueOf(msg))
	return msg, d.remain, dontExpectEOF(d.err)
}

// EncodeBody writes what WriteRequest and WriteResponse write behind a header.
func EncodeBody(responses bool, version int16, msg Message) ([]byte, error) {
	each, err := ofVersion(msg.ApiKey(), responses, version)
	if err != nil {
		return nil, err
	}
	b := newPageBuffer()
	defer b.unref()
	e := &encoder{writer: b}
	each.encode(e, valueOf(msg))
	var out bytes.Buffer
	b.WriteTo(&out)
	return out.Bytes(), e.err
}

func typesOfKey(key ApiKey, responses bool) []messageType {
	if responses {
		return apiTypes[key].responses
	}
	return apiTypes[key].requests
}

// ofVersion fails where WriteRequest and WriteResponse do.
func ofVersion(key ApiKey, responses bool, version int16) (*messageType, error) {
	types := typesOfKey(key, responses)
	if at := int(version) - int(types[0].version); at >= 0 && at < len(types) {
		return &types[at], nil
	}
	return nil, WriteRequest(io.Discard, version, 0, "", apiTypes[key].requests[0].new())
}
