//! What rskafka gets wrong, by its own functions alone: an object of JSON for each rule broken.
//!
//! Ends with a status other than 0 where one of them does otherwise by now.

use std::error::Error;
use std::io::Cursor;

use rskafka::protocol::api_version::ApiVersion;
use rskafka::protocol::messages::*;
use rskafka::protocol::primitives::*;
use rskafka::protocol::record::RecordBatch;
use rskafka::protocol::traits::{ReadType, WriteType};
use serde_json::{json, Value};

type Answer = Result<String, Box<dyn Error>>;
type Input = Cursor<Vec<u8>>;

fn read<M: ReadVersionedType<Input> + std::fmt::Debug, const VERSION: i16>(data: Vec<u8>) -> Answer {
    let mut input = Cursor::new(data);
    let message = M::read_versioned(&mut input, ApiVersion(Int16(VERSION)))?;
    Ok(format!("{message:?} and {} bytes left", input.get_ref().len() as u64 - input.position()))
}

fn written(message: impl WriteVersionedType<Vec<u8>>, version: i16) -> Answer {
    let mut output = Vec::new();
    message.write_versioned(&mut output, ApiVersion(Int16(version)))?;
    Ok(hex::encode(output))
}

fn batch(data: Vec<u8>) -> Answer {
    Ok(format!("{:?}", RecordBatch::read(&mut Cursor::new(data))?))
}

fn batch_again(data: Vec<u8>) -> Answer {
    let mut output = Vec::new();
    RecordBatch::read(&mut Cursor::new(data))?.write(&mut output)?;
    Ok(hex::encode(output))
}

fn two_tags() -> SaslAuthenticateRequest {
    let tags = vec![(UnsignedVarint(10001), vec![1]), (UnsignedVarint(10000), vec![2])];
    SaslAuthenticateRequest { auth_bytes: Bytes(vec![]), tagged_fields: Some(TaggedFields(tags)) }
}

/// The rules; op, message and version; what goes in, as hex or JSON; the call; what comes of it, or a part.
type Case<'a> = (&'a [&'a str], (&'a str, &'a str, i16), &'a str, &'a str, fn(Vec<u8>) -> Answer, &'a str);

const RANGE: &str = "Malformed data: out of range integral type conversion attempted";
const CASES: &[Case] = &[
    (&["primitives.null-not-written"], ("encode", "MetadataRequest", 0), r#"{"topics":null}"#,
        "MetadataRequest { topics: None, .. }.write_versioned(&mut out, 0)",
        |_| written(MetadataRequest { topics: None, allow_auto_topic_creation: None }, 0), "ffffffff"),
    (&["compact.null-not-written"], ("encode", "DeleteTopicsRequest", 4), r#"{"topicNames":null,"timeoutMs":0}"#,
        "DeleteTopicsRequest { topic_names: Array(None), .. }.write_versioned(&mut out, 4)",
        |_| written(DeleteTopicsRequest { topic_names: Array(None), timeout_ms: Int32(0), tagged_fields: None }, 4),
        "000000000000"),
    (&["tags.unknown-given-out-of-order"], ("encode", "SaslAuthenticateRequest", 2),
        r#"{"authBytes":"","_unknownTaggedFields":[{"tag":10001,"bytes":"AQ=="},{"tag":10000,"bytes":"Ag=="}]}"#,
        "SaslAuthenticateRequest with tags 10001 and 10000, .write_versioned(&mut out, 2)",
        |_| written(two_tags(), 2), "0102914e0101904e0102"),
    (&["compact.null-is-zero", "versions.field-types"], ("decode", "CreateTopicsResponse", 5),
        "00000000 02 01 0000 00 00000001 0001 00 00 00", "CreateTopicsResponse::read_versioned(&mut data, 5)",
        read::<CreateTopicsResponse, 5>, "configs: []"),
    (&["records.header-value-nullable", "records.empty-not-null", "records.headers-in-order"],
        ("decode", "RecordBatch", 2),
        "000000000000000000000048ffffffff02ea4241a80000000000000000018bcfe568000000018bcfe56800ffffffffffffffffffff\
         ffffffff000000012c000000066b65790a76616c7565020c68656164657201",
        "RecordBatch::read(&mut data), a header's value being null", batch, RANGE),
    (&["records.control-batch"], ("decode", "RecordBatch", 2),
        "000000000000000000000042ffffffff02e909c2600030000000000000018bcfe568000000018bcfe568000000000000000fa00003\
         ffffffff000000012000000008000000010c00000000000500",
        "RecordBatch::read(&mut data): the record's key is looked for where the record begins", batch,
        "Malformed data: Unknown control batch record version: 8192"),
    (&["records.attributes-bits"], ("roundtrip", "RecordBatch", 2),
        "000000000000000000000047ffffffff0215da80170040000000000000018bcfe568000000018bcfe56800ffffffffffffffffffff\
         ffffffff000000012a000000066b657901020c6865616465720874657874",
        "RecordBatch::read and .write: bit 6 has no place", batch_again,
        "000000000000000000000047ffffffff02cb394fc50000000000000000018bcfe568000000018bcfe56800ffffffffffffffffffff\
         ffffffff000000012a000000066b657901020c6865616465720874657874"),
];

fn main() {
    for (rules, (op, message, version), went_in, call, run, part) in CASES {
        let value: Option<Value> = serde_json::from_str(went_in).ok().filter(|_| *op == "encode");
        let bytes = if value.is_some() { String::new() } else { went_in.replace(' ', "") };
        let got = run(hex::decode(&bytes).unwrap()).unwrap_or_else(|error| error.to_string());
        let part = if value.is_some() { part.replace(' ', "") } else { part.to_string() };
        assert!(got.contains(&part), "{call}: {got}");
        for rule in *rules {
            let mut shown =
                json!({"rule": rule, "call": call, "op": op, "message": message, "version": version, "got": got});
            match &value {
                Some(value) => shown["value"] = value.clone(),
                None => shown["bytes"] = json!(bytes),
            }
            println!("{shown}");
        }
    }
}
