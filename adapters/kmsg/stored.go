// What kmsg has besides requests and responses: keys and values of Kafka's own topics, what members
// of a group tell each other, control records. Their bytes begin with their version, which is no
// part of the message; but LeaderChangeMessage has a field in its place, by which kmsg reads the rest.
package main

import (
	"encoding/binary"
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
)

type versioned interface {
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
}

// stored is such a message as one that is told its version.
type stored struct {
	versioned
	version, field int16
	hasField       bool
}

func init() {
	for name, make := range map[string]func() versioned{
		"ConsumerProtocolAssignment":   func() versioned { return new(kmsg.ConsumerMemberAssignment) },
		"ConsumerProtocolSubscription": func() versioned { return new(kmsg.ConsumerMemberMetadata) },
		"ControlRecordTypeSchema":      func() versioned { return new(kmsg.ControlRecordKey) },
		"DefaultPrincipalData":         func() versioned { return new(kmsg.DefaultPrincipalData) },
		"EndTxnMarker":                 func() versioned { return new(kmsg.EndTxnMarker) },
		"GroupMetadataKey":             func() versioned { return new(kmsg.GroupMetadataKey) },
		"GroupMetadataValue":           func() versioned { return new(kmsg.GroupMetadataValue) },
		"LeaderChangeMessage":          func() versioned { return new(kmsg.LeaderChangeMessage) },
		"OffsetCommitKey":              func() versioned { return new(kmsg.OffsetCommitKey) },
		"OffsetCommitValue":            func() versioned { return new(kmsg.OffsetCommitValue) },
		"TransactionLogKey":            func() versioned { return new(kmsg.TxnMetadataKey) },
		"TransactionLogValue":          func() versioned { return new(kmsg.TxnMetadataValue) },
	} {
		makers[name] = func() message {
			return &stored{versioned: make(), hasField: name == "LeaderChangeMessage"}
		}
	}
}

// MaxVersion is any: kmsg does not say which versions of these it has, and takes all.
func (s *stored) MaxVersion() int16 { return 99 }

func (s *stored) SetVersion(version int16) {
	s.version = version
	s.fields().FieldByName("Version").SetInt(int64(version))
}

func (s *stored) ReadFrom(src []byte) error {
	if s.hasField && len(src) >= 2 {
		s.field, src = int16(binary.BigEndian.Uint16(src)), src[2:]
	}
	return s.versioned.ReadFrom(append(binary.BigEndian.AppendUint16(nil, uint16(s.version)), src...))
}

func (s *stored) AppendTo(dst []byte) []byte {
	if s.hasField {
		dst = binary.BigEndian.AppendUint16(dst, uint16(s.field))
	}
	return append(dst, s.versioned.AppendTo(nil)[2:]...)
}

func (s *stored) fields() reflect.Value { return reflect.ValueOf(s.versioned).Elem() }

// read adds the field that is kmsg's version to a value.
func (s *stored) read(value any) any {
	if given, is := value.(map[string]any); is && s.hasField {
		given["version"] = s.field
	}
	return value
}

// toWrite takes it out.
func (s *stored) toWrite(value any) {
	given, _ := value.(map[string]any)
	if number, has := given["version"].(json.Number); has && s.hasField {
		field, _ := strconv.ParseInt(number.String(), 10, 16)
		s.field = int16(field)
		delete(given, "version")
	}
}
