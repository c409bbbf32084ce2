// franz-go's kbin as a testee: the types of the protocol, each by its reader and its writer.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/twmb/franz-go/pkg/kbin"
)

const window = 64

var ops = []string{"roundtrip", "decode", "encode"}

type request struct {
	Op      string                     `json:"op"`
	ID      any                        `json:"id"`
	Version int                        `json:"version"`
	Bytes   string                     `json:"bytes"`
	Value   map[string]json.RawMessage `json:"value"`
}

type answer map[string]any

func main() {
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

func hello() answer {
	versions := [][]int{}
	for version := range kinds {
		versions = append(versions, []int{version, version})
	}
	messages := answer{"Primitives": answer{"versions": versions, "ops": ops}}
	return answer{
		"protocol": 1, "name": "kbin", "version": os.Args[1], "language": "go", "messages": messages,
		"ops": ops, "definitions": "4.4.0", "window": window,
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
	of := kinds[asked.Version]
	var item any
	source := kbin.Reader{}
	switch asked.Op {
	case "encode":
		value, err := of.parse(asked.Value[of.name])
		if err != nil {
			return nil, err
		}
		item = value
	case "decode", "roundtrip":
		data, err := hex.DecodeString(asked.Bytes)
		if err != nil {
			return nil, err
		}
		source.Src = data
		item = of.read(&source)
		if err := source.Complete(); err != nil {
			return nil, err
		}
	default:
		return nil, unsupported("no " + asked.Op)
	}
	if asked.Op == "decode" {
		return answer{"value": answer{of.name: item}, "remaining": len(source.Src)}, nil
	}
	return answer{"bytes": hex.EncodeToString(of.write(item))}, nil
}
