//! kafka-protocol's messages, one struct for all versions of each, which build.rs finds.

use anyhow::Result;
use bytes::{Bytes, BytesMut};
use kafka_protocol::protocol::{Decodable, Encodable, Message, VersionRange};
use serde_json::Value;

use crate::values::{no, Json};
use crate::{fields, Unsupported};

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

/// One message: how to read it, to write it, and to do both.
#[derive(Clone, Copy)]
pub struct Codec {
    pub decode: fn(&mut Bytes, i16) -> Result<Value>,
    pub encode: fn(&mut BytesMut, i16, &Value) -> Result<()>,
    pub roundtrip: fn(&mut Bytes, i16, &mut &str) -> Result<BytesMut>,
}

impl Codec {
    fn of<M: Decodable + Encodable + Json>() -> Codec {
        Codec {
            decode: |bytes, version| Ok(M::decode(bytes, version)?.show(version)),
            encode: |bytes, version, value| Ok(M::read(value)?.encode(bytes, version)?),
            roundtrip: |bytes, version, stage| {
                let message = M::decode(bytes, version)?;
                *stage = "encode";
                let mut written = BytesMut::new();
                message.encode(&mut written, version)?;
                Ok(written)
            },
        }
    }

    pub fn named(name: &str) -> Result<Codec> {
        let found = messages().into_iter().find(|(each, ..)| *each == name);
        Ok(found.ok_or_else(|| Unsupported(format!("no message {name}")))?.2)
    }
}
