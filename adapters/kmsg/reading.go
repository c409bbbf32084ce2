package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

const quietNaN = 0x7ff8000000000000

type defaulter interface{ Default() }

// fromJSON sets what kmsg's constructors made of a struct to a value. What Go's type of a field
// can not hold is unsupported: null for a string, or for a slice whose nil is empty and no null.
func fromJSON(from any, v reflect.Value, path string, null bool) error {
	switch v.Kind() {
	case reflect.Struct:
		return setStruct(from, v, path)
	case reflect.Pointer:
		if from == nil {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return fromJSON(from, v.Elem(), path, false)
	case reflect.Slice:
		return setSlice(from, v, path, null)
	}
	return setPlain(from, v)
}

func setStruct(from any, v reflect.Value, path string) error {
	given, fits := from.(map[string]any)
	if !fits {
		return misfit(from, v)
	}
	if item, has := v.Addr().Interface().(defaulter); has {
		item.Default()
	}
	if tags, _ := given[unknownTags].([]any); len(tags) > 0 {
		if err := setTags(tags, v); err != nil {
			return err
		}
	}
	left := len(given)
	if _, has := given[unknownTags]; has {
		left--
	}
	for _, item := range fields(path, v.Type()) {
		value, has := given[item.name]
		if !has {
			continue
		}
		left--
		if err := fromJSON(value, v.Field(item.index), path+"."+item.name, item.null); err != nil {
			return err
		}
	}
	if left > 0 {
		return unsupported(fmt.Sprintf("%s lacks %d of the fields of %v", v.Type(), left, given))
	}
	return nil
}

func setSlice(from any, v reflect.Value, path string, null bool) error {
	switch given := from.(type) {
	case nil:
		if !null {
			return misfit(from, v)
		}
		v.SetZero()
		return nil
	case string:
		data, err := base64.StdEncoding.DecodeString(given)
		if err != nil || v.Type().Elem().Kind() != reflect.Uint8 {
			return misfit(from, v)
		}
		v.SetBytes(data)
		return nil
	case []any:
		v.Set(reflect.MakeSlice(v.Type(), len(given), len(given)))
		for i := range given {
			if err := fromJSON(given[i], v.Index(i), path, false); err != nil {
				return err
			}
		}
		return nil
	}
	return misfit(from, v)
}

func setPlain(from any, v reflect.Value) error {
	switch given := from.(type) {
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(given)
			return nil
		}
	case string:
		return setText(given, v)
	case json.Number:
		if whole, err := strconv.ParseInt(given.String(), 10, 64); err == nil {
			if v.CanInt() && !v.OverflowInt(whole) {
				v.SetInt(whole)
				return nil
			}
			if v.CanUint() && whole >= 0 && !v.OverflowUint(uint64(whole)) {
				v.SetUint(uint64(whole))
				return nil
			}
		}
		return setText(given.String(), v)
	}
	return misfit(from, v)
}

func setText(given string, v reflect.Value) error {
	if number, err := strconv.ParseFloat(given, 64); err == nil && v.CanFloat() {
		v.SetFloat(number)
		if math.IsNaN(number) { // Go's own has a bit more than "NaN" stands for
			v.SetFloat(math.Float64frombits(quietNaN))
		}
		return nil
	}
	if uuid, err := base64.RawURLEncoding.DecodeString(given); err == nil && v.Kind() == reflect.Array && len(uuid) == v.Len() {
		reflect.Copy(v, reflect.ValueOf(uuid))
		return nil
	}
	if v.Kind() != reflect.String {
		return misfit(given, v)
	}
	v.SetString(given)
	return nil
}

func misfit(from any, v reflect.Value) error {
	return unsupported(fmt.Sprintf("a Go %s can't be %v", v.Type(), from))
}
