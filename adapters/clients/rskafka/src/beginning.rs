//! Where reading begins, and what keys and values are, in releases from 0.2 on.

use rskafka::client::consumer::StartOffset;

pub const OFFSET: StartOffset = StartOffset::Earliest;

pub fn text(raw: &Option<Vec<u8>>) -> String {
    raw.as_ref().map_or("null".to_owned(), |bytes| String::from_utf8_lossy(bytes).into_owned())
}
