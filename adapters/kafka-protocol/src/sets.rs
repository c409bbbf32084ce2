//! Fields of records of formats 0 and 1, which kafka-protocol read and wrote while it had them. A record has no place for an
//! offset where it is written: all are 0. What no record tells is read where the first message has it.

use anyhow::Result;
use bytes::{Bytes, BytesMut};
use kafka_protocol::records::*;
use serde_json::{json, Value};

use crate::records::{opened, record, CODECS};
use crate::values::{no, Json};
use crate::Unsupported;

pub const MESSAGE: &str = "Records";
pub const OPS: [&str; 2] = ["decode", "encode"];

pub fn perform(op: &str, version: i8, value: &Value, bytes: &mut Bytes) -> Result<Value> {
    match op {
        "decode" => Ok(json!({"value": decode(version, bytes)?, "remaining": null})),
        "encode" => Ok(json!({"bytes": hex::encode(encode(version, value)?)})),
        _ => Err(Unsupported(op.to_owned()).into()),
    }
}

fn decode(version: i8, bytes: &mut Bytes) -> Result<Value> {
    let attributes = i16::from(bytes.get(17).copied().unwrap_or_default() & 15);
    let (_, records) = opened(RecordBatchDecoder::decode(bytes)?, attributes);
    let shown = records.iter().map(|each| {
        let mut shown = json!({"offset": each.offset, "key": each.key.show(0), "value": each.value.show(0)});
        if version > 0 {
            shown["timestamp"] = json!(each.timestamp);
        }
        shown
    });
    Ok(json!({"attributes": attributes, "records": shown.collect::<Vec<_>>()}))
}

fn encode(version: i8, value: &Value) -> Result<BytesMut> {
    let attributes = value["attributes"].as_u64().ok_or_else(|| no(value, "field"))? as usize;
    let (compression, _) = *CODECS.get(attributes).ok_or_else(|| Unsupported("no place for the broker's time".to_owned()))?;
    let list = value["records"].as_array().ok_or_else(|| no(value, "field"))?;
    if list.iter().any(|each| each["offset"] != 0) {
        return Err(Unsupported("no place for an offset".to_owned()).into());
    }
    let nobody = json!({"baseOffset": 0, "baseTimestamp": 0, "partitionLeaderEpoch": -1, "producerId": -1, "producerEpoch": -1,
        "baseSequence": -1});
    let records = list.iter().map(|each| {
        let time = if version > 0 { each["timestamp"].clone() } else { json!(0) };
        record(&nobody, 0, &json!({"attributes": 0, "offsetDelta": 0, "timestampDelta": time, "headers": [],
            "key": each["key"], "value": each["value"]}))
    });
    let records = records.collect::<Result<Vec<_>>>()?;
    let mut written = BytesMut::new();
    RecordBatchEncoder::encode(&mut written, records.iter(), &RecordEncodeOptions { version, compression })?;
    Ok(written)
}
