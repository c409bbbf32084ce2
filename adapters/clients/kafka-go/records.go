// What is written.
package main

import (
	"reflect"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	longest    = 30 * 24 * time.Hour
	gatherTime = 100 * time.Millisecond
)

var (
	record  = kafka.Message{Key: []byte("k"), Value: []byte("v")}
	written = time.UnixMilli(1_700_000_000_000)
)

func several() []kafka.Message {
	last := kafka.Message{Key: []byte{}, Value: []byte{}, Time: written.Add(-time.Second)}
	// Releases before 0.3 have no headers.
	if headers := reflect.ValueOf(&last).Elem().FieldByName("Headers"); headers.IsValid() {
		made := reflect.MakeSlice(headers.Type(), 1, 1)
		made.Index(0).FieldByName("Key").SetString("h")
		made.Index(0).FieldByName("Value").SetBytes([]byte("1"))
		headers.Set(made)
	}
	return []kafka.Message{
		{Key: []byte("k"), Value: []byte("v"), Time: written},
		{Value: []byte("w"), Time: written.Add(time.Second)},
		{Key: []byte("x"), Time: written.Add(longest)},
		last,
	}
}
