//! What kafka_wire_protocol gets wrong, by its own functions alone: an object of JSON for each rule.
//!
//! Ends with a status other than 0 where one of them does otherwise by now.

use std::io::{Cursor, Result};

use kafka_wire_protocol::readable_writable::{Readable, Writable};
use kafka_wire_protocol::schema::find_coordinator_request::v3::FindCoordinatorRequest;
use kafka_wire_protocol::schema::list_config_resources_request::v0::ListConfigResourcesRequest;
use serde_json::{json, Value};

/// 32767 bytes, the most that Kafka puts into a string, and N + 1 of that does not fit its i16.
const LONGEST: usize = 32767;

fn longest() -> Result<String> {
    let mut written = Vec::new();
    FindCoordinatorRequest::new("k".repeat(LONGEST), 0).write(&mut written)?;
    Ok(hex::encode(written))
}

fn cut() -> Result<String> {
    let message = ListConfigResourcesRequest::read(&mut Cursor::new(CUT))?;
    Ok(format!("{message:?}"))
}

/// One tag, 10000, of 2 bytes, of which the last is missing.
const CUT: [u8; 5] = [1, 0x90, 0x4e, 2, 0x61];

fn main() {
    let due = format!("8080feff0f{}0000", "6b".repeat(LONGEST));
    let got = longest().expect("it is written");
    assert!(got == due, "a string of {LONGEST} bytes is written otherwise");
    for rule in ["compact.string-length", "primitives.varint-groups", "versions.field-types"] {
        let call = "FindCoordinatorRequest::new(\"k\".repeat(32767), 0).write(&mut out)";
        let value = json!({"key": "k".repeat(LONGEST), "keyType": 0});
        show(json!({"rule": rule, "call": call, "op": "encode", "message": "FindCoordinatorRequest",
            "version": 3, "value": value, "got": got}));
    }
    let got = cut().expect("it is read");
    let due = "_unknown_tagged_fields: [RawTaggedField { tag: 10000, data: [97, 0] }]";
    assert!(got.contains(due), "{got}");
    let call = "ListConfigResourcesRequest::read(&mut Cursor::new(data)): zeros stand for what is missing";
    show(json!({"rule": "tags.section-required", "call": call, "op": "decode", "version": 0,
        "message": "ListConfigResourcesRequest", "bytes": hex::encode(CUT), "got": got}));
}

fn show(evidence: Value) {
    println!("{evidence}");
}
