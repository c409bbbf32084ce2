// franz-go's kmsg as a testee: requests and responses by their keys, through kmsg's own AppendTo,
// ReadFrom and RequestFormatter. It has no reader of headers and no writer of those of responses.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// message is what requests and responses of kmsg have in common.
type message interface {
	MaxVersion() int16
	SetVersion(int16)
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
}

// wrapped is a message that has kmsg's struct in it, and a field that the struct has not.
type wrapped interface {
	fields() reflect.Value
	read(value any) any
	toWrite(value any)
}

type request struct {
	Op      string `json:"op"`
	ID      any    `json:"id"`
	Message string `json:"message"`
	Version int16  `json:"version"`
	Bytes   string `json:"bytes"`
	Value   any    `json:"value"`
	Header  struct {
		CorrelationID int32   `json:"correlationId"`
		ClientID      *string `json:"clientId"`
	} `json:"header"`
}

type answer map[string]any

var makers = map[string]func() message{}

func main() {
	for key := int16(0); key <= kmsg.MaxKey; key++ {
		if kmsg.RequestForKey(key) != nil {
			name := messageName(kmsg.RequestForKey(key))
			makers[name] = func() message { return kmsg.RequestForKey(key) }
			name = messageName(kmsg.ResponseForKey(key))
			makers[name] = func() message { return kmsg.ResponseForKey(key) }
		}
	}
	lines := json.NewDecoder(bufio.NewReader(os.Stdin))
	lines.UseNumber()
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.More() {
		var asked request
		if err := lines.Decode(&asked); err != nil {
			panic(err)
		}
		if err := answers.Encode(answered(asked)); err != nil {
			panic(err)
		}
	}
}

func answered(asked request) (found answer) {
	if asked.Op == "hello" {
		return hello()
	}
	defer func() {
		if failure := recover(); failure != nil {
			found = answer{"crashed": fmt.Sprint(failure)}
		}
		found["id"] = asked.ID
	}()
	found, err := asked.performed()
	var lacking unsupported
	if errors.As(err, &lacking) {
		return answer{"unsupported": err.Error()}
	}
	if err != nil {
		return answer{"rejected": err.Error(), "error": fmt.Sprintf("%T", err), "stage": "decode"}
	}
	return found
}

func (asked request) performed() (answer, error) {
	if asked.Message == "RecordBatch" {
		return asked.batch()
	}
	make, known := makers[asked.Message]
	if !known {
		return nil, unsupported("no message " + asked.Message)
	}
	item := make()
	item.SetVersion(asked.Version)
	return asked.perform(item)
}

func (asked request) perform(item message) (answer, error) {
	value := reflect.ValueOf(item).Elem()
	outer, wraps := item.(wrapped)
	if wraps {
		value = outer.fields()
	}
	switch asked.Op {
	case "roundtrip", "decode":
		data, err := hex.DecodeString(asked.Bytes)
		if err == nil {
			err = item.ReadFrom(data)
		}
		if err != nil {
			return nil, err
		}
		if asked.Op == "decode" {
			read := toJSON(value, asked.Message, asked.Version, false)
			if wraps {
				read = outer.read(read)
			}
			return answer{"value": read, "remaining": nil}, nil
		}
		return answer{"bytes": hex.EncodeToString(item.AppendTo(nil))}, nil
	case "encode", "encode-request":
		if wraps {
			outer.toWrite(asked.Value)
		}
		if err := fromJSON(asked.Value, value, asked.Message, false); err != nil {
			return nil, err
		}
		item.SetVersion(asked.Version)
		if asked.Op == "encode" {
			return answer{"bytes": hex.EncodeToString(item.AppendTo(nil))}, nil
		}
		frame := asked.formatter().AppendRequest(nil, item.(kmsg.Request), asked.Header.CorrelationID)
		return answer{"bytes": hex.EncodeToString(frame[4:])}, nil // without its length
	}
	return nil, unsupported("no " + asked.Op)
}
