//! Where reading begins, and what keys and values are, in releases that know no first offset and no null.

pub const OFFSET: i64 = 0;

pub fn text(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).into_owned()
}
