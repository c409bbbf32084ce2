// Values in their JSON form: names are the structs' own with a small first letter, and the table
// has those that Kafka's definitions call otherwise. "a/b" are objects of one field b, which the
// struct holds bare; "" is a struct whose fields Kafka has beside it.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/segmentio/kafka-go/protocol"
)

var (
	errNoField = errors.New("the struct has no such field")
	errUnheld  = errors.New("the type can't hold it")
)

type field struct {
	name, element string
	index         int
	nullable      bool
}

// fields lists those of a struct that a version has, or all, each under its name in Kafka's
// definitions. A struct has room for the fields of all its versions at once.
func fields(t reflect.Type, version int16, all bool) (found []field) {
	for i := range t.NumField() {
		own := t.Field(i)
		name := words.Replace(own.Name)
		name = strings.ToLower(name[:1]) + name[1:]
		if other, ok := renamed[t.String()+"."+name]; ok {
			name = other
		}
		name, element, _ := strings.Cut(name, "/")
		tag := own.Tag.Get("kafka")
		each, here := field{name: name, element: element, index: i}, all
		for part := range strings.SplitSeq(tag, "|") {
			var low, high int16
			fmt.Sscanf(part, "min=v%d,max=v%d", &low, &high)
			if low <= version && version <= high {
				each.nullable, here = strings.Contains(part, "nullable"), true
				break
			}
		}
		if here && own.IsExported() && tag != "-" && tag != "" {
			found = append(found, each)
		}
	}
	return found
}

func toJSON(msg protocol.Message, version int16) any {
	return valueOut(reflect.ValueOf(msg).Elem(), field{}, version)
}

func valueOut(v reflect.Value, of field, version int16) any {
	switch v.Kind() {
	case reflect.Struct:
		object := answer{}
		for _, each := range fields(v.Type(), version, false) {
			item := valueOut(v.Field(each.index), each, version)
			if each.name != "" {
				object[each.name] = item
				continue
			}
			for name, inner := range item.(answer) {
				object[name] = inner
			}
		}
		return object
	case reflect.Slice:
		if v.IsNil() {
			return nil
		} else if v.Type().Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString(v.Bytes())
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = valueOut(v.Index(i), field{}, version)
			if of.element != "" {
				list[i] = answer{of.element: list[i]}
			}
		}
		return list
	case reflect.String:
		if of.nullable && v.String() == "" {
			return nil
		}
	case reflect.Float64:
		if f := v.Float(); f == 0 && math.Signbit(f) {
			return json.RawMessage("-0.0")
		} else if math.IsNaN(f) {
			return "NaN"
		} else if math.IsInf(f, 0) {
			return map[bool]string{true: "Infinity", false: "-Infinity"}[f > 0]
		}
	}
	return v.Interface()
}
