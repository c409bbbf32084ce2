package main

import "github.com/twmb/franz-go/pkg/kmsg"

// stopReplica shows version 4, whose isKRaftController kmsg takes for the last byte of the
// controller's epoch: every rule that only messages of this shape decide there fails with it.
func stopReplica() {
	const data = "00000001" + "01" + "0000006c" + "0000000000000002" + "01" + "00"
	for _, rule := range []string{
		"compact.array-count", "compact.every-depth", "compact.struct-elements-end-with-tags",
		"framing.nothing-after-end", "primitives.boolean-non-zero-true", "primitives.boolean-one-or-zero",
		"primitives.integers-big-endian", "primitives.string-counts-bytes", "primitives.string-plain-utf8",
		"primitives.varint-groups", "tags.empty-section-is-zero-byte", "tags.section-ends-struct",
		"tags.size-is-plain-length", "tags.unknown-empty-value", "tags.unknown-high-tag",
		"tags.unknown-merged-in-order", "tags.unknown-skipped", "tags.unknown-skipped-in-element",
		"versions.field-order", "versions.field-types", "versions.only-fields-of-version",
	} {
		item := kmsg.NewStopReplicaRequest()
		read(&item, 4, data, func() any { return item.ControllerEpoch })
		show(shown{
			Rule: rule, Call: "StopReplicaRequest.ReadFrom, then AppendTo", Op: "roundtrip",
			Message: "StopReplicaRequest", Version: 4, Bytes: data, Got: written(&item, 4),
		}, "00000001"+"01"+"00000001"+"0000000000000002"+"01"+"00")
	}
}
