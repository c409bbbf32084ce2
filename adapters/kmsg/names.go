// kmsg's names of fields are Go's, and many are its own: a rule makes most of the definitions' names
// of them, and names.json has the rest: for a struct, by its path in a message, the name of a field,
// "null" where a nil slice is null and not empty, and the versions that have it where it would
// otherwise show what the others lack.
package main

import (
	_ "embed"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

//go:embed names.json
var exceptions []byte

var (
	names   = parsed()
	structs = map[string][]field{}
	rule    = strings.NewReplacer(
		"ACL", "Acl", "ELR", "Elr", "HMAC", "Hmac", "ID", "Id", "ISR", "Isr",
		"SASL", "Sasl", "SCRAM", "Scram", "ThrottleMillis", "ThrottleTimeMs", "Millis", "Ms",
	)
)

type field struct {
	index     int
	name      string
	null      bool
	low, high int16
}

func parsed() (found map[string]map[string]string) {
	if err := json.Unmarshal(exceptions, &found); err != nil {
		panic(err)
	}
	return found
}

func messageName(item any) string {
	name := reflect.TypeOf(item).Elem().Name()
	if other := names[""][name]; other != "" {
		return other
	}
	return rule.Replace(name)
}

// fields are those of the struct at a path, such as FetchRequest.topics.partitions.
func fields(path string, of reflect.Type) []field {
	if known := structs[path]; known != nil {
		return known
	}
	found := []field{}
	for i := range of.NumField() {
		own := of.Field(i).Name
		if own == "UnknownTags" || own == "Version" && !strings.Contains(path, ".") {
			continue
		}
		name := rule.Replace(own)
		about := []string{strings.ToLower(name[:1]) + name[1:]}
		if other := names[path][own]; other != "" {
			about = strings.Fields(other)
		}
		item := field{index: i, name: about[0], high: math.MaxInt16}
		for _, word := range about[1:] {
			low, high, _ := strings.Cut(word, "-")
			if word == "null" {
				item.null = true
			} else if first, err := strconv.Atoi(low); err == nil {
				item.low = int16(first)
			}
			if last, err := strconv.Atoi(high); err == nil {
				item.high = int16(last)
			}
		}
		found = append(found, item)
	}
	structs[path] = found
	return found
}
