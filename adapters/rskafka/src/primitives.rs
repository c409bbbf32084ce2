//! rskafka's types of the protocol one by one; older releases have fewer.
//!
//! An array is read and written with null, so it is asked as one that may be null.

use base64::{engine::general_purpose::STANDARD, Engine};
use rskafka::protocol::primitives::*;
use rskafka::protocol::traits::{ReadType, WriteType};
use serde_json::{json, Value};

use crate::values::{bytes, Json, Result};
use crate::{left, Input, Unsupported};

pub const MESSAGE: &str = "Primitives";
pub const OPS: [&str; 3] = ["roundtrip", "decode", "encode"];
const TAGS: &str = "_unknownTaggedFields";

impl Json for NullableBytes {
    fn show(&self) -> Value {
        self.0.as_ref().map_or(Value::Null, |data| json!(STANDARD.encode(data)))
    }
    fn parse(value: &Value) -> Result<Self> {
        Ok(NullableBytes(if value.is_null() { None } else { Some(bytes(value)?) }))
    }
}

#[cfg(compact_arrays)]
impl<T: Json> Json for CompactArray<T> {
    fn show(&self) -> Value {
        self.0.as_ref().map_or(Value::Null, Json::show)
    }
    fn parse(value: &Value) -> Result<Self> {
        Ok(CompactArray(if value.is_null() { None } else { Some(Json::parse(value)?) }))
    }
}

/// What was asked of one type: its field's name, the op, and what was given.
struct Asked<'a> {
    name: &'a str,
    op: &'a str,
    value: &'a Value,
    input: &'a mut Input,
}

fn of<T: Json + ReadType<Input> + WriteType<Vec<u8>>>(asked: Asked, stage: &mut &str) -> Result<Value> {
    let Asked { name, op, value, input } = asked;
    let item = if op == "encode" {
        let none = json!([]); // of the tags, which are not there where there are none
        T::parse(if name == TAGS { value.get(name).unwrap_or(&none) } else { &value[name] })?
    } else {
        T::read(input)?
    };
    if op == "decode" {
        let shown = item.show();
        let value = if name == TAGS && shown == json!([]) { json!({}) } else { json!({name: shown}) };
        return Ok(json!({"value": value, "remaining": left(input)}));
    }
    *stage = "encode";
    let mut output = Vec::new();
    item.write(&mut output)?;
    Ok(json!({"bytes": hex::encode(output)}))
}

macro_rules! types {
    ($($(#[$has:meta])? $version:literal $name:tt $type:ty;)*) => {
        pub fn versions() -> Vec<[i64; 2]> {
            vec![$($(#[$has])? [$version, $version],)*]
        }

        pub fn perform(op: &str, version: i16, value: &Value, input: &mut Input, stage: &mut &str) -> Result<Value> {
            match version {
                $($(#[$has])? $version => of::<$type>(Asked { name: $name, op, value, input }, stage),)*
                _ => Err(Unsupported(format!("no type {version}")).into()),
            }
        }
    };
}
types! {
    0 "boolean" Boolean;
    1 "int8" Int8;
    2 "int16" Int16;
    3 "int32" Int32;
    4 "int64" Int64;
    9 "string" String_;
    10 "nullableString" NullableString;
    11 "compactString" CompactString;
    12 "compactNullableString" CompactNullableString;
    #[cfg(bytes)] 13 "bytes" Bytes;
    14 "nullableBytes" NullableBytes;
    #[cfg(bytes)] 15 "compactBytes" CompactBytes;
    18 "nullableArray" Array<Int32>;
    #[cfg(compact_arrays)] 20 "compactNullableArray" CompactArray<Int32>;
    23 "varint" Varint;
    24 "varlong" Varlong;
    25 "unsignedVarint" UnsignedVarint;
    26 TAGS TaggedFields;
}
