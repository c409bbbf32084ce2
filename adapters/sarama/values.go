// Values in their JSON form: names are the fields' own with a small first letter, and the table has
// those that Kafka's definitions call otherwise. "a/b" are objects of one field b, held bare here;
// "" is a struct whose fields Kafka has beside it, and "a@2-4" stands in those versions alone. "a{b}" is
// a map: objects whose b is the key, and whose c is the value in "a{b c}" (see maps.go). A nil
// slice is an empty array, but for "a?", which the library writes as null where it is empty.
package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/IBM/sarama"
)

var (
	errNoField = errors.New("the struct has no such field")
	errUnheld  = errors.New("the type can't hold it")
)

type object = map[string]any

type field struct {
	name, element string
	nullable      bool
	key           string // of a map
	entry         *field // of a map whose values are no structs
	value         reflect.Value
}

// anyVersion is for writing: the structs have room for the fields of all versions at once.
const anyVersion = -1

// fields lists those of a struct that a version has, each under its name in Kafka's definitions.
func fields(v reflect.Value, version int) (found []field) {
	for i := range v.NumField() {
		own := v.Type().Field(i)
		name, ok := renamed[v.Type().Name()+"."+own.Name]
		if !ok {
			name, ok = renamed[own.Name]
		}
		if !ok && !own.Anonymous {
			name = words.Replace(own.Name)
			name = strings.ToLower(name[:1]) + name[1:]
		}
		if version == anyVersion {
			name = name[strings.LastIndex(name, "|")+1:]
		}
		for each := range strings.SplitSeq(name, "|") {
			low, high := 0, math.MaxInt16
			each, versions, _ := strings.Cut(each, "@")
			fmt.Sscanf(versions, "%d-%d", &low, &high)
			if each != "-" && (version == anyVersion || low <= version && version <= high) {
				of := parsed(each)
				of.value = reflect.NewAt(own.Type, unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
				found = append(found, of)
			}
		}
	}
	return found
}

// parsed is what a name in the table says: "a/b?", or "a{b}" and "a{b c}" of maps.
func parsed(name string) (of field) {
	name, inside, isMap := strings.Cut(name, "{")
	name, element, _ := strings.Cut(name, "/")
	element, nullable := strings.CutSuffix(element, "?")
	name, alone := strings.CutSuffix(name, "?")
	of = field{name: name, element: element, nullable: nullable || alone}
	if isMap {
		key, value, named := strings.Cut(strings.TrimSuffix(inside, "}"), " ")
		of.key = key
		if named {
			entry := parsed(value)
			of.entry = &entry
		}
	}
	return of
}

func toJSON(v reflect.Value, of field, version int) any {
	switch held := v.Interface().(type) {
	case time.Duration:
		return held.Milliseconds()
	case *sarama.Broker:
		if held == nil {
			held = sarama.NoNode // what the library writes for it
		}
		id, address, rack := sarama.BrokerFields(held)
		host, port, _ := net.SplitHostPort(*address)
		number, _ := strconv.Atoi(port)
		return object{"nodeId": *id, "host": host, "port": number, "rack": *rack}
	case []byte:
		if held == nil {
			return nil
		}
		return base64.StdEncoding.EncodeToString(held)
	}
	switch v.Kind() {
	case reflect.Bool, reflect.String:
		return v.Interface()
	case reflect.Array: // a UUID
		return base64.RawURLEncoding.EncodeToString(v.Slice(0, v.Len()).Bytes())
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return toJSON(v.Elem(), field{}, version)
	case reflect.Struct:
		said := object{}
		for _, each := range fields(v, version) {
			item := toJSON(each.value, each, version)
			if inner, ok := item.(object); ok && each.name == "" {
				for name, value := range inner {
					said[besides(v, name)] = value
				}
				delete(said, "-")
			} else if each.name != "" {
				said[each.name] = item
			}
		}
		return said
	case reflect.Map:
		return mapToJSON(v, of, version)
	case reflect.Slice:
		if v.Len() == 0 && of.nullable {
			return nil
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = toJSON(v.Index(i), field{}, version)
			if of.element != "" {
				list[i] = object{of.element: list[i]}
			}
		}
		return list
	}
	return v.Int()
}
