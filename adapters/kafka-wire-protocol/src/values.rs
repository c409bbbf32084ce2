//! kafka_wire_protocol's values as JSON: its primitive types here, its structs by a table of fields.

use std::error::Error;

use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use base64::Engine;
use kafka_wire_protocol::tagged_fields::RawTaggedField;
use serde_json::{json, Value};
use uuid::Uuid;

use crate::Unsupported;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What maps to JSON and back. What is not given stays at its default.
pub trait Json: Sized {
    fn show(&self) -> Value;
    fn read(value: &Value) -> Result<Self>;
}

/// What a type of the crate can't hold can't be given to it.
pub fn no(value: &Value, kind: &str) -> Box<dyn Error> {
    Unsupported(format!("{value} is no {kind}")).into()
}

macro_rules! integers {
    ($($type:ty)*) => { $(impl Json for $type {
        fn show(&self) -> Value {
            json!(self)
        }
        fn read(value: &Value) -> Result<Self> {
            let number = value.as_i64().ok_or_else(|| no(value, stringify!($type)))?;
            number.try_into().map_err(|_| no(value, stringify!($type)))
        }
    })* };
}
integers! { i8 i16 i32 i64 u16 u32 }

impl Json for bool {
    fn show(&self) -> Value {
        json!(self)
    }
    fn read(value: &Value) -> Result<Self> {
        value.as_bool().ok_or_else(|| no(value, "bool"))
    }
}

impl Json for f64 {
    fn show(&self) -> Value {
        let name = if self.is_nan() { "NaN" } else if *self > 0.0 { "Infinity" } else { "-Infinity" };
        if self.is_finite() { json!(self) } else { json!(name) }
    }
    fn read(value: &Value) -> Result<Self> {
        let number = value.as_str().map_or(value.as_f64(), |name| name.parse().ok());
        number.ok_or_else(|| no(value, "f64"))
    }
}

impl Json for String {
    fn show(&self) -> Value {
        json!(self)
    }
    fn read(value: &Value) -> Result<Self> {
        Ok(value.as_str().ok_or_else(|| no(value, "String"))?.to_owned())
    }
}

impl Json for Vec<u8> {
    fn show(&self) -> Value {
        json!(STANDARD.encode(self))
    }
    fn read(value: &Value) -> Result<Self> {
        Ok(STANDARD.decode(value.as_str().ok_or_else(|| no(value, "Vec<u8>"))?)?)
    }
}

impl Json for Uuid {
    fn show(&self) -> Value {
        json!(URL_SAFE_NO_PAD.encode(self.as_bytes()))
    }
    fn read(value: &Value) -> Result<Self> {
        let text = value.as_str().ok_or_else(|| no(value, "Uuid"))?;
        Ok(Uuid::from_slice(&URL_SAFE_NO_PAD.decode(text)?)?)
    }
}

impl<T: Json> Json for Option<T> {
    fn show(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::show)
    }
    fn read(value: &Value) -> Result<Self> {
        if value.is_null() { Ok(None) } else { T::read(value).map(Some) }
    }
}

impl<T: Json> Json for Vec<T> {
    fn show(&self) -> Value {
        self.iter().map(T::show).collect()
    }
    fn read(value: &Value) -> Result<Self> {
        value.as_array().ok_or_else(|| no(value, "Vec"))?.iter().map(T::read).collect()
    }
}

impl Json for RawTaggedField {
    fn show(&self) -> Value {
        json!({"tag": self.tag as u32, "bytes": self.data.show()})
    }
    fn read(value: &Value) -> Result<Self> {
        Ok(RawTaggedField { tag: Json::read(&value["tag"])?, data: Json::read(&value["bytes"])? })
    }
}

#[macro_export]
macro_rules! fields {
    ($type:path { $($own:ident $name:literal,)* }) => {
        impl Json for $type {
            fn show(&self) -> Value {
                Value::Object([$(($name.to_owned(), self.$own.show()),)*].into_iter().collect())
            }
            #[allow(unused_mut)]
            fn read(value: &Value) -> Result<Self> {
                let given = value.as_object().ok_or_else(|| no(value, "struct"))?;
                let mut item = Self::default();
                for (name, _value) in given {
                    match name.as_str() {
                        $($name => item.$own = Json::read(_value)?,)*
                        _ => return Err(Unsupported(format!("no field {name}")).into()),
                    }
                }
                Ok(item)
            }
        }
    };
}
