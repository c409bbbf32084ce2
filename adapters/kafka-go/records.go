// Fields of records, as the package reads them for Produce and Fetch. Its writer counts offsets from 0
// and takes no batch as it is, so writing is not declared.
package main

import (
	"encoding/base64"
	"io"

	"github.com/segmentio/kafka-go/protocol"
)

const (
	recordsField = "Records"
	commonBits   = 15
)

func (r *request) records(data []byte) (answer, error) {
	var set protocol.RecordSet
	if _, err := set.ReadFrom(frame(data)); err != nil {
		return nil, err
	}
	list := []any{}
	for set.Records != nil {
		record, err := set.Records.ReadRecord()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		shown := answer{"offset": record.Offset, "key": held(record.Key), "value": held(record.Value)}
		if r.Version > 0 {
			shown["timestamp"] = record.Time.UnixMilli()
		}
		if r.Version > 1 {
			headers := []any{}
			for _, each := range record.Headers {
				value := base64.StdEncoding.EncodeToString(each.Value)
				headers = append(headers, answer{"key": each.Key, "value": value})
			}
			shown["headers"] = headers
		}
		list = append(list, shown)
	}
	value := answer{"attributes": int(set.Attributes) & commonBits, "records": list}
	return answer{"value": value, "remaining": nil}, nil
}

// held is what a key or value holds, null where there is none.
func held(given protocol.Bytes) any {
	if given == nil {
		return nil
	}
	all, err := io.ReadAll(given)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(all)
}
