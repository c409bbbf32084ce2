// What sarama holds as Go maps, as arrays in the order in which they were read. To be written, a map has
// no order, so that of two elements or more is unsupported. A map that is nil is null where the table has "a?{b}".
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

const (
	smallMap = 6
	ways     = 400
)

// reading is what is read, in which the keys of large maps are sought from a place on.
var reading struct {
	data []byte
	at   int
}

// keysOf are a map's keys, as they follow each other in what was read. Go goes through a small map in the order
// in which it was filled, from a start by chance, so that most ways of many begin with the first.
func keysOf(v reflect.Value) []reflect.Value {
	if v.Len() < 2 {
		return v.MapKeys()
	} else if v.Len() <= smallMap {
		return usual(v.MapKeys)
	}
	keys, places := v.MapKeys(), map[any]int{}
	for _, key := range keys {
		places[key.Interface()] = place(key, keys)
	}
	slices.SortFunc(keys, func(a, b reflect.Value) int { return places[a.Interface()] - places[b.Interface()] })
	return keys
}

func usual(way func() []reflect.Value) (found []reflect.Value) {
	seen, most := map[string]int{}, 0
	for range ways {
		keys := way()
		name := ""
		for _, key := range keys {
			name += fmt.Sprintf("%v\x00", key.Interface())
		}
		if seen[name]++; seen[name] > most {
			found, most = keys, seen[name]
		}
	}
	return found
}

// place is where a key stands in what is left, in the one of its forms in which all are there.
func place(key reflect.Value, all []reflect.Value) (at int) {
	left := reading.data[min(reading.at, len(reading.data)):]
	for _, form := range []func(reflect.Value) []byte{plain, compact} {
		there := func(key reflect.Value) bool { return bytes.Contains(left, form(key)) }
		if !slices.ContainsFunc(all, func(key reflect.Value) bool { return !there(key) }) {
			return reading.at + bytes.Index(left, form(key))
		}
	}
	return reading.at
}

func plain(key reflect.Value) []byte {
	if key.Kind() != reflect.String {
		return binary.BigEndian.AppendUint32(nil, uint32(key.Int()))
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(key.Len())), key.String()...)
}

func compact(key reflect.Value) []byte {
	if key.Kind() != reflect.String {
		return plain(key)
	}
	return append(binary.AppendUvarint(nil, uint64(key.Len()+1)), key.String()...)
}

// mapToJSON makes an object of each entry: its key has a name, and its value has one, or is a struct
// whose fields stand beside the key.
func mapToJSON(v reflect.Value, of field, version int) any {
	if v.IsNil() && of.nullable {
		return nil
	}
	list := make([]any, 0, v.Len())
	for _, key := range keysOf(v) {
		if v.Len() > smallMap {
			reading.at = place(key, []reflect.Value{key})
		}
		entry := object{of.key: toJSON(key, field{}, version)}
		value := addressable(v.MapIndex(key))
		if of.entry != nil {
			entry[of.entry.name] = toJSON(value, *of.entry, version)
		} else if inner, ok := toJSON(value, field{}, version).(object); ok {
			for name, item := range inner {
				entry[name] = item
			}
		}
		list = append(list, entry)
	}
	return list
}

func mapFromJSON(v reflect.Value, of field, given []any) (err error) {
	v.Set(reflect.MakeMap(v.Type()))
	for _, each := range given {
		entry := each.(object)
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		err = errors.Join(err, fromJSON(key, field{}, entry[of.key]))
		if of.entry != nil {
			err = errors.Join(err, fromJSON(value, *of.entry, entry[of.entry.name]))
		} else {
			inner := object{}
			for name, item := range entry {
				if name != of.key {
					inner[name] = item
				}
			}
			err = errors.Join(err, fromJSON(value, field{}, inner))
		}
		v.SetMapIndex(key, value)
	}
	if len(given) > 1 {
		return fmt.Errorf("%w: an order in a Go map", errUnheld)
	}
	return err
}

func addressable(v reflect.Value) reflect.Value {
	place := reflect.New(v.Type()).Elem()
	place.Set(v)
	return place
}
