// From the JSON form to the library's structs. What a Go type can't hold, such as null, is unsupported.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strconv"
	"time"

	"github.com/IBM/sarama"
)

// fixed is what a struct has no field for, and the library writes.
var fixed = map[string]string{"FetchRequest.replicaId": "-1"}

func fromJSON(v reflect.Value, of field, value any) (err error) {
	if v.Kind() == reflect.Pointer && value != nil {
		v.Set(reflect.New(v.Type().Elem()))
		if broker, ok := v.Interface().(*sarama.Broker); ok {
			return brokerFromJSON(broker, value.(object))
		}
		return fromJSON(v.Elem(), field{}, value)
	}
	switch given := value.(type) {
	case nil:
		bytes := v.Type() == reflect.TypeFor[[]byte]()
		if v.Kind() != reflect.Pointer && !bytes && !of.nullable {
			return fmt.Errorf("%w: null in a Go %s", errUnheld, v.Type())
		}
	case object:
		for _, each := range fields(v, anyVersion) {
			if item, ok := given[each.name]; ok {
				err = errors.Join(err, fromJSON(each.value, each, item))
			} else if each.name == "" {
				err = errors.Join(err, fromJSON(each.value, each, withoutOthers(v, each, given)))
			}
		}
		known := toJSON(v, field{}, anyVersion).(object)
		for name, item := range given {
			if _, ok := known[name]; !ok && fixed[v.Type().Name()+"."+name] != fmt.Sprint(item) {
				return fmt.Errorf("%w: %s", errNoField, name)
			}
		}
	case []any:
		if v.Kind() == reflect.Map {
			return mapFromJSON(v, of, given)
		}
		v.Set(reflect.MakeSlice(v.Type(), len(given), len(given)))
		for i, item := range given {
			if wrapped, ok := item.(object); ok && of.element != "" {
				item = wrapped[of.element]
			}
			err = errors.Join(err, fromJSON(v.Index(i), field{}, item))
		}
	case bool:
		v.SetBool(given)
	case json.Number:
		return number(v, given.String())
	case string:
		switch {
		case v.Kind() == reflect.Array:
			data, err := base64.RawURLEncoding.DecodeString(given)
			reflect.Copy(v, reflect.ValueOf(data))
			return err
		case v.Kind() == reflect.Slice && v.Type() != reflect.TypeFor[[]byte](): // of records
			if given != "" {
				return fmt.Errorf("%w: records as bytes", errUnheld)
			}
			return nil
		case v.Kind() == reflect.Slice:
			data, err := base64.StdEncoding.DecodeString(given)
			v.SetBytes(data)
			return err
		case v.Kind() != reflect.String:
			return number(v, given)
		}
		v.SetString(given)
	}
	return err
}

// withoutOthers leaves of an object what belongs to a struct whose fields Kafka has beside others.
func withoutOthers(in reflect.Value, of field, given object) object {
	if of.value.Kind() != reflect.Struct {
		return given
	}
	own, left := toJSON(of.value, field{}, anyVersion).(object), object{}
	for name := range own {
		if item, ok := given[besides(in, name)]; ok {
			left[name] = item
		}
	}
	return left
}

// besides is the name that a field of a struct has where Kafka has it beside the fields of another.
func besides(in reflect.Value, name string) string {
	if other, ok := renamed[in.Type().Name()+"."+name]; ok {
		return other
	}
	return name
}

func brokerFromJSON(b *sarama.Broker, given object) (err error) {
	id, address, rack := sarama.BrokerFields(b)
	host, ok := given["host"].(string)
	if !ok {
		return fmt.Errorf("%w: null in a Go string", errUnheld)
	}
	*address = net.JoinHostPort(host, fmt.Sprint(given["port"]))
	if text, ok := given["rack"].(string); ok {
		*rack = &text
	}
	return number(reflect.ValueOf(id).Elem(), fmt.Sprint(given["nodeId"]))
}

func number(v reflect.Value, text string) error {
	n, err := strconv.ParseInt(text, 10, v.Type().Bits())
	if err != nil {
		return fmt.Errorf("%w: %w", errUnheld, err)
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		n *= int64(time.Millisecond)
	}
	v.SetInt(n)
	return nil
}
