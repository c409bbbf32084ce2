//! A record as it is in releases that know the time by another name.

use std::collections::BTreeMap;

use rskafka::record::Record;
use rskafka::time::OffsetDateTime;

pub fn record(text: &str) -> Record {
    Record {
        key: Some(b"k".to_vec()),
        value: Some(text.as_bytes().to_vec()),
        headers: BTreeMap::new(),
        timestamp: OffsetDateTime::now_utc(),
    }
}
