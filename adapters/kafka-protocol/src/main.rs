//! kafka-protocol as a testee: a line of JSON in, a line of JSON out.
//!
//! Messages are found by name in a table that build.rs writes from the crate's own structs. Frames
//! are read and written as the crate's documentation does it: by its helpers for request headers, and
//! by the header versions that its ApiKey gives.

mod fields;
mod headers;
mod messages;
mod meter;
mod records;
mod sets;
mod values;

use std::io::{self, BufRead, Write};
use std::panic::catch_unwind;

use anyhow::{anyhow, Result};
use bytes::{Buf, Bytes, BytesMut};
use kafka_protocol::messages::{ApiKey, RequestHeader, ResponseHeader};
use kafka_protocol::protocol::{Decodable, Encodable, VersionRange};
use headers::{decode_request_header_from_buffer, encode_request_header_into_buffer};
use messages::{messages, Codec};
use serde_json::{json, Map, Value};
use values::Json;

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

/// The key of the API that a request or a response belongs to.
fn api(message: &str) -> Result<ApiKey> {
    let name = message.trim_end_matches("Request").trim_end_matches("Response");
    let found = (0..=i16::MAX).filter_map(|key| ApiKey::try_from(key).ok()).find(|key| format!("{key:?}") == name);
    found.ok_or_else(|| Unsupported(format!("{message} has no frame")).into())
}

fn perform(op: &str, asked: &Value, stage: &mut &str) -> Result<Value> {
    let message = asked["message"].as_str().unwrap_or_default();
    let version = asked["version"].as_i64().unwrap_or_default() as i16;
    let mut bytes = Bytes::from(hex::decode(asked["bytes"].as_str().unwrap_or_default())?);
    if message == records::MESSAGE {
        return records::perform(op, &asked["value"], &mut bytes);
    }
    if message == sets::MESSAGE {
        return sets::perform(op, version as i8, &asked["value"], &mut bytes);
    }
    let mut written = BytesMut::new();
    match op {
        "roundtrip" => written = (Codec::named(message)?.roundtrip)(&mut bytes, version, stage)?,
        "decode" => {
            let value = (Codec::named(message)?.decode)(&mut bytes, version)?;
            return Ok(json!({"value": value, "remaining": bytes.remaining()}));
        }
        "decode-request" => {
            let header = decode_request_header_from_buffer(&mut bytes)?;
            let key = ApiKey::try_from(header.request_api_key).map_err(|()| anyhow!("no such key"))?;
            let codec = Codec::named(&format!("{key:?}Request"))?;
            let value = (codec.decode)(&mut bytes, header.request_api_version)?;
            return Ok(json!({"header": header.show(2), "value": value, "remaining": bytes.remaining()}));
        }
        "decode-response" => {
            let header = ResponseHeader::decode(&mut bytes, api(message)?.response_header_version(version))?;
            let value = (Codec::named(message)?.decode)(&mut bytes, version)?;
            return Ok(json!({"header": header.show(1), "value": value, "remaining": bytes.remaining()}));
        }
        "encode" => (Codec::named(message)?.encode)(&mut written, version, &asked["value"])?,
        "encode-request" => {
            let mut header = RequestHeader::read(&asked["header"])?;
            header.request_api_key = api(message)? as i16;
            header.request_api_version = version;
            encode_request_header_into_buffer(&mut written, &header)?;
            (Codec::named(message)?.encode)(&mut written, version, &asked["value"])?;
        }
        "encode-response" => {
            let header = ResponseHeader::read(&asked["header"])?;
            header.encode(&mut written, api(message)?.response_header_version(version))?;
            (Codec::named(message)?.encode)(&mut written, version, &asked["value"])?;
        }
        _ => return Err(Unsupported(op.to_owned()).into()),
    }
    Ok(json!({"bytes": hex::encode(written)}))
}

/// Of a release with maps only round trips are asked.
fn support(versions: VersionRange) -> Value {
    let ops = if cfg!(plain) { &OPS[..] } else { &OPS[..1] };
    json!({"versions": [[versions.min, versions.max]], "ops": ops})
}

fn hello() -> Value {
    let offered = messages().into_iter().filter(|(_, versions, _)| !versions.is_empty());
    let mut declared: Map<_, _> =
        offered.map(|(name, versions, _)| (name.to_owned(), support(versions))).collect();
    declared.insert(records::MESSAGE.to_owned(), json!({"versions": [[2, 2]], "ops": records::OPS}));
    if cfg!(message_sets) {
        declared.insert(sets::MESSAGE.to_owned(), json!({"versions": [[0, 1]], "ops": sets::OPS}));
    }
    let ops = if cfg!(plain) { &OPS[..] } else { &["roundtrip", "decode", "encode"] };
    json!({"protocol": 1, "name": "kafka-protocol", "version": messages::VERSION, "language": "rust", "ops": ops,
        "messages": declared, "definitions": messages::DEFINITIONS, "unknownTags": "kept", "defaults": cfg!(plain), "window": 64})
}

fn answer(line: &str) -> Value {
    let asked: Value = serde_json::from_str(line).expect("a line of JSON");
    let op = asked["op"].as_str().unwrap_or_default();
    let mut stage = "decode";
    let call = std::panic::AssertUnwindSafe(|| perform(op, &asked, &mut stage));
    let (done, allocated) = meter::measured(|| catch_unwind(call));
    let mut answer = match done {
        _ if op == "hello" => return hello(),
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) if error.is::<Unsupported>() => json!({"unsupported": error.to_string()}),
        Ok(Err(error)) => json!({"rejected": format!("{error:#}"), "error": "anyhow::Error"}),
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
    for line in io::stdin().lock().lines() {
        println!("{}", answer(&line.unwrap()));
        io::stdout().flush().unwrap();
    }
}
