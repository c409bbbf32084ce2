// What kbin reads and writes, and its values as the suite's JSON.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kbin"
)

// unsupported says what kbin's types can't hold.
type unsupported string

func (u unsupported) Error() string { return string(u) }

// kind is a type of the protocol: the field's name, how kbin reads and writes it, and what of JSON it takes.
type kind struct {
	name  string
	read  func(reader) any
	write func(any) []byte
	parse func(json.RawMessage) (any, error)
}

type reader = *kbin.Reader

// kinds are those that there are by version.
var kinds = map[int]kind{
	0:  of("boolean", reader.Bool, kbin.AppendBool),
	1:  of("int8", reader.Int8, kbin.AppendInt8),
	2:  of("int16", reader.Int16, kbin.AppendInt16),
	3:  of("int32", reader.Int32, kbin.AppendInt32),
	4:  of("int64", reader.Int64, kbin.AppendInt64),
	5:  of("uint16", reader.Uint16, kbin.AppendUint16),
	6:  of("uint32", reader.Uint32, kbin.AppendUint32),
	7:  of("float64", readDouble, appendDouble),
	8:  of("uuid", readUuid, appendUuid),
	9:  of("string", reader.String, kbin.AppendString),
	10: of("nullableString", reader.NullableString, kbin.AppendNullableString),
	11: of("compactString", reader.CompactString, kbin.AppendCompactString),
	12: of("compactNullableString", reader.CompactNullableString, kbin.AppendCompactNullableString),
	13: of("bytes", reader.Bytes, kbin.AppendBytes),
	14: of("nullableBytes", reader.NullableBytes, kbin.AppendNullableBytes),
	15: of("compactBytes", reader.CompactBytes, kbin.AppendCompactBytes),
	16: of("compactNullableBytes", reader.CompactNullableBytes, kbin.AppendCompactNullableBytes),
	23: of("varint", reader.Varint, kbin.AppendVarint),
	24: of("varlong", reader.Varlong, kbin.AppendVarlong),
	25: of("unsignedVarint", reader.Uvarint, kbin.AppendUvarint),
}

func of[T any](name string, read func(reader) T, write func([]byte, T) []byte) kind {
	return kind{
		name:  name,
		read:  func(r reader) any { return read(r) },
		write: func(value any) []byte { return write(nil, value.(T)) },
		parse: func(raw json.RawMessage) (any, error) {
			var value T
			if string(raw) == "null" && !holdsNull(reflect.TypeFor[T]()) {
				return nil, unsupported(fmt.Sprintf("a %T can't be null", value))
			}
			if err := json.Unmarshal(raw, &value); err != nil {
				return nil, unsupported(err.Error())
			}
			return value, nil
		},
	}
}

func holdsNull(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice
}

// double and uuid are written in JSON as the suite has them.
type double float64
type uuid [16]byte

func readDouble(r reader) double                    { return double(r.Float64()) }
func appendDouble(dst []byte, number double) []byte { return kbin.AppendFloat64(dst, float64(number)) }
func readUuid(r reader) uuid                        { return r.Uuid() }
func appendUuid(dst []byte, id uuid) []byte         { return kbin.AppendUuid(dst, id) }

func (d double) MarshalJSON() ([]byte, error) {
	number := float64(d)
	if math.IsNaN(number) || math.IsInf(number, 0) {
		text := strconv.FormatFloat(number, 'g', -1, 64)
		return json.Marshal(strings.NewReplacer("+", "", "Inf", "Infinity").Replace(text))
	}
	return []byte(strconv.FormatFloat(number, 'e', -1, 64)), nil // -0 without an exponent is 0
}

func (d *double) UnmarshalJSON(raw []byte) error {
	number, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	*d = double(number)
	return err
}

func (u uuid) MarshalText() ([]byte, error) {
	return []byte(base64.RawURLEncoding.EncodeToString(u[:])), nil
}

func (u *uuid) UnmarshalText(text []byte) error {
	raw, err := base64.RawURLEncoding.DecodeString(string(text))
	if err == nil && copy(u[:], raw) != len(u) {
		err = errors.New("no uuid")
	}
	return err
}
