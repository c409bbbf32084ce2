// What kmsg does otherwise than the definitions say, by its own calls alone: an object a line for
// each rule. It exits with 1 where one of them no longer happens.
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

type shown struct {
	Rule    string `json:"rule"`
	Call    string `json:"call"`
	Op      string `json:"op"`
	Message string `json:"message"`
	Version int16  `json:"version"`
	Bytes   string `json:"bytes,omitempty"`
	Value   any    `json:"value,omitempty"`
	Header  any    `json:"header,omitempty"`
	Got     string `json:"got"`
}

type object map[string]any

type codec interface {
	SetVersion(int16)
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
}

var failed bool

func main() {
	notWritten()
	shutdown()
	stopReplica()
	if failed {
		os.Exit(1)
	}
}

// show prints a finding, if what was got is still what it was when this was written.
func show(found shown, due string) {
	if found.Got != due {
		fmt.Fprintf(os.Stderr, "%s: got %s where %s was expected\n", found.Rule, found.Got, due)
		failed = true
		return
	}
	lines := json.NewEncoder(os.Stdout)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(found); err != nil {
		panic(err)
	}
}

func written(item codec, version int16) string {
	item.SetVersion(version)
	return hex.EncodeToString(item.AppendTo(nil))
}

// read is what is printed of an item after reading, and the error that reading it ended with.
func read(item codec, version int16, data string, print func() any) string {
	item.SetVersion(version)
	src, err := hex.DecodeString(data)
	if err == nil {
		err = item.ReadFrom(src)
	}
	return fmt.Sprintf("%v, error %v", print(), err)
}

func notWritten() {
	shared := kmsg.NewShareFetchResponse()
	shared.Topics = []kmsg.ShareFetchResponseTopic{{Partitions: []kmsg.ShareFetchResponseTopicPartition{
		kmsg.NewShareFetchResponseTopicPartition(),
	}}}
	show(shown{
		Rule: "compact.null-not-written", Op: "encode", Message: "ShareFetchResponse", Version: 1,
		Call: "ShareFetchResponse{Topics: [{Partitions: [{Records: nil}]}]}.AppendTo",
		Value: object{"throttleTimeMs": 0, "errorCode": 0, "errorMessage": nil, "acquisitionLockTimeoutMs": 0,
			"nodeEndpoints": []object{}, "responses": []object{{"topicId": strings.Repeat("A", 22), "partitions": []object{{
				"partitionIndex": 0, "errorCode": 0, "errorMessage": nil, "acknowledgeErrorCode": 0,
				"acknowledgeErrorMessage": nil, "currentLeader": object{"leaderId": 0, "leaderEpoch": 0}, "records": nil,
				"acquiredRecords": []object{},
			}}}}},
		Got: written(&shared, 1),
	}, "0000000000000000000000020000000000000000000000000000"+"00000200000000000000000000000000000000000000000100000100")
	partition := kmsg.NewFetchSnapshotRequestTopicPartition()
	partition.ReplicaDirectoryID = [16]byte{15: 1}
	snapshot := kmsg.NewFetchSnapshotRequest()
	snapshot.Topics = []kmsg.FetchSnapshotRequestTopic{{Topic: "a", Partitions: []kmsg.FetchSnapshotRequestTopicPartition{partition}}}
	show(shown{
		Rule: "tags.of-other-version-not-written", Op: "encode", Message: "FetchSnapshotRequest", Version: 0,
		Call: "FetchSnapshotRequest{Topics: [{Partitions: [{ReplicaDirectoryID}]}]}.AppendTo",
		Value: object{"replicaId": -1, "maxBytes": snapshot.MaxBytes, "topics": []object{{"name": "a", "partitions": []object{{
			"partition": 0, "currentLeaderEpoch": 0, "snapshotId": object{"endOffset": 0, "epoch": 0}, "position": 0,
			"replicaDirectoryId": "AAAAAAAAAAAAAAAAAAAAAQ",
		}}}}},
		Got: written(&snapshot, 0),
	}, "ffffffff7fffffff02026102"+"0000000000000000"+"00000000000000000000000000"+"0000000000000000"+
		"010010"+"00000000000000000000000000000001"+"0000")
}

func shutdown() {
	item := kmsg.NewControlledShutdownRequest()
	item.BrokerID = 1
	frame := kmsg.NewRequestFormatter().AppendRequest(nil, &item, 5)
	show(shown{
		Rule: "request-header.controlled-shutdown-v0", Call: "RequestFormatter.AppendRequest, with a length of 0",
		Op: "encode-request", Message: "ControlledShutdownRequest", Header: object{"correlationId": 5, "clientId": nil},
		Value: object{"brokerId": 1}, Got: hex.EncodeToString(frame[4:]),
	}, "0007000000000005")
}
