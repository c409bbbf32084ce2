//! rskafka as a testee: a line of JSON in, a line of JSON out.
//!
//! A client's codec writes requests and reads responses; what it does the other way round too is asked
//! for both. Headers are of the versions that its messenger takes.

mod messages;
mod meter;
mod primitives;
mod records;
mod values;

use std::collections::BTreeMap;
use std::io::{self, BufRead, Cursor, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

use messages::{number, Codec};
use rskafka::protocol::messages::{ReadVersionedType, RequestHeader, ResponseHeader, WriteVersionedType};
use serde_json::{json, Map, Value};
use values::{Json, Result};

pub type Input = Cursor<Vec<u8>>;

/// What was asked for is not there to be asked.
#[derive(Debug)]
pub struct Unsupported(pub String);

impl std::fmt::Display for Unsupported {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for Unsupported {}

fn perform(codecs: &BTreeMap<&str, Codec>, op: &str, asked: &Value, stage: &mut &str) -> Result<Value> {
    let (message, version) = (asked["message"].as_str().unwrap_or_default(), asked["version"].as_i64());
    let version = version.unwrap_or_default() as i16;
    let mut input = Cursor::new(hex::decode(asked["bytes"].as_str().unwrap_or_default())?);
    if message == records::MESSAGE {
        return records::perform(op, &asked["value"], &mut input, stage);
    }
    if message == primitives::MESSAGE {
        return primitives::perform(op, version, &asked["value"], &mut input, stage);
    }
    let lacking = || Unsupported(format!("no {op} of {message}"));
    let codec = codecs.get(message).ok_or_else(lacking)?;
    let tagged = (version >= codec.tagged_from) as i16;
    let mut output = Vec::new();
    match op {
        "roundtrip" => output = codec.roundtrip.ok_or_else(lacking)?(&mut input, version, stage)?,
        "decode" | "decode-response" => {
            let read = codec.read.ok_or_else(lacking)?;
            let mut answer = json!({});
            if op == "decode-response" {
                answer["header"] = ResponseHeader::read_versioned(&mut input, number(tagged))?.show();
            }
            answer["value"] = read(&mut input, version)?;
            answer["remaining"] = json!(left(&input));
            return Ok(answer);
        }
        "encode" | "encode-request" => {
            let write = codec.write.ok_or_else(lacking)?;
            if op == "encode-request" {
                let mut header = asked["header"].clone();
                header["requestApiKey"] = codec.api_key.clone();
                header["requestApiVersion"] = json!(version);
                RequestHeader::parse(&header)?.write_versioned(&mut output, number(1 + tagged))?;
            }
            write(&asked["value"], &mut output, version)?;
        }
        _ => return Err(lacking().into()),
    }
    Ok(json!({"bytes": hex::encode(output)}))
}

pub fn left(input: &Input) -> u64 {
    input.get_ref().len() as u64 - input.position()
}

fn hello(codecs: &BTreeMap<&str, Codec>) -> Value {
    let mut declared: Map<String, Value> = Map::new();
    for (name, codec) in codecs {
        let response = name.ends_with("Response");
        let ops = [
            ("roundtrip", codec.roundtrip.is_some()),
            ("decode", codec.read.is_some()),
            ("decode-response", codec.read.is_some() && response),
            ("encode", codec.write.is_some()),
            ("encode-request", codec.write.is_some() && !response),
        ];
        let ops: Vec<_> = ops.iter().filter(|(_, has)| *has).map(|(op, _)| op).collect();
        declared.insert(name.to_string(), json!({"versions": [codec.versions], "ops": ops}));
    }
    declared.insert(records::MESSAGE.to_owned(), json!({"versions": [[2, 2]], "ops": records::OPS}));
    let types = json!({"versions": primitives::versions(), "ops": primitives::OPS});
    declared.insert(primitives::MESSAGE.to_owned(), types);
    let ops = ["roundtrip", "decode", "encode", "encode-request", "decode-response"];
    json!({"protocol": 1, "name": "rskafka", "version": messages::VERSION, "language": "rust", "ops": ops,
        "messages": declared, "definitions": "2.4.0", "unknownTags": "kept", "window": 64,
        "unknownFields": {"CreateTopicsResponse": ["topics.topicConfigErrorCode"]}})
}

fn answer(codecs: &BTreeMap<&str, Codec>, line: &str) -> Value {
    let asked: Value = serde_json::from_str(line).expect("a line of JSON");
    let op = asked["op"].as_str().unwrap_or_default();
    let mut stage = "decode";
    let call = AssertUnwindSafe(|| perform(codecs, op, &asked, &mut stage));
    let (done, allocated) = meter::measured(|| catch_unwind(call));
    let mut answer = match done {
        _ if op == "hello" => return hello(codecs),
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
    let codecs = messages::codecs();
    for line in io::stdin().lock().lines() {
        println!("{}", answer(&codecs, &line.unwrap()));
        io::stdout().flush().unwrap();
    }
}
