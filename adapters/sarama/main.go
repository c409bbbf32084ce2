// sarama: its own functions for requests and responses, made public by export/export.go.
//
// What is left out, and why, is told in hello.go. Whole requests have a header in the library, whole
// responses none: a Broker reads that by itself. Unknown tagged fields are dropped.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"

	"github.com/IBM/sarama"
)

type request struct {
	Op, Message, Bytes string
	ID                 json.RawMessage
	Version            int16
	Header             struct {
		CorrelationID int32
		ClientID      *string
	}
	Value any
}

func (r *request) answer() (object, error) {
	data, err := hex.DecodeString(r.Bytes)
	if err != nil {
		return nil, err
	} else if r.Message == "RecordBatch" {
		return r.batch(data)
	} else if member := sarama.NewMember(r.Message, r.Version); member != nil {
		return r.member(member, data)
	} else if r.Op == "decode-request" {
		sized := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
		body, id, client, err := sarama.DecodeRequest(sized)
		if err != nil {
			return nil, err
		}
		key, version := sarama.KeyOf(body)
		header := object{"requestApiKey": key, "requestApiVersion": version,
			"correlationId": id, "clientId": client}
		value := toJSON(reflect.ValueOf(body), field{}, int(version))
		return object{"header": header, "value": value, "remaining": 0}, nil
	}
	of, ok := types[r.Message]
	if !ok {
		return nil, errUnknownOp
	}
	body, _, _ := sarama.NewBody(of, r.Version)
	switch r.Op {
	case "decode":
		if err := sarama.DecodeBody(body, r.Version, data); err != nil {
			return nil, err
		}
		return object{"value": toJSON(reflect.ValueOf(body), field{}, int(r.Version)), "remaining": 0}, nil
	case "roundtrip":
		if err := sarama.DecodeBody(body, r.Version, data); err != nil {
			return object{"stage": "decode"}, err
		}
		out, err := sarama.EncodeBody(body)
		return object{"bytes": hex.EncodeToString(out), "stage": "encode"}, err
	case "encode", "encode-request":
		for _, name := range []string{"FinalizedFeaturesEpoch", "DurationFilter"} {
			if absent := reflect.ValueOf(body).Elem().FieldByName(name); absent.IsValid() {
				absent.SetInt(-1) // the library's word for it
			}
		}
		if err := fromJSON(reflect.ValueOf(body).Elem(), field{}, r.Value); err != nil {
			return nil, err
		}
		if r.Op == "encode" {
			out, err := sarama.EncodeBody(body)
			return object{"bytes": hex.EncodeToString(out)}, err
		}
		if r.Header.ClientID == nil {
			return nil, fmt.Errorf("%w: a null client id", errUnheld)
		}
		out, err := sarama.EncodeRequest(body, r.Header.CorrelationID, *r.Header.ClientID)
		return object{"bytes": hex.EncodeToString(out[min(4, len(out)):])}, err
	}
	return nil, errUnknownOp
}

func (r *request) answered() (said object) {
	defer func() {
		if cause := recover(); cause != nil {
			said = object{"crashed": fmt.Sprint(cause)}
		}
		said["id"] = r.ID
	}()
	said, err := r.answer()
	if errors.Is(err, errUnknownOp) || errors.Is(err, errNoField) || errors.Is(err, errUnheld) {
		return object{"unsupported": err.Error()}
	} else if err != nil {
		refused := object{"rejected": err.Error(), "error": fmt.Sprintf("%T", err)}
		maps.Copy(refused, object{"stage": said["stage"]})
		return refused
	}
	return said
}

func main() {
	hello()
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
	}
}
