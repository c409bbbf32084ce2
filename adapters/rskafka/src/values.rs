//! rskafka's values as JSON: its primitive types here, its structs by a table of their fields.

use std::error::Error;

use base64::{engine::general_purpose::STANDARD, Engine};
use rskafka::protocol::{api_key::ApiKey, api_version::ApiVersion};
use rskafka::protocol::{messages::IsolationLevel, primitives::*};
use serde_json::{json, Value};
use crate::Unsupported;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What maps to JSON and back. None is what a version has not, or a value: `none` is how that is shown, `null` what null is read as.
pub trait Json: Sized {
    fn show(&self) -> Value;
    fn parse(value: &Value) -> Result<Self>;
    fn none() -> Option<Value> {
        None
    }
    fn null() -> Result<Option<Self>> {
        Err(no(&Value::Null, "value"))
    }
    fn show_field(&self) -> Option<Value> {
        Some(self.show())
    }
    fn parse_field(name: &str, value: Option<&Value>) -> Result<Self> {
        Self::parse(value.ok_or_else(|| no(&Value::Null, name))?)
    }
}

pub fn no(value: &Value, kind: &str) -> Box<dyn Error> {
    Unsupported(format!("{value} is no {kind}")).into()
}

fn text(value: &Value) -> Result<String> {
    Ok(value.as_str().ok_or_else(|| no(value, "string"))?.to_owned())
}

pub fn bytes(value: &Value) -> Result<Vec<u8>> {
    Ok(STANDARD.decode(text(value)?)?)
}

macro_rules! types {
    ($($type:ty: $item:ident => $show:expr, $value:ident => $read:expr;)*) => { $(impl Json for $type {
        fn show(&self) -> Value {
            let $item = self;
            json!($show)
        }
        fn parse($value: &Value) -> Result<Self> {
            Ok($read)
        }
    })* };
}

pub fn integer<T: TryFrom<i64>>(value: &Value) -> Result<T> {
    value.as_i64().and_then(|number| number.try_into().ok()).ok_or_else(|| no(value, "integer"))
}

types! {
    Boolean: item => item.0, value => Boolean(value.as_bool().ok_or_else(|| no(value, "bool"))?);
    Int8: item => item.0, value => Int8(integer(value)?);
    Int16: item => item.0, value => Int16(integer(value)?);
    Int32: item => item.0, value => Int32(integer(value)?);
    Int64: item => item.0, value => Int64(integer(value)?);
    Varint: item => item.0, value => Varint(integer(value)?);
    Varlong: item => item.0, value => Varlong(integer(value)?);
    UnsignedVarint: item => item.0, value => UnsignedVarint(integer(value)?);
    String_: item => item.0, value => String_(text(value)?);
    CompactString: item => item.0, value => CompactString(text(value)?);
    ApiKey: item => Int16::from(*item).0, value => ApiKey::from(Int16::parse(value)?);
    ApiVersion: item => item.0.0, value => ApiVersion(Int16::parse(value)?);
    IsolationLevel: item => Int8::from(*item).0, value => match Int8::parse(value)?.0 {
        0 => IsolationLevel::ReadUncommitted,
        1 => IsolationLevel::ReadCommitted,
        _ => return Err(no(value, "IsolationLevel")),
    };
}

#[cfg(bytes)] // from the release on that logs in
types! {
    Bytes: item => STANDARD.encode(&item.0), value => Bytes(bytes(value)?);
    CompactBytes: item => STANDARD.encode(&item.0), value => CompactBytes(bytes(value)?);
}

macro_rules! nullable {
    ($($type:ident)*) => { $(impl Json for $type {
        fn show(&self) -> Value {
            json!(self.0)
        }
        fn parse(value: &Value) -> Result<Self> {
            Ok($type(if value.is_null() { None } else { Some(text(value)?) }))
        }
        fn null() -> Result<Option<Self>> {
            Ok(Some($type(None)))
        }
    })* };
}
nullable! { NullableString CompactNullableString }

impl Json for TaggedFields {
    fn show(&self) -> Value {
        self.0.iter().map(|(tag, data)| json!({"tag": tag.0, "bytes": STANDARD.encode(data)})).collect()
    }
    fn parse(value: &Value) -> Result<Self> {
        let tag = |each: &Value| Ok((UnsignedVarint(integer(&each["tag"])?), bytes(&each["bytes"])?));
        let list = value.as_array().ok_or_else(|| no(value, "list of tags"))?;
        list.iter().map(tag).collect::<Result<_>>().map(TaggedFields)
    }
}

impl<T: Json> Json for Vec<T> {
    fn show(&self) -> Value {
        self.iter().map(T::show).collect()
    }
    fn parse(value: &Value) -> Result<Self> {
        value.as_array().ok_or_else(|| no(value, "array"))?.iter().map(T::parse).collect()
    }
    fn null() -> Result<Option<Self>> {
        Ok(None)
    }
}

impl<T: Json> Json for Array<T> {
    fn show(&self) -> Value {
        self.0.as_ref().map_or(Value::Null, Json::show)
    }
    fn parse(value: &Value) -> Result<Self> {
        Ok(Array(if value.is_null() { None } else { Some(Json::parse(value)?) }))
    }
}

impl<T: Json> Json for Option<T> {
    fn show(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::show)
    }
    fn parse(value: &Value) -> Result<Self> {
        match T::none() {
            Some(none) if none == *value => Ok(None),
            _ if value.is_null() => T::null(),
            _ => T::parse(value).map(Some),
        }
    }
    fn show_field(&self) -> Option<Value> {
        self.as_ref().map_or_else(T::none, |item| Some(item.show()))
    }
    fn parse_field(_: &str, value: Option<&Value>) -> Result<Self> {
        value.map_or(Ok(None), Self::parse)
    }
}
