// Package sarama, this file added to it: its codec, which it keeps to itself.
package sarama

import (
	"bytes"
	"reflect"
)

// Body is a request or a response.
type Body interface{ protocolBody }

// Bodies lists the types of requests and responses, as the methods of Broker take and give them.
func Bodies() (requests, responses []reflect.Type) {
	body, broker := reflect.TypeFor[Body](), reflect.TypeFor[*Broker]()
	requests = []reflect.Type{reflect.TypeFor[*SaslHandshakeRequest](), reflect.TypeFor[*SaslAuthenticateRequest]()}
	responses = []reflect.Type{reflect.TypeFor[*SaslHandshakeResponse](), reflect.TypeFor[*SaslAuthenticateResponse]()}
	for i := range broker.NumMethod() {
		call := broker.Method(i).Type
		if call.NumIn() == 2 && call.NumOut() == 2 && call.In(1).Implements(body) && call.Out(0).Implements(body) {
			requests, responses = append(requests, call.In(1)), append(responses, call.Out(0))
		}
	}
	return requests, responses
}

// NewBody is an empty body of a version, its key, and whether the library has that version.
func NewBody(of reflect.Type, version int16) (Body, int16, bool) {
	body := reflect.New(of.Elem()).Interface().(Body)
	body.setVersion(version)
	return body, body.key(), body.isValidVersion()
}

// DecodeBody reads a body as a Broker does behind a header: all bytes have to be read.
func DecodeBody(body Body, version int16, data []byte) error {
	return versionedDecode(data, body, version, nil)
}

// EncodeBody writes a body.
func EncodeBody(body Body) ([]byte, error) { return encode(body, nil) }

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
