//! Batches of records by kafka-protocol's own encoder and decoder.
//! A batch has no type of its own: each record tells what its batch says. What none tells, the bases and the ends of offsets
//! and times (and all of a batch without records), is read where the header has it. Its encoder works these out of the records,
//! so a batch that has others can't be given to it, and a round trip is not offered.

use anyhow::Result;
use bytes::{Buf, Bytes, BytesMut};
use kafka_protocol::records::*;
use serde_json::{json, Value};

use crate::values::{no, text, Json};
use crate::Unsupported;

pub const MESSAGE: &str = "RecordBatch";
pub const OPS: [&str; 2] = ["decode", "encode"];
pub const CODECS: [(Compression, &str); 5] = [
    (Compression::None, "None"),
    (Compression::Gzip, "Gzip"),
    (Compression::Snappy, "Snappy"),
    (Compression::Lz4, "Lz4"),
    (Compression::Zstd, "Zstd"),
];

pub fn perform(op: &str, value: &Value, bytes: &mut Bytes) -> Result<Value> {
    match op {
        "decode" => Ok(json!({"value": decode(bytes)?, "remaining": bytes.remaining()})),
        "encode" => Ok(json!({"bytes": hex::encode(encode(value)?)})),
        _ => Err(Unsupported(op.to_owned()).into()),
    }
}

/// What a batch was compressed with, and its records; releases up to 0.13 have the records alone.
#[cfg(record_sets)]
pub fn opened(set: RecordSet, _: i16) -> (i16, Vec<Record>) {
    let shown = format!("{:?}", set.compression); // it was an enum of an enum up to 0.15
    let codec = CODECS.iter().position(|(_, name)| shown.contains(name));
    (codec.unwrap_or_default() as i16, set.records)
}

#[cfg(not(record_sets))]
pub fn opened(records: Vec<Record>, attributes: i16) -> (i16, Vec<Record>) {
    (attributes & 7, records)
}

#[cfg(delete_horizon)]
fn delete_horizon(record: &Record) -> bool {
    record.delete_horizon
}

#[cfg(not(delete_horizon))]
fn delete_horizon(_: &Record) -> bool {
    false
}

fn flags(record: &Record) -> i16 {
    let log_append = matches!(record.timestamp_type, TimestampType::LogAppend);
    let flags = [log_append, record.transactional, record.control, delete_horizon(record)];
    flags.iter().enumerate().map(|(bit, set)| (*set as i16) << (3 + bit)).sum()
}

fn decode(bytes: &mut Bytes) -> Result<Value> {
    let head = bytes.clone();
    let set = RecordBatchDecoder::decode(bytes)?;
    let at = |place: usize| head.slice(place..);
    let (codec, records) = opened(set, at(21).get_i16());
    let (base, time) = (at(0).get_i64(), at(27).get_i64());
    let offset_delta = |record: &Record| record.offset.wrapping_sub(base) as i32;
    let (attributes, epoch, producer, producer_epoch, sequence) = match records.first() {
        Some(first) => (
            codec | flags(first),
            first.partition_leader_epoch,
            first.producer_id,
            first.producer_epoch,
            first.sequence.wrapping_sub(offset_delta(first)),
        ),
        None => (at(21).get_i16(), at(12).get_i32(), at(43).get_i64(), at(51).get_i16(), at(53).get_i32()),
    };
    let shown = records.iter().map(|record| {
        let headers = record.headers.iter();
        let headers: Vec<_> = headers.map(|(key, value)| json!({"key": &key[..], "value": value.show(0)})).collect();
        json!({
            "attributes": 0, "timestampDelta": record.timestamp.wrapping_sub(time), "offsetDelta": offset_delta(record),
            "key": record.key.show(0), "value": record.value.show(0), "headers": headers,
        })
    });
    Ok(json!({
        "baseOffset": base, "partitionLeaderEpoch": epoch, "attributes": attributes,
        "lastOffsetDelta": at(23).get_i32(), "baseTimestamp": time, "maxTimestamp": at(35).get_i64(),
        "producerId": producer, "producerEpoch": producer_epoch, "baseSequence": sequence,
        "records": shown.collect::<Vec<_>>(),
    }))
}

fn encode(value: &Value) -> Result<BytesMut> {
    let list = value["records"].as_array().ok_or_else(|| no(value, "batch"))?;
    let attributes = i16::read(&value["attributes"])?;
    let (compression, _) = *CODECS.get(attributes as usize & 7).ok_or_else(|| no(&value["attributes"], "compression"))?;
    let records = list.iter().map(|item| record(value, attributes, item)).collect::<Result<Vec<_>>>()?;
    worked_out(value, &records)?;
    let mut written = BytesMut::new();
    RecordBatchEncoder::encode(&mut written, records.iter(), &RecordEncodeOptions { version: 2, compression })?;
    Ok(written)
}

/// Refuses a batch whose bases and ends are others than those that the encoder makes of its records.
fn worked_out(value: &Value, records: &[Record]) -> Result<()> {
    let offsets = records.iter().map(|record| record.offset);
    let times = records.iter().map(|record| record.timestamp);
    let base = i64::read(&value["baseOffset"])?;
    let last = base.checked_add(i64::read(&value["lastOffsetDelta"])?);
    let base_time = Some(i64::read(&value["baseTimestamp"])?);
    let max_time = Some(i64::read(&value["maxTimestamp"])?);
    let fits = (offsets.clone().min(), offsets.max()) == (Some(base), last)
        && (times.clone().min(), times.max()) == (base_time, max_time);
    if fits { Ok(()) } else { Err(no(value, "batch as it follows from records")) }
}

pub fn record(batch: &Value, attributes: i16, item: &Value) -> Result<Record> {
    let known = if cfg!(delete_horizon) { 0x7f } else { 0x3f };
    if attributes & !known != 0 || item["attributes"] != 0 {
        return Err(Unsupported("no place for these attributes".to_owned()).into());
    }
    let delta = i32::read(&item["offsetDelta"])?;
    let sum = |base: &Value, delta: i64| i64::read(base)?.checked_add(delta).ok_or_else(|| no(base, "base"));
    let mut headers = indexmap::IndexMap::new();
    for header in item["headers"].as_array().ok_or_else(|| no(item, "record"))? {
        let key = header["key"].as_str().ok_or_else(|| no(header, "header"))?;
        if headers.insert(text(key)?, Json::read(&header["value"])?).is_some() {
            return Err(no(&item["headers"], "map of headers"));
        }
    }
    Ok(Record {
        transactional: attributes & 16 != 0,
        control: attributes & 32 != 0,
        #[cfg(delete_horizon)]
        delete_horizon: attributes & 64 != 0,
        partition_leader_epoch: Json::read(&batch["partitionLeaderEpoch"])?,
        producer_id: Json::read(&batch["producerId"])?,
        producer_epoch: Json::read(&batch["producerEpoch"])?,
        timestamp_type: if attributes & 8 != 0 { TimestampType::LogAppend } else { TimestampType::Creation },
        offset: sum(&batch["baseOffset"], delta.into())?,
        sequence: i32::read(&batch["baseSequence"])?.wrapping_add(delta),
        timestamp: sum(&batch["baseTimestamp"], i64::read(&item["timestampDelta"])?)?,
        key: Json::read(&item["key"])?,
        value: Json::read(&item["value"])?,
        headers,
    })
}
