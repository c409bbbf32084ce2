//! rskafka's messages: what it reads, what it writes, and in which versions.

use std::collections::BTreeMap;

use rskafka::protocol::messages::*;
use rskafka::protocol::{api_version::ApiVersion, error::Error as ErrorCode, primitives::Int16};
use serde_json::{json, Value};

use crate::values::{integer, no, Json, Result};
use crate::{Input, Unsupported};

macro_rules! fields {
    ($type:ident { $($own:ident $name:literal,)* }) => {
        impl Json for $type {
            fn show(&self) -> Value {
                let fields = [$(($name, self.$own.show_field()),)*];
                let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
                Value::Object(present.collect())
            }
            fn parse(value: &Value) -> Result<Self> {
                let given = value.as_object().ok_or_else(|| no(value, "struct"))?;
                if let Some(name) = given.keys().find(|name| ![$($name),*].contains(&name.as_str())) {
                    return Err(Unsupported(format!("no field {name}")).into());
                }
                Ok($type { $($own: Json::parse_field($name, given.get($name))?,)* })
            }
        }
    };
}

pub fn number(version: i16) -> ApiVersion {
    ApiVersion(Int16(version))
}

/// A message: its versions, the first with tags in its header, and what can be done with it.
pub struct Codec {
    pub versions: [i16; 2],
    pub tagged_from: i16,
    pub api_key: Value,
    pub read: Option<fn(&mut Input, i16) -> Result<Value>>,
    pub write: Option<fn(&Value, &mut Vec<u8>, i16) -> Result<()>>,
    pub roundtrip: Option<fn(&mut Input, i16, &mut &str) -> Result<Vec<u8>>>,
}

macro_rules! codec {
    ($type:ident $request:ident $tagged:ident $($does:ident)*) => { (stringify!($type), {
        let range = $request::API_VERSION_RANGE;
        let mut codec = Codec {
            versions: [range.min().0.0, range.max().0.0],
            tagged_from: $request::$tagged.0.0,
            api_key: $request::API_KEY.show(),
            read: None, write: None, roundtrip: None,
        };
        $(codec.$does = codec!($does $type);)*
        codec
    }) };
    (read $type:ident) => { Some(|input, version| Ok($type::read_versioned(input, number(version))?.show())) };
    (write $type:ident) => {
        Some(|value, output, version| Ok($type::parse(value)?.write_versioned(output, number(version))?))
    };
    (roundtrip $type:ident) => { Some(|input, version, stage| {
        let (message, mut output) = ($type::read_versioned(input, number(version))?, Vec::new());
        *stage = "encode";
        message.write_versioned(&mut output, number(version))?;
        Ok(output)
    }) };
}

macro_rules! apis {
    ($($request:ident $($asked:ident)*, $response:ident $($answered:ident)*;)*) => { BTreeMap::from([
        $(codec!($request $request FIRST_TAGGED_FIELD_IN_REQUEST_VERSION $($asked)*),
        codec!($response $request FIRST_TAGGED_FIELD_IN_RESPONSE_VERSION $($answered)*),)*
    ]) };
}

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

type Codecs = BTreeMap<&'static str, Codec>;

pub fn codecs() -> Codecs {
    let mut codecs = plain();
    codecs.extend([codec!(ProduceResponse ProduceRequest FIRST_TAGGED_FIELD_IN_RESPONSE_VERSION read)]);
    // Its isolation levels are an enum, the definition's any number: what has them can't be asked.
    codecs.get_mut("ListOffsetsRequest").unwrap().versions[1] = 1;
    // Tags came to this version after the release whose definitions it follows.
    codecs.get_mut("ApiVersionsResponse").unwrap().versions[1] = 2;
    codecs
}

impl Json for ErrorCode {
    fn show(&self) -> Value {
        json!(Int16::from(Some(*self)).0)
    }
    fn parse(value: &Value) -> Result<Self> {
        ErrorCode::new(integer(value)?).ok_or_else(|| no(value, "error"))
    }
    fn none() -> Option<Value> {
        Some(json!(0))
    }
}
