//! kafka_wire_protocol as a testee: a line of JSON in, a line of JSON out.
//!
//! Each version of a message is a struct of its own, found in a table that build.rs writes from the
//! crate's source. Frames are read and written as the crate's documentation does it: a header of the
//! version that its ApiMessageType gives, then the body.

mod messages;
mod meter;
mod primitives;
mod values;

use std::io::{self, BufRead, Cursor, Write};
use std::panic::catch_unwind;

use kafka_wire_protocol::api_message_type::ApiMessageType;
use kafka_wire_protocol::readable_writable::Readable;
use messages::{find, Codec, Input, Table};
use serde_json::{json, Map, Value};
use values::Result;

const OPS: [&str; 7] = [
    "roundtrip", "decode", "encode", "decode-request", "encode-request", "decode-response", "encode-response",
];

/// What was asked for is not there to be asked.
#[derive(Debug)]
pub struct Unsupported(pub String);

impl std::fmt::Display for Unsupported {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for Unsupported {}

fn frame(header: &Codec, body: &Codec, input: &mut Input) -> Result<Value> {
    let head = (header.decode)(input)?;
    let value = (body.decode)(input)?;
    Ok(json!({"header": head, "value": value, "remaining": left(input)}))
}

fn left(input: &Input) -> u64 {
    input.get_ref().len() as u64 - input.position()
}

fn perform(table: &Table, op: &str, asked: &Value, stage: &mut &str) -> Result<Value> {
    let bytes = hex::decode(asked["bytes"].as_str().unwrap_or_default())?;
    let mut input = Cursor::new(&bytes[..]);
    if op == "decode-request" {
        let start = &mut input.clone();
        let (key, version) = (<i16 as Readable>::read(start)?, <i16 as Readable>::read(start)?);
        let api = ApiMessageType::from_api_key(key);
        let header = find(table, "RequestHeader", api.request_header_version(version))?;
        return frame(header, find(table, &format!("{}Request", api.name), version)?, &mut input);
    }
    let version = asked["version"].as_i64().unwrap_or_default() as i16;
    let codec = find(table, asked["message"].as_str().unwrap_or_default(), version)?;
    let output = match op {
        "roundtrip" => (codec.roundtrip)(&mut input, stage)?,
        "decode" => {
            let value = (codec.decode)(&mut input)?;
            return Ok(json!({"value": value, "remaining": left(&input)}));
        }
        "decode-response" => {
            let header = find(table, "ResponseHeader", codec.api()?.response_header_version(version))?;
            return frame(header, codec, &mut input);
        }
        "encode" => (codec.encode)(&asked["value"])?,
        "encode-request" => {
            let mut head = asked["header"].clone();
            head["requestApiKey"] = json!(codec.api()?.api_key);
            head["requestApiVersion"] = json!(version);
            let header = find(table, "RequestHeader", codec.api()?.request_header_version(version))?;
            [(header.encode)(&head)?, (codec.encode)(&asked["value"])?].concat()
        }
        "encode-response" => {
            let header = find(table, "ResponseHeader", codec.api()?.response_header_version(version))?;
            [(header.encode)(&asked["header"])?, (codec.encode)(&asked["value"])?].concat()
        }
        _ => return Err(Unsupported(op.to_owned()).into()),
    };
    Ok(json!({"bytes": hex::encode(output)}))
}

fn hello(table: &Table) -> Value {
    let mut declared: Map<String, Value> = Map::new();
    for (name, version) in table.keys() {
        let range = declared.entry(*name).or_insert(json!([version, version]));
        range[1] = json!(version);
    }
    json!({"protocol": 1, "name": "kafka_wire_protocol", "version": messages::VERSION, "language": "rust", "ops": OPS,
        "messages": declared, "definitions": messages::DEFINITIONS, "unknownTags": "kept", "defaults": true, "window": 64})
}

fn answer(table: &Table, line: &str) -> Value {
    let asked: Value = serde_json::from_str(line).expect("a line of JSON");
    let op = asked["op"].as_str().unwrap_or_default();
    let mut stage = "decode";
    let call = std::panic::AssertUnwindSafe(|| perform(table, op, &asked, &mut stage));
    let (done, allocated) = meter::measured(|| catch_unwind(call));
    let mut answer = match done {
        _ if op == "hello" => return hello(table),
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) if error.is::<Unsupported>() => json!({"unsupported": error.to_string()}),
        Ok(Err(error)) => json!({"rejected": error.to_string(), "error": "Error"}),
        Err(_) => json!({"crashed": "panicked"}),
    };
    if op == "roundtrip" && answer["rejected"].is_string() {
        answer["stage"] = json!(stage);
    }
    answer["id"] = asked["id"].clone();
    answer["allocated"] = json!(allocated);
    answer
}

fn main() {
    let mut table = messages::messages();
    primitives::add(&mut table);
    for line in io::stdin().lock().lines() {
        println!("{}", answer(&table, &line.unwrap()));
        io::stdout().flush().unwrap();
    }
}
