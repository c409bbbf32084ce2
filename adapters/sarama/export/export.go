// Package sarama, this file added to it: its codec, which it keeps to itself.
package sarama

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"unsafe"
)

// Body is a request or a response.
type Body interface{ protocolBody }

// Bodies lists the types of requests and responses, as the methods of Broker take and give them.
func Bodies() (requests, responses []reflect.Type) {
	body, broker := reflect.TypeOf((*Body)(nil)).Elem(), reflect.TypeOf(&Broker{})
	requests = []reflect.Type{reflect.TypeOf(&SaslHandshakeRequest{}), reflect.TypeOf(&SaslAuthenticateRequest{})}
	responses = []reflect.Type{reflect.TypeOf(&SaslHandshakeResponse{}), reflect.TypeOf(&SaslAuthenticateResponse{})}
	for i := 0; i < broker.NumMethod(); i++ {
		call := broker.Method(i).Type
		if call.NumIn() == 2 && call.NumOut() == 2 && call.In(1).Implements(body) && call.Out(0).Implements(body) {
			requests, responses = append(requests, call.In(1)), append(responses, call.Out(0))
		}
	}
	return requests, responses
}

// NewBody is an empty body of a version, its key, and whether the library has that version. Releases
// that do not say have those, for which they know the Kafka that is needed.
func NewBody(of reflect.Type, version int16) (Body, int16, bool) {
	body := reflect.New(of.Elem()).Interface().(Body)
	setVersion(body, version)
	if own, says := body.(interface{ isValidVersion() bool }); says {
		return body, body.key(), own.isValidVersion()
	}
	none := reflect.New(of.Elem()).Interface().(Body)
	setVersion(none, math.MaxInt16)
	return body, body.key(), version == 0 || body.version() == version && body.requiredVersion() != none.requiredVersion()
}

func setVersion(body Body, version int16) {
	if own, has := body.(interface{ setVersion(int16) }); has {
		own.setVersion(version)
	} else if field := versionField(body); field.IsValid() {
		*(*int16)(unsafe.Pointer(field.UnsafeAddr())) = version
	}
}

func versionField(body Body) reflect.Value {
	return reflect.ValueOf(body).Elem().FieldByNameFunc(func(name string) bool {
		return strings.EqualFold(name, "version")
	})
}

// DecodeBody reads a body as a Broker does behind a header: all bytes have to be read.
func DecodeBody(body Body, version int16, data []byte) error {
	return called(reflect.ValueOf(versionedDecode), data, body, version)
}

// called calls a function that later releases gave a registry of metrics as well.
func called(function reflect.Value, given ...interface{}) error {
	in := make([]reflect.Value, function.Type().NumIn())
	for i := range in {
		in[i] = reflect.Zero(function.Type().In(i))
		if i < len(given) {
			in[i] = reflect.ValueOf(given[i])
		}
	}
	err, _ := function.Call(in)[0].Interface().(error)
	return err
}

// EncodeBody writes a body.
func EncodeBody(body Body) ([]byte, error) { return encode(body, nil) }

// Member is what members of a group tell each other: it begins with its version.
type Member interface {
	encoder
	decoder
}

// NewMember is an empty one of a version, none where that is no member's.
func NewMember(name string, version int16) Member {
	switch name {
	case "ConsumerProtocolSubscription":
		return &ConsumerGroupMemberMetadata{Version: version}
	case "ConsumerProtocolAssignment":
		return &ConsumerGroupMemberAssignment{Version: version}
	}
	return nil
}

// DecodeMember reads all of it.
func DecodeMember(member Member, data []byte) error {
	return called(reflect.ValueOf(decode), data, member)
}

// EncodeMember writes it.
func EncodeMember(member Member) ([]byte, error) { return encode(member, nil) }

// DecodeRequest reads a request with its length and header.
func DecodeRequest(data []byte) (body Body, correlationID int32, clientID string, err error) {
	r, _, err := decodeRequest(bytes.NewReader(data))
	if err != nil {
		return nil, 0, "", err
	}
	return r.body, r.correlationID, r.clientID, nil
}

// EncodeRequest writes a request with its length and header.
func EncodeRequest(body Body, correlationID int32, clientID string) ([]byte, error) {
	return encode(&request{correlationID: correlationID, clientID: clientID, body: body}, nil)
}

// KeyOf is a body's API key and version.
func KeyOf(body Body) (key, version int16) { return body.key(), body.version() }

// DecodeBatch reads a batch of records and counts the bytes behind it.
func DecodeBatch(data []byte) (*RecordBatch, int, error) {
	batch, reader := &RecordBatch{}, &realDecoder{raw: data}
	err := batch.decode(reader)
	return batch, reader.remaining(), err
}

// EncodeBatch writes a batch of records.
func EncodeBatch(batch *RecordBatch) ([]byte, error) { return encode(batch, nil) }

// BrokerFields are those of a broker in a response.
func BrokerFields(b *Broker) (id *int32, address *string, rack **string) {
	return &b.id, &b.addr, &b.rack
}
