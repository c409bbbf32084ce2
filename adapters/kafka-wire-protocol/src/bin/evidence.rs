//! What kafka_wire_protocol gets wrong, by its own functions alone: an object of JSON for each rule.
//!
//! Ends with a status other than 0 where one of them does otherwise by now.

use std::io::Result;

use kafka_wire_protocol::readable_writable::Writable;
use kafka_wire_protocol::schema::find_coordinator_request::v3::FindCoordinatorRequest;
use serde_json::{json, Value};

/// 32767 bytes, the most that Kafka puts into a string, and N + 1 of that does not fit its i16.
const LONGEST: usize = 32767;

fn longest() -> Result<String> {
    let mut written = Vec::new();
    FindCoordinatorRequest::new("k".repeat(LONGEST), 0).write(&mut written)?;
    Ok(hex::encode(written))
}

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
}

fn show(evidence: Value) {
    println!("{evidence}");
}
