// What sarama gets wrong, shown by calling it: each line of cases.jsonl is done again, and has to
// end as it did. A value to be written is told by the names of the library's own fields ("set").
package main

import (
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/IBM/sarama"
)

//go:embed cases.jsonl
var cases string

type example struct {
	Rule    string          `json:"rule"`
	Call    string          `json:"call"`
	Op      string          `json:"op"`
	Message string          `json:"message"`
	Type    string          `json:"type,omitempty"`
	Version int16           `json:"version"`
	Header  json.RawMessage `json:"header,omitempty"`
	Bytes   string          `json:"bytes,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Set     json.RawMessage `json:"set,omitempty"`
	Got     string          `json:"got"`
}

func (e example) body() sarama.Body {
	requests, responses := sarama.Bodies()
	for _, of := range append(requests, responses...) {
		if of.Elem().Name() == e.Type {
			body, _, _ := sarama.NewBody(of, e.Version)
			return body
		}
	}
	panic(e.Type)
}

func (e example) done() (string, error) {
	data, err := hex.DecodeString(e.Bytes)
	if err != nil {
		return "", err
	}
	switch {
	case e.Op == "decode-request":
		sized := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
		body, id, client, err := sarama.DecodeRequest(sized)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("correlation id %d, client id %q, %s", id, client, shown(body)), nil
	case e.Message == "RecordBatch":
		batch, _, err := sarama.DecodeBatch(data)
		if err != nil || e.Op == "decode" {
			return shown(batch), err
		}
		again, err := sarama.EncodeBatch(batch)
		return hex.EncodeToString(again), err
	case e.Op == "decode" || e.Op == "roundtrip":
		body := e.body()
		if err := sarama.DecodeBody(body, e.Version, data); err != nil || e.Op == "decode" {
			return shown(body), err
		}
		again, err := sarama.EncodeBody(body)
		return hex.EncodeToString(again), err
	}
	body := e.body()
	if err := json.Unmarshal(e.Set, body); err != nil {
		return "", err
	}
	reflect.ValueOf(body).Elem().FieldByName("Version").SetInt(int64(e.Version))
	if e.Op == "encode" {
		out, err := sarama.EncodeBody(body)
		return hex.EncodeToString(out), err
	}
	var header struct {
		CorrelationID int32
		ClientID      string
	}
	json.Unmarshal(e.Header, &header)
	out, err := sarama.EncodeRequest(body, header.CorrelationID, header.ClientID)
	return hex.EncodeToString(out[min(4, len(out)):]), err
}

func shown(body any) string {
	text, _ := json.Marshal(body)
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
		e.Got, e.Set, e.Type = got, nil, ""
		text, _ := json.Marshal(e)
		fmt.Println(string(text))
	}
	os.Exit(status)
}
