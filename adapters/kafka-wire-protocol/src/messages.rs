//! kafka_wire_protocol's messages: a struct for each version of each, which build.rs finds.

use std::collections::BTreeMap;
use std::io::Cursor;

use kafka_wire_protocol::api_message_type::ApiMessageType;
use kafka_wire_protocol::markers::ApiMessage;
use kafka_wire_protocol::readable_writable::{Readable, Writable};
use serde_json::Value;

use crate::values::{no, Json, Result};
use crate::{fields, Unsupported};

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

pub type Input<'a> = Cursor<&'a [u8]>;

/// One version of a message: how to read, write and do both; and the API whose frames it stands in.
pub struct Codec {
    pub decode: fn(&mut Input) -> Result<Value>,
    pub encode: fn(&Value) -> Result<Vec<u8>>,
    pub roundtrip: fn(&mut Input, &mut &str) -> Result<Vec<u8>>,
    pub api_key: Option<i16>,
}

impl Codec {
    fn of<M: Readable + Writable + Json>() -> Codec {
        Codec {
            decode: |input| Ok(<M as Readable>::read(input)?.show()),
            encode: |value| written(&<M as Json>::read(value)?),
            roundtrip: |input, stage| {
                let message = <M as Readable>::read(input)?;
                *stage = "encode";
                written(&message)
            },
            api_key: None,
        }
    }

    fn framed<M: Readable + Writable + Json + ApiMessage + Default>() -> Codec {
        Codec { api_key: Some(M::default().api_key()), ..Codec::of::<M>() }
    }

    pub fn api(&self) -> Result<ApiMessageType> {
        let key = self.api_key.ok_or_else(|| Unsupported("no frame holds this".to_owned()))?;
        Ok(ApiMessageType::from_api_key(key))
    }
}

fn written(message: &impl Writable) -> Result<Vec<u8>> {
    let mut output = Vec::new();
    message.write(&mut output)?;
    Ok(output)
}

pub type Table = BTreeMap<(&'static str, i16), Codec>;

pub fn find<'a>(table: &'a Table, name: &str, version: i16) -> Result<&'a Codec> {
    let found = table.iter().find(|((each, number), _)| *each == name && *number == version);
    Ok(found.ok_or_else(|| Unsupported(format!("no {name} of version {version}")))?.1)
}
