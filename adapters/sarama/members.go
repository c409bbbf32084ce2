// What members of a group tell each other, which begins with its version: that is no part of the message.
package main

import (
	"encoding/binary"
	"encoding/hex"
	"reflect"

	"github.com/IBM/sarama"
)

const newestMember = 3

func (r *request) member(member sarama.Member, data []byte) (object, error) {
	value := reflect.ValueOf(member)
	if r.Op == "encode" {
		if err := fromJSON(value.Elem(), field{}, r.Value); err != nil {
			return nil, err
		}
	} else if err := sarama.DecodeMember(member, append(binary.BigEndian.AppendUint16(nil, uint16(r.Version)), data...)); err != nil {
		return object{"stage": "decode"}, err
	}
	if r.Op == "decode" {
		return object{"value": toJSON(value, field{}, int(r.Version)), "remaining": 0}, nil
	}
	out, err := sarama.EncodeMember(member)
	return object{"bytes": hex.EncodeToString(out[min(2, len(out)):]), "stage": "encode"}, err
}
