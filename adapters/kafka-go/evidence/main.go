// What kafka-go gets wrong, shown by calling it: each line of cases.jsonl is done again, and has to
// end as it did. A value to be written is told by the names of the package's own fields ("set").
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	_ "driver/messages"

	"github.com/segmentio/kafka-go/protocol"
)

//go:embed cases.jsonl
var cases string

type example struct {
	Rule    string          `json:"rule"`
	Call    string          `json:"call"`
	Op      string          `json:"op"`
	Message string          `json:"message"`
	Version int16           `json:"version"`
	Header  json.RawMessage `json:"header,omitempty"`
	Bytes   string          `json:"bytes,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Set     json.RawMessage `json:"set,omitempty"`
	Got     string          `json:"got"`
}

func (e example) kind() (protocol.ApiKey, bool) {
	for key := protocol.Produce; key <= protocol.AlterUserScramCredentials; key++ {
		if rest, ok := strings.CutPrefix(e.Message, key.String()); ok && (rest == "Request" || rest == "Response") {
			return key, rest == "Response"
		}
	}
	panic(e.Message)
}

func (e example) done() (string, error) {
	data, err := hex.DecodeString(e.Bytes)
	if err != nil {
		return "", err
	}
	sized := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
	frame := bufio.NewReader(bytes.NewReader(sized))
	if e.Message == "Records" {
		return records(frame, e.Version)
	}
	key, response := e.kind()
	var header struct {
		CorrelationID int32
		ClientID      string
	}
	json.Unmarshal(e.Header, &header)
	var out bytes.Buffer
	switch e.Op {
	case "decode":
		msg, left, err := protocol.DecodeBody(key, response, e.Version, data)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s, %d bytes left", shown(msg), left), nil
	case "roundtrip":
		msg, _, err := protocol.DecodeBody(key, response, e.Version, data)
		if err != nil {
			return "", err
		}
		again, err := protocol.EncodeBody(response, e.Version, msg)
		return hex.EncodeToString(again), err
	case "decode-request":
		_, id, client, msg, err := protocol.ReadRequest(frame)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("correlation id %d, client id %q, %s", id, client, shown(msg)), nil
	case "decode-response":
		id, msg, err := protocol.ReadResponse(frame, key, e.Version)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("correlation id %d, %s", id, shown(msg)), nil
	}
	types, _ := protocol.Registered(key, response)
	msg := reflect.New(reflect.TypeOf(types[0]).Elem()).Interface().(protocol.Message)
	if err := json.Unmarshal(e.Set, msg); err != nil {
		return "", err
	}
	switch e.Op {
	case "encode-request":
		err = protocol.WriteRequest(&out, e.Version, header.CorrelationID, header.ClientID, msg)
	case "encode-response":
		err = protocol.WriteResponse(&out, e.Version, header.CorrelationID, msg)
	case "encode":
		written, err := protocol.EncodeBody(response, e.Version, msg)
		return hex.EncodeToString(written), err
	}
	return hex.EncodeToString(out.Bytes()[min(4, out.Len()):]), err
}

func records(frame *bufio.Reader, version int16) (string, error) {
	var set protocol.RecordSet
	if _, err := set.ReadFrom(frame); err != nil {
		return "", err
	}
	list := []string{}
	for {
		record, err := set.Records.ReadRecord()
		if err == io.EOF {
			return strings.Join(list, ", "), nil
		} else if err != nil {
			return "", err
		}
		told := fmt.Sprintf("offset %d", record.Offset)
		if version > 0 {
			told += fmt.Sprintf(" at %d", record.Time.UnixMilli())
		}
		list = append(list, told)
	}
}

func shown(msg protocol.Message) string {
	text, _ := json.Marshal(msg)
	return string(text)
}

func main() {
	status := 0
	for line := range strings.Lines(cases) {
		var e example
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			panic(err)
		}
		got, err := e.done()
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != e.Got {
			fmt.Fprintf(os.Stderr, "%s: not any more, but %s\n", e.Rule, got)
			status = 1
		}
		e.Got, e.Set = got, nil
		text, _ := json.Marshal(e)
		fmt.Println(string(text))
	}
	os.Exit(status)
}
