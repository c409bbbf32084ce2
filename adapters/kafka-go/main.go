// kafka-go: structs with versions in their tags, read and written by reflection.
//
// Whole frames go through the package's public functions, which skip what is left of a frame;
// bodies through the functions behind those (export/export.go). The package's strings have no
// null: where a tag says "nullable" it writes an empty one as null, and null is what it is here.
// A slice is null where it is nil. Unknown tagged fields are dropped.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/segmentio/kafka-go/protocol"
)

type request struct {
	Op, Message, Bytes string
	ID                 json.RawMessage
	Version            int16
	Header             struct {
		CorrelationID int32
		ClientID      string
	}
	Value any
}

type answer map[string]any

func frame(data []byte) *bufio.Reader {
	sized := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	return bufio.NewReader(bytes.NewReader(append(sized, data...)))
}

func (r *request) reads(data []byte) (answer, error) {
	known := kinds[r.Message]
	switch r.Op {
	case "decode":
		msg, left, err := protocol.DecodeBody(known.key, known.response, r.Version, data)
		if err != nil {
			return nil, err
		}
		return answer{"value": toJSON(msg, r.Version), "remaining": left}, nil
	case "decode-request":
		version, id, client, msg, err := protocol.ReadRequest(frame(data))
		if err != nil {
			return nil, err
		}
		header := answer{"requestApiKey": msg.ApiKey(), "requestApiVersion": version,
			"correlationId": id, "clientId": client}
		value := toJSON(msg, version)
		return answer{"header": header, "value": value, "remaining": nil}, nil
	case "decode-response":
		id, msg, err := protocol.ReadResponse(frame(data), known.key, r.Version)
		if err != nil {
			return nil, err
		}
		value := toJSON(msg, r.Version)
		return answer{"header": answer{"correlationId": id}, "value": value, "remaining": nil}, nil
	case "roundtrip":
		msg, _, err := protocol.DecodeBody(known.key, known.response, r.Version, data)
		if err != nil {
			return answer{"stage": "decode"}, err
		}
		out, err := protocol.EncodeBody(known.response, r.Version, msg)
		return answer{"bytes": hex.EncodeToString(out), "stage": "encode"}, err
	}
	return nil, errUnknownOp
}

func (r *request) writes() (answer, error) {
	known := kinds[r.Message]
	types, _ := protocol.Registered(known.key, known.response)
	msg := types[0] // all versions have one struct
	if err := fromJSON(reflect.ValueOf(msg).Elem(), field{}, r.Value, r.Version); err != nil {
		return nil, err
	}
	if r.Op == "encode" {
		out, err := protocol.EncodeBody(known.response, r.Version, msg)
		return answer{"bytes": hex.EncodeToString(out)}, err
	}
	var out bytes.Buffer
	var err error
	if r.Op == "encode-request" {
		err = protocol.WriteRequest(&out, r.Version, r.Header.CorrelationID, r.Header.ClientID, msg)
	} else {
		err = protocol.WriteResponse(&out, r.Version, r.Header.CorrelationID, msg)
	}
	return answer{"bytes": hex.EncodeToString(out.Bytes()[min(4, out.Len()):])}, err
}

func (r *request) answered() (said answer) {
	defer func() {
		if cause := recover(); cause != nil {
			said = answer{"crashed": fmt.Sprint(cause)}
		}
		said["id"] = r.ID
	}()
	data, err := hex.DecodeString(r.Bytes)
	if r.Message == recordsField && err == nil {
		said, err = r.records(data)
	} else if err == nil && strings.HasPrefix(r.Op, "encode") {
		said, err = r.writes()
	} else if err == nil {
		said, err = r.reads(data)
	}
	if errors.Is(err, errUnknownOp) || errors.Is(err, errNoField) || errors.Is(err, errUnheld) {
		return answer{"unsupported": err.Error()}
	} else if err != nil {
		refused := answer{"rejected": err.Error(), "error": fmt.Sprintf("%T", err)}
		if stage, ok := said["stage"]; ok {
			refused["stage"] = stage
		}
		return refused
	}
	return said
}

func main() {
	for lines := bufio.NewReader(os.Stdin); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		read := json.NewDecoder(bytes.NewReader(line))
		read.UseNumber()
		if err := read.Decode(&r); err != nil {
			panic(err)
		}
		said := hello()
		if r.Op != "hello" {
			said = r.answered()
		}
		text, err := json.Marshal(said)
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(append(text, '\n'))
		release()
	}
}
