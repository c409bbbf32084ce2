//! kafka-protocol's values as JSON: its primitive types here, its structs by a table of their fields.

use std::collections::BTreeMap;
#[cfg(not(string_crate))]
use std::convert::TryFrom as Checked;

use anyhow::Result;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use base64::Engine;
use bytes::Bytes;
use kafka_protocol::messages::{BrokerId, GroupId, ProducerId, TopicName, TransactionalId};
use kafka_protocol::protocol::StrBytes;
use serde_json::{json, Value};
#[cfg(string_crate)]
use string::TryFrom as Checked;
use uuid::Uuid;

use crate::Unsupported;

/// What maps to JSON and back. A version shows its own fields; what is not given stays at its default.
pub trait Json: Sized {
    fn show(&self, version: i16) -> Value;
    fn read(value: &Value) -> Result<Self>;
    fn is_left_out(&self) -> bool {
        false
    }
}

/// What a type of the crate can't hold can't be given to it.
pub fn no(value: &Value, kind: &str) -> anyhow::Error {
    Unsupported(format!("{value} is no {kind}")).into()
}

pub fn text(given: &str) -> Result<StrBytes> {
    Ok(Checked::try_from(Bytes::from(given.to_owned()))?)
}

macro_rules! integers {
    ($($type:ty)*) => { $(impl Json for $type {
        fn show(&self, _: i16) -> Value {
            json!(self)
        }
        fn read(value: &Value) -> Result<Self> {
            let number = value.as_i64().ok_or_else(|| no(value, stringify!($type)))?;
            number.try_into().map_err(|_| no(value, stringify!($type)))
        }
    })* };
}
integers! { i8 i16 i32 i64 u16 }

macro_rules! wrappers {
    ($($type:ident)*) => { $(impl Json for $type {
        fn show(&self, version: i16) -> Value {
            self.0.show(version)
        }
        fn read(value: &Value) -> Result<Self> {
            Ok($type(Json::read(value)?))
        }
    })* };
}
wrappers! { BrokerId GroupId ProducerId TopicName TransactionalId }

impl Json for bool {
    fn show(&self, _: i16) -> Value {
        json!(self)
    }
    fn read(value: &Value) -> Result<Self> {
        value.as_bool().ok_or_else(|| no(value, "bool"))
    }
}

impl Json for f64 {
    fn show(&self, _: i16) -> Value {
        let name = if self.is_nan() { "NaN" } else if *self > 0.0 { "Infinity" } else { "-Infinity" };
        if self.is_finite() { json!(self) } else { json!(name) }
    }
    fn read(value: &Value) -> Result<Self> {
        let number = value.as_str().map_or(value.as_f64(), |name| name.parse().ok());
        number.ok_or_else(|| no(value, "f64"))
    }
}

impl Json for StrBytes {
    fn show(&self, _: i16) -> Value {
        json!(&self[..])
    }
    fn read(value: &Value) -> Result<Self> {
        text(value.as_str().ok_or_else(|| no(value, "StrBytes"))?)
    }
}

impl Json for Bytes {
    fn show(&self, _: i16) -> Value {
        json!(STANDARD.encode(self))
    }
    fn read(value: &Value) -> Result<Self> {
        let text = value.as_str().ok_or_else(|| no(value, "Bytes"))?;
        Ok(STANDARD.decode(text)?.into())
    }
}

impl Json for Uuid {
    fn show(&self, _: i16) -> Value {
        json!(URL_SAFE_NO_PAD.encode(self.as_bytes()))
    }
    fn read(value: &Value) -> Result<Self> {
        let text = value.as_str().ok_or_else(|| no(value, "Uuid"))?;
        Ok(Uuid::from_slice(&URL_SAFE_NO_PAD.decode(text)?)?)
    }
}

impl<T: Json> Json for Option<T> {
    fn show(&self, version: i16) -> Value {
        self.as_ref().map_or(Value::Null, |item| item.show(version))
    }
    fn read(value: &Value) -> Result<Self> {
        if value.is_null() { Ok(None) } else { T::read(value).map(Some) }
    }
}

impl<T: Json> Json for Vec<T> {
    fn show(&self, version: i16) -> Value {
        self.iter().map(|item| item.show(version)).collect()
    }
    fn read(value: &Value) -> Result<Self> {
        value.as_array().ok_or_else(|| no(value, "Vec"))?.iter().map(T::read).collect()
    }
}

/// Unknown tagged fields, which the crate keeps by their tags.
impl Json for BTreeMap<i32, Bytes> {
    fn show(&self, _: i16) -> Value {
        self.iter().map(|(tag, bytes)| json!({"tag": *tag as u32, "bytes": bytes.show(0)})).collect()
    }
    fn read(value: &Value) -> Result<Self> {
        let list = value.as_array().ok_or_else(|| no(value, "list of tags"))?;
        list.iter().map(|item| Ok((Json::read(&item["tag"])?, Json::read(&item["bytes"])?))).collect()
    }
    fn is_left_out(&self) -> bool {
        self.is_empty()
    }
}
