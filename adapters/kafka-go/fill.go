// From the JSON form to the library's structs. What a Go type can't hold, such as null, is unsupported.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

func fromJSON(v reflect.Value, of field, value any, version int16) (err error) {
	switch given := value.(type) {
	case nil:
		if !of.nullable {
			return fmt.Errorf("%w: null in a Go %s", errUnheld, v.Type())
		}
	case map[string]any:
		known := map[string]bool{}
		for _, each := range fields(v.Type(), version, true) {
			known[each.name] = true
			if item, ok := given[each.name]; ok {
				err = errors.Join(err, fromJSON(v.Field(each.index), each, item, version))
			} else if each.name == "" {
				return fromJSON(v.Field(each.index), each, given, version)
			}
		}
		for name := range given {
			if !known[name] {
				return fmt.Errorf("%w: %s", errNoField, name)
			}
		}
	case []any:
		v.Set(reflect.MakeSlice(v.Type(), len(given), len(given)))
		for i, item := range given {
			if object, ok := item.(map[string]any); ok && of.element != "" {
				item = object[of.element]
			}
			err = errors.Join(err, fromJSON(v.Index(i), field{}, item, version))
		}
	case bool:
		v.SetBool(given)
	case json.Number:
		return number(v, given.String())
	case string:
		if v.Kind() == reflect.Slice {
			data, err := base64.StdEncoding.DecodeString(given)
			v.SetBytes(data)
			return err
		} else if v.Kind() != reflect.String {
			return number(v, given)
		}
		v.SetString(given)
	}
	return err
}

func number(v reflect.Value, text string) error {
	if v.Kind() == reflect.Float64 {
		f, err := strconv.ParseFloat(text, 64)
		if math.IsNaN(f) {
			f = math.Float64frombits(0x7ff8 << 48) // the one that Kafka writes, where Go's ends in 1
		}
		v.SetFloat(f)
		return err
	}
	n, err := strconv.ParseInt(text, 10, v.Type().Bits())
	if err != nil {
		return fmt.Errorf("%w: %w", errUnheld, err)
	}
	v.SetInt(n)
	return nil
}
