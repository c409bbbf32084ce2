//! What kafka-protocol gets wrong, by its own functions alone: an object of JSON for each rule broken.
//!
//! Ends with a status other than 0 where one of them does otherwise by now.

use bytes::{Buf, Bytes, BytesMut};
use kafka_protocol::messages::delete_topics_response::DeletableTopicResult;
use kafka_protocol::messages::{
    DeleteTopicsResponse, LeaderChangeMessage, MetadataRequest, VotersRecord,
};
use kafka_protocol::protocol::{Decodable, Encodable};
use kafka_protocol::records::{Compression, RecordBatchDecoder, RecordBatchEncoder, RecordEncodeOptions};
use serde_json::{json, Value};

type Answer = anyhow::Result<String>;

fn decoded<M: Decodable + std::fmt::Debug, const VERSION: i16>(mut data: Bytes) -> Answer {
    let message = M::decode(&mut data, VERSION)?;
    Ok(format!("{message:?} and {} bytes left", data.remaining()))
}

fn encoded(message: impl Encodable, version: i16) -> Answer {
    let mut written = BytesMut::new();
    message.encode(&mut written, version)?;
    Ok(hex::encode(written))
}

fn headers(mut data: Bytes) -> Answer {
    let records = RecordBatchDecoder::decode(&mut data)?.records;
    Ok(records.iter().map(|record| format!("{} headers", record.headers.len())).collect::<Vec<_>>().join(", "))
}

fn batch_again(mut data: Bytes) -> Answer {
    let records = RecordBatchDecoder::decode(&mut data)?.records;
    let mut written = BytesMut::new();
    let options = RecordEncodeOptions { version: 2, compression: Compression::None };
    RecordBatchEncoder::encode(&mut written, &records, &options)?;
    Ok(hex::encode(written))
}

fn again<M: Decodable + Encodable, const VERSION: i16>(mut data: Bytes) -> Answer {
    encoded(M::decode(&mut data, VERSION)?, VERSION)
}

/// The rules; op, message and version; what goes in, as hex or JSON; the call; what comes of it.
type Case = (&'static [&'static str], (&'static str, &'static str, i16), String, &'static str, fn(Bytes) -> Answer, String);

const NOT_SUPPORTED: &str = "specified version not supported by this message type";
const TWO: &str = "0002 00000000 02 00000000";
const HEADERS: &str = "000000000000000000000052ffffffff026a2e76370000000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000140000000066b65790a76616c75650a026202310261023202620233026201026300";
const LOG_APPEND: &str = "00000000000000000000004cffffffff025c5f05020008000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000134000000066b65790a76616c7565020c6865616465720874657874";
const UUID: &str = "0102030405060708090a0b0c0d0e0f10";

