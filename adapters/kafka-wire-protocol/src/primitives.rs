//! The types of the protocol one by one, those for which the crate's public traits are implemented.

use kafka_wire_protocol::readable_writable::{Readable, Writable};
use serde_json::json;
use uuid::Uuid;

use crate::messages::{Codec, Table};
use crate::values::{Json, Result};

const MESSAGE: &str = "Primitives";

fn written(item: &impl Writable, compact: bool) -> Result<Vec<u8>> {
    let mut output = Vec::new();
    item.write_ext(&mut output, MESSAGE, compact)?;
    Ok(output)
}

macro_rules! types {
    ($table:ident $($version:literal $name:literal $type:ty, $compact:literal;)*) => { $(
        let codec = Codec {
            decode: |input| Ok(json!({$name: <$type as Readable>::read_ext(input, $name, $compact)?.show()})),
            encode: |value| written(&<$type as Json>::read(&value[$name])?, $compact),
            roundtrip: |input, stage| {
                let item = <$type as Readable>::read_ext(input, $name, $compact)?;
                *stage = "encode";
                written(&item, $compact)
            },
            api_key: None,
        };
        $table.insert((MESSAGE, $version), codec);
    )* };
}

pub fn add(table: &mut Table) {
    types! { table
        0 "boolean" bool, false;
        1 "int8" i8, false;
        2 "int16" i16, false;
        3 "int32" i32, false;
        4 "int64" i64, false;
        5 "uint16" u16, false;
        6 "uint32" u32, false;
        7 "float64" f64, false;
        8 "uuid" Uuid, false;
        9 "string" String, false;
        10 "nullableString" Option<String>, false;
        11 "compactString" String, true;
        12 "compactNullableString" Option<String>, true;
    }
}
