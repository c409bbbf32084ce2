//! How a struct maps to JSON, by the table of its fields that build.rs writes.

#[macro_export]
macro_rules! fields {
    ($type:path { $($own:ident $name:literal $low:literal $high:literal,)* }) => {
        impl Json for $type {
            #[allow(unused_comparisons, unused_mut, unused_variables)]
            fn show(&self, version: i16) -> Value {
                let mut shown = serde_json::Map::new();
                $(if $low <= version && version <= $high && !self.$own.is_left_out() {
                    shown.insert($name.to_owned(), self.$own.show(version));
                })*
                Value::Object(shown)
            }
            #[allow(unused_mut, unused_variables)]
            fn read(value: &Value) -> Result<Self> {
                let given = value.as_object().ok_or_else(|| no(value, "struct"))?;
                let mut item = Self::default();
                for (name, value) in given {
                    match name.as_str() {
                        $($name => item.$own = Json::read(value)?,)*
                        _ => return Err(Unsupported(format!("no field {name}")).into()),
                    }
                }
                Ok(item)
            }
        }
    };
}