fn cases() -> Vec<Case> {
    let decode = "LeaderChangeMessage::decode(&mut data, 0): the field `version` hides the version asked for";
    let leader = |rules, rest: &str| -> Case {
        let bytes = format!("{TWO} {rest}");
        (rules, ("decode", "LeaderChangeMessage", 0), bytes, decode, decoded::<LeaderChangeMessage, 0>, NOT_SUPPORTED.into())
    };
    let both = |rules, rest: &str| -> Case {
        let bytes = format!("{TWO} {rest}");
        (rules, ("roundtrip", "LeaderChangeMessage", 0), bytes, decode, again::<LeaderChangeMessage, 0>, NOT_SUPPORTED.into())
    };
    let first = |rules, bytes: String, got: &str| -> Case {
        let call = "LeaderChangeMessage::decode(&mut data, 1), its field `version` being 0";
        (rules, ("decode", "LeaderChangeMessage", 1), bytes, call, decoded::<LeaderChangeMessage, 1>, got.into())
    };
    let voters = |rules, end: &str| -> Case {
        let bytes = format!("0001 02 00000001 {UUID} 02 05f09f9880 03c3a9 ffff 00 0000 0001 {end}");
        let call = "VotersRecord::decode(&mut data, 0): the field `version` hides the version asked for";
        (rules, ("decode", "VotersRecord", 0), bytes, call, decoded::<VotersRecord, 0>, NOT_SUPPORTED.into())
    };
    vec![
        leader(&["compact.array-count", "compact.struct-elements-end-with-tags", "primitives.integers-big-endian", "primitives.integers-signed", "tags.section-ends-struct", "versions.field-order", "versions.field-types", "versions.only-fields-of-version"], "00 01 00"),
        both(&["framing.nothing-after-end", "tags.empty-section-is-zero-byte"], "00 01 00"),
        leader(&["primitives.varint-groups", "tags.size-is-plain-length", "tags.unknown-skipped"], "00 01 01 904e 01 61"),
        leader(&["tags.unknown-empty-value"], "00 01 01 904e 00"),
        leader(&["tags.unknown-high-tag"], "00 01 01 ffffffff07 01 61"),
        leader(&["tags.unknown-skipped-in-element"], "01 904e 01 61 01 00"),
        both(&["tags.unknown-merged-in-order"], "00 01 01 904e 01 61"),
        first(&["primitives.uuid-byte-order"], format!("0000 00000000 02 00000000 {UUID} 00 01 00"), "Not enough bytes remaining in buffer!\n"),
        first(&["primitives.zero-uuid-is-none"], format!("0000 00000000 02 00000000 {0} 00 02 00000000 {0} 00 00", "00".repeat(16)), "CompactArray length is negative (-1)"),
        voters(&["compact.every-depth", "nullable-structs.non-nullable-unmarked", "primitives.string-counts-bytes", "primitives.string-plain-utf8", "primitives.uint16-unsigned", "versions.map-key-in-memory-only"], "00 00 00"),
        voters(&["tags.unknown-skipped-in-struct"], "01 904e 01 61 00 00"),
        (&["primitives.null-not-written"], ("encode", "MetadataRequest", 0), r#"{"topics":null}"#.into(), "MetadataRequest::default().with_topics(None).encode(&mut out, 0)", |_| encoded(MetadataRequest::default().with_topics(None), 0), "ffffffff".into()),
        (&["compact.null-not-written"], ("encode", "DeleteTopicsResponse", 4), r#"{"throttleTimeMs":0,"responses":[{"name":null,"errorCode":0}]}"#.into(), "DeleteTopicsResponse::default().with_responses(vec![DeletableTopicResult::default().with_name(None)]).encode(&mut out, 4)", |_| encoded(DeleteTopicsResponse::default().with_responses(vec![DeletableTopicResult::default().with_name(None)]), 4), "00000000020000000000".into()),
        (&["records.empty-not-null", "records.header-value-nullable", "records.headers-in-order"], ("decode", "RecordBatch", 2), HEADERS.into(), "RecordBatchDecoder::decode(&mut data): headers.len() of each record", headers, "3 headers".into()),
        (&["records.attributes-bits"], ("roundtrip", "RecordBatch", 2), LOG_APPEND.into(), "RecordBatchDecoder::decode(&mut data), then RecordBatchEncoder::encode", batch_again, "00000000000000000000004cffffffff0298d858360000000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000134000000066b65790a76616c7565020c6865616465720874657874".into()),
    ]
}

fn main() {
    for (rules, (op, message, version), went_in, call, run, expected) in cases() {
        let value: Option<Value> = serde_json::from_str(&went_in).ok().filter(|_| op == "encode");
        let bytes = if op == "encode" { String::new() } else { went_in.replace(' ', "") };
        let got = run(hex::decode(&bytes).unwrap().into()).unwrap_or_else(|error| error.to_string());
        let due = if op == "roundtrip" && !expected.contains("version") { expected.replace(' ', "") } else { expected };
        assert_eq!(got, due, "{call}");
        for rule in rules {
            let mut shown = json!({"rule": rule, "call": call, "op": op, "message": message, "version": version, "got": got.trim()});
            match &value {
                Some(value) => shown["value"] = value.clone(),
                None => shown["bytes"] = json!(bytes),
            }
            println!("{shown}");
        }
    }
}
