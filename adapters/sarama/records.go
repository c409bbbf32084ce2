// Batches of records: a sarama.RecordBatch, whose flags are fields and whose times are Go's.
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// wire is a batch in the JSON form. Bits of its attributes that sarama has no field for are not told,
// and can't be given.
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
	OffsetDelta    int64    `json:"offsetDelta"`
	Key            []byte   `json:"key"`
	Value          []byte   `json:"value"`
	Headers        []header `json:"headers"`
}

type header struct {
	Key   string `json:"key"`
	Value []byte `json:"value"`
}

const (
	codecBits     = 7
	logAppendTime = 1 << 3
	transactional = 1 << 4
	control       = 1 << 5
)

func (r *request) batch(data []byte) (object, error) {
	switch r.Op {
	case "decode":
		batch, left, err := sarama.DecodeBatch(data)
		if err != nil {
			return nil, err
		}
		return object{"value": wireOf(batch), "remaining": left}, nil
	case "roundtrip":
		batch, _, err := sarama.DecodeBatch(data)
		if err != nil {
			return object{"stage": "decode"}, err
		}
		// What was read holds the records without their bytes, so they are written anew.
		out, err := sarama.EncodeBatch(batch)
		return object{"bytes": hex.EncodeToString(out), "stage": "encode"}, err
	case "encode":
		text, _ := json.Marshal(r.Value)
		var value wire
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		if value.Attributes&^(codecBits|logAppendTime|transactional|control) != 0 {
			return nil, fmt.Errorf("%w: attributes %d", errUnheld, value.Attributes)
		}
		out, err := sarama.EncodeBatch(batchOf(value))
		return object{"bytes": hex.EncodeToString(out)}, err
	}
	return nil, errUnknownOp
}

func wireOf(b *sarama.RecordBatch) wire {
	attributes := int16(b.Codec)
	for bit, set := range map[int16]bool{logAppendTime: b.LogAppendTime,
		transactional: b.IsTransactional, control: b.Control} {
		if set {
			attributes |= bit
		}
	}
	value := wire{b.FirstOffset, b.PartitionLeaderEpoch, attributes, b.LastOffsetDelta,
		millis(b.FirstTimestamp), millis(b.MaxTimestamp),
		b.ProducerID, b.ProducerEpoch, b.FirstSequence, []record{}}
	for _, r := range b.Records {
		headers := []header{}
		for _, h := range r.Headers {
			headers = append(headers, header{string(h.Key), h.Value})
		}
		value.Records = append(value.Records, record{r.Attributes, r.TimestampDelta.Milliseconds(),
			r.OffsetDelta, r.Key, r.Value, headers})
	}
	return value
}

func batchOf(value wire) *sarama.RecordBatch {
	b := &sarama.RecordBatch{Version: 2, FirstOffset: value.BaseOffset,
		PartitionLeaderEpoch: value.PartitionLeaderEpoch,
		Codec:                sarama.CompressionCodec(value.Attributes & codecBits),
		CompressionLevel:     sarama.CompressionLevelDefault,
		Control:              value.Attributes&control != 0,
		LogAppendTime:        value.Attributes&logAppendTime != 0,
		IsTransactional:      value.Attributes&transactional != 0,
		LastOffsetDelta:      value.LastOffsetDelta,
		FirstTimestamp:       moment(value.BaseTimestamp), MaxTimestamp: moment(value.MaxTimestamp),
		ProducerID: value.ProducerID, ProducerEpoch: value.ProducerEpoch,
		FirstSequence: value.BaseSequence}
	for _, r := range value.Records {
		made := &sarama.Record{Attributes: r.Attributes, OffsetDelta: r.OffsetDelta, Key: r.Key,
			TimestampDelta: time.Duration(r.TimestampDelta) * time.Millisecond, Value: r.Value}
		for _, h := range r.Headers {
			made.Headers = append(made.Headers, &sarama.RecordHeader{Key: []byte(h.Key), Value: h.Value})
		}
		b.Records = append(b.Records, made)
	}
	return b
}

// millis and moment take sarama's zero time for its -1, as its own reader and writer do.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.UnixMilli()
}

func moment(ms int64) time.Time {
	if ms == -1 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
