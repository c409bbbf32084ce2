// What sarama holds as Go maps, as arrays by ascending keys. To be written, a map has no order, so that of
// two elements or more is unsupported. A map that is nil is null where the table has "a?{b}".
package main

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// keysOf are a map's keys, ascending.
func keysOf(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		if a.Kind() == reflect.String {
			return strings.Compare(a.String(), b.String())
		}
		return cmp.Compare(a.Int(), b.Int())
	})
	return keys
}

// mapToJSON makes an object of each entry: its key has a name, and its value has one, or is a struct
// whose fields stand beside the key.
func mapToJSON(v reflect.Value, of field, version int) any {
	if v.IsNil() && of.nullable {
		return nil
	}
	list := make([]any, 0, v.Len())
	for _, key := range keysOf(v) {
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
