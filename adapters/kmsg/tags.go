// The tagged fields that kmsg does not know, which it keeps.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

const unknownTags = "_unknownTaggedFields"

// tagged is kmsg.Tags, which the first releases have not.
type tagged interface {
	Len() int
	Each(func(uint32, []byte))
	Set(uint32, []byte)
}

func tagsOf(v reflect.Value) (tagged, bool) {
	tags := v.FieldByName("UnknownTags")
	if !tags.IsValid() {
		return nil, false
	}
	return tags.Addr().Interface().(tagged), true
}

func listed(tags tagged) []any {
	list := []any{}
	tags.Each(func(tag uint32, data []byte) {
		list = append(list, map[string]any{"tag": tag, "bytes": base64.StdEncoding.EncodeToString(data)})
	})
	return list
}

func setTags(given []any, v reflect.Value) error {
	tags, has := tagsOf(v)
	if !has {
		return unsupported(fmt.Sprintf("%s has no tags", v.Type()))
	}
	for _, each := range given {
		item := each.(map[string]any)
		tag, err := strconv.ParseUint(item["tag"].(json.Number).String(), 10, 32)
		if err != nil {
			return err
		}
		data, err := base64.StdEncoding.DecodeString(item["bytes"].(string))
		if err != nil {
			return err
		}
		tags.Set(uint32(tag), data)
	}
	return nil
}
