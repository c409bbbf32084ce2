// Batches of records: kmsg's structs of a batch and of a record. kmsg leaves it to its caller to cut
// records apart, to count and to sum up, so this is done here, as franz-go's client does it.
package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/crc32"
	"reflect"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	lengthEnd   = 12 // where what a batch's length counts begins
	checkedFrom = 21 // where what its checksum covers begins
	codecBits   = 7
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errBatch   = errors.New("the batch's length, format, checksum or count is wrong")
)

type wire struct {
	BaseOffset           int64    `json:"baseOffset"`
	PartitionLeaderEpoch int32    `json:"partitionLeaderEpoch"`
	Attributes           int16    `json:"attributes"`
	LastOffsetDelta      int32    `json:"lastOffsetDelta"`
	BaseTimestamp        int64    `json:"baseTimestamp"`
	MaxTimestamp         int64    `json:"maxTimestamp"`
	ProducerID           int64    `json:"producerId"`
	ProducerEpoch        int16    `json:"producerEpoch"`
	BaseSequence         int32    `json:"baseSequence"`
	Records              []record `json:"records"`
}

type record struct {
	Attributes     int8     `json:"attributes"`
	TimestampDelta int64    `json:"timestampDelta"`
	OffsetDelta    int32    `json:"offsetDelta"`
	Key            []byte   `json:"key"`
	Value          []byte   `json:"value"`
	Headers        []header `json:"headers"`
}

type header struct {
	Key   string `json:"key"`
	Value []byte `json:"value"`
}

func (asked request) batch() (answer, error) {
	if asked.Op == "encode" {
		text, _ := json.Marshal(asked.Value)
		var value wire
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, unsupported(err.Error())
		}
		out, err := writtenBatch(value)
		return answer{"bytes": hex.EncodeToString(out)}, err
	}
	data, err := hex.DecodeString(asked.Bytes)
	if err != nil {
		return nil, err
	}
	value, left, err := readBatch(data)
	if err != nil || asked.Op == "decode" {
		return answer{"value": value, "remaining": left}, err
	}
	out, err := writtenBatch(value)
	return answer{"bytes": hex.EncodeToString(out)}, err
}

func readBatch(data []byte) (value wire, left int, err error) {
	var b kmsg.RecordBatch
	end := lengthEnd
	if len(data) >= lengthEnd {
		end += int(int32(binary.BigEndian.Uint32(data[lengthEnd-4:])))
	}
	if end < checkedFrom || end > len(data) {
		return value, 0, errBatch
	} else if err = b.ReadFrom(data[:end]); err != nil {
		return value, 0, err
	} else if b.Magic != 2 || uint32(b.CRC) != crc32.Checksum(data[checkedFrom:end], castagnoli) {
		return value, 0, errBatch
	} else if b.Attributes&codecBits != 0 {
		return value, 0, unsupported("kmsg has no compression")
	}
	value = wire{b.FirstOffset, b.PartitionLeaderEpoch, b.Attributes, b.LastOffsetDelta, b.FirstTimestamp,
		b.MaxTimestamp, b.ProducerID, b.ProducerEpoch, b.FirstSequence, []record{}}
	rest := b.Records
	for range b.NumRecords {
		length, used := binary.Varint(rest)
		if used <= 0 || length < 0 || length > int64(len(rest)-used) {
			return value, 0, errBatch
		}
		var r kmsg.Record
		if err := r.ReadFrom(rest[:used+int(length)]); err != nil {
			return value, 0, err
		}
		value.Records, rest = append(value.Records, recordOf(r)), rest[used+int(length):]
	}
	if len(rest) > 0 {
		return value, 0, errBatch
	}
	return value, len(data) - end, nil
}

func recordOf(r kmsg.Record) record {
	headers := []header{}
	for _, h := range r.Headers {
		headers = append(headers, header(h))
	}
	return record{r.Attributes, delta(&r).Int(), r.OffsetDelta, r.Key, r.Value, headers}
}

// delta is the field that has a record's timestamp: the first one is kept for who knows it.
func delta(r *kmsg.Record) reflect.Value {
	own := reflect.ValueOf(r).Elem()
	if wide := own.FieldByName("TimestampDelta64"); wide.IsValid() {
		return wide
	}
	return own.FieldByName("TimestampDelta")
}

func writtenBatch(value wire) ([]byte, error) {
	b := kmsg.RecordBatch{FirstOffset: value.BaseOffset, PartitionLeaderEpoch: value.PartitionLeaderEpoch, Magic: 2,
		Attributes: value.Attributes, LastOffsetDelta: value.LastOffsetDelta, FirstTimestamp: value.BaseTimestamp,
		MaxTimestamp: value.MaxTimestamp, ProducerID: value.ProducerID, ProducerEpoch: value.ProducerEpoch,
		FirstSequence: value.BaseSequence, NumRecords: int32(len(value.Records))}
	for _, each := range value.Records {
		r := kmsg.Record{Attributes: each.Attributes, OffsetDelta: each.OffsetDelta, Key: each.Key, Value: each.Value}
		if delta(&r).OverflowInt(each.TimestampDelta) {
			return nil, unsupported("a timestamp delta of more than 32 bits in a Go int32")
		}
		delta(&r).SetInt(each.TimestampDelta)
		for _, h := range each.Headers {
			r.Headers = append(r.Headers, kmsg.Header(h))
		}
		r.Length = int32(len(r.AppendTo(nil)) - 1) // its own length of 0 is one byte
		b.Records = r.AppendTo(b.Records)
	}
	b.Length = int32(len(b.AppendTo(nil)) - lengthEnd)
	b.CRC = int32(crc32.Checksum(b.AppendTo(nil)[checkedFrom:], castagnoli))
	return b.AppendTo(nil), nil
}
