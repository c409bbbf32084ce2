//! rskafka and batches of records: its reader and writer of one.
//!
//! It has no place for the attributes of a record, and of a control batch it knows only whether
//! that commits or aborts, so such a batch has no value here.

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use rskafka::protocol::primitives::*;
use rskafka::protocol::record::*;
use rskafka::protocol::traits::{ReadType, WriteType};
use serde_json::{json, Value};

use crate::values::{bytes, no, Json, Result};
use crate::{left, Input, Unsupported};

pub const MESSAGE: &str = "RecordBatch";
pub const OPS: [&str; 3] = ["roundtrip", "decode", "encode"];
const CODECS: [RecordBatchCompression; 5] = [
    RecordBatchCompression::NoCompression,
    RecordBatchCompression::Gzip,
    RecordBatchCompression::Snappy,
    RecordBatchCompression::Lz4,
    RecordBatchCompression::Zstd,
];
const TIMES: [RecordBatchTimestampType; 2] =
    [RecordBatchTimestampType::CreateTime, RecordBatchTimestampType::LogAppendTime];

pub fn perform(op: &str, value: &Value, input: &mut Input, stage: &mut &str) -> Result<Value> {
    let batch = if op == "encode" { from_json(value)? } else { RecordBatch::read(input)? };
    if op == "decode" {
        return Ok(json!({"value": to_json(&batch)?, "remaining": left(input)}));
    }
    *stage = "encode";
    let mut output = Vec::new();
    batch.write(&mut output)?;
    Ok(json!({"bytes": hex::encode(output)}))
}

fn to_json(batch: &RecordBatch) -> Result<Value> {
    let ControlBatchOrRecords::Records(records) = &batch.records else {
        return Err(Unsupported("a control batch's record is not told".to_owned()).into());
    };
    let codec = CODECS.iter().position(|each| *each == batch.compression).unwrap();
    let time = TIMES.iter().position(|each| *each == batch.timestamp_type).unwrap();
    let attributes = codec | time << 3 | (batch.is_transactional as usize) << 4;
    let records: Vec<_> = records.iter().map(record).collect();
    Ok(json!({
        "baseOffset": batch.base_offset, "partitionLeaderEpoch": batch.partition_leader_epoch,
        "attributes": attributes, "lastOffsetDelta": batch.last_offset_delta,
        "baseTimestamp": batch.first_timestamp, "maxTimestamp": batch.max_timestamp,
        "producerId": batch.producer_id, "producerEpoch": batch.producer_epoch,
        "baseSequence": batch.base_sequence, "records": records,
    }))
}

fn record(record: &Record) -> Value {
    let headers = record.headers.iter();
    let headers: Vec<_> =
        headers.map(|each| json!({"key": each.key, "value": STANDARD.encode(&each.value)})).collect();
    json!({
        "attributes": 0, "timestampDelta": record.timestamp_delta, "offsetDelta": record.offset_delta,
        "key": record.key.shown(), "value": record.value.shown(), "headers": headers,
    })
}

/// What a record holds for its key or value: 0.1 has no null.
trait Held: Sized {
    fn shown(&self) -> Value;
    fn given(value: &Value) -> Result<Self>;
}

impl Held for Vec<u8> {
    fn shown(&self) -> Value {
        json!(STANDARD.encode(self))
    }
    fn given(value: &Value) -> Result<Self> {
        bytes(value)
    }
}

impl Held for Option<Vec<u8>> {
    fn shown(&self) -> Value {
        self.as_ref().map_or(Value::Null, Held::shown)
    }
    fn given(value: &Value) -> Result<Self> {
        if value.is_null() { Ok(None) } else { Held::given(value).map(Some) }
    }
}

fn from_json(value: &Value) -> Result<RecordBatch> {
    let attributes = Int16::parse(&value["attributes"])?.0 as usize;
    if attributes & !0x1f != 0 {
        return Err(Unsupported(format!("no place for attributes {attributes}")).into());
    }
    let codec = CODECS.get(attributes & 7).ok_or_else(|| no(&value["attributes"], "compression"))?;
    let records = value["records"].as_array().ok_or_else(|| no(value, "batch"))?;
    Ok(RecordBatch {
        base_offset: Int64::parse(&value["baseOffset"])?.0,
        partition_leader_epoch: Int32::parse(&value["partitionLeaderEpoch"])?.0,
        last_offset_delta: Int32::parse(&value["lastOffsetDelta"])?.0,
        first_timestamp: Int64::parse(&value["baseTimestamp"])?.0,
        max_timestamp: Int64::parse(&value["maxTimestamp"])?.0,
        producer_id: Int64::parse(&value["producerId"])?.0,
        producer_epoch: Int16::parse(&value["producerEpoch"])?.0,
        base_sequence: Int32::parse(&value["baseSequence"])?.0,
        records: ControlBatchOrRecords::Records(records.iter().map(written).collect::<Result<_>>()?),
        compression: *codec,
        is_transactional: attributes & 16 != 0,
        timestamp_type: TIMES[attributes >> 3 & 1],
    })
}

fn written(value: &Value) -> Result<Record> {
    let headers = value["headers"].as_array().ok_or_else(|| no(value, "record"))?.iter();
    let headers = headers.map(|each| {
        let (key, value) = (String_::parse(&each["key"])?.0, bytes(&each["value"])?);
        Ok(RecordHeader { key, value })
    });
    Ok(Record {
        timestamp_delta: Int64::parse(&value["timestampDelta"])?.0,
        offset_delta: Int32::parse(&value["offsetDelta"])?.0,
        key: Held::given(&value["key"])?,
        value: Held::given(&value["value"])?,
        headers: headers.collect::<Result<_>>()?,
    })
}
