//! A record as it is from 0.4 on.

use std::collections::BTreeMap;

use chrono::Utc;
use rskafka::record::Record;

pub fn record(text: &str) -> Record {
    Record {
        key: Some(b"k".to_vec()),
        value: Some(text.as_bytes().to_vec()),
        headers: BTreeMap::new(),
        timestamp: Utc::now(),
    }
}
