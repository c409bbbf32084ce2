// kmsg's structs as the suite's JSON, by reflection.
package main

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// unsupported says what kmsg of this version does not have.
type unsupported string

func (u unsupported) Error() string { return string(u) }

func toJSON(v reflect.Value, path string, version int16, null bool) any {
	switch v.Kind() {
	case reflect.Struct:
		return object(v, path, version)
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return toJSON(v.Elem(), path, version, false)
	case reflect.Array: // a UUID
		return base64.RawURLEncoding.EncodeToString(v.Slice(0, v.Len()).Bytes())
	case reflect.Slice:
		if v.IsNil() && null {
			return nil
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString(v.Bytes())
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = toJSON(v.Index(i), path, version, false)
		}
		return list
	case reflect.Float64:
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			text := strconv.FormatFloat(v.Float(), 'g', -1, 64)
			return strings.NewReplacer("+", "", "Inf", "Infinity").Replace(text)
		}
		return json.Number(strconv.FormatFloat(v.Float(), 'e', -1, 64)) // -0 without an exponent is 0
	}
	return plain(v)
}

// plain is a number, a bool or a string as Go's own type: kmsg's enums write themselves as names.
func plain(v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	}
	return v.Interface()
}

func object(v reflect.Value, path string, version int16) any {
	found := map[string]any{}
	for _, item := range fields(path, v.Type()) {
		if item.low <= version && version <= item.high {
			found[item.name] = toJSON(v.Field(item.index), path+"."+item.name, version, item.null)
		}
	}
	if tags, has := tagsOf(v); has && tags.Len() > 0 {
		found[unknownTags] = listed(tags)
	}
	return found
}

func (asked request) formatter() *kmsg.RequestFormatter {
	if asked.Header.ClientID == nil {
		return kmsg.NewRequestFormatter()
	}
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID(*asked.Header.ClientID))
}
