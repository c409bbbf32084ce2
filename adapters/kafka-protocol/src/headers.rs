//! Request headers by the crate's helpers, and by the versions that its ApiKey gives where a release has none.

#[cfg(header_helpers)]
pub use kafka_protocol::protocol::{decode_request_header_from_buffer, encode_request_header_into_buffer};

#[cfg(not(header_helpers))]
pub use without::*;

#[cfg(not(header_helpers))]
mod without {
    use anyhow::{anyhow, Result};
    use bytes::{Buf, Bytes, BytesMut};
    use kafka_protocol::messages::{ApiKey, RequestHeader};
    use kafka_protocol::protocol::{Decodable, Encodable};

    fn header_version(key: i16, version: i16) -> Result<i16> {
        let key = ApiKey::try_from(key).map_err(|()| anyhow!("no such key"))?;
        Ok(key.request_header_version(version))
    }

    pub fn decode_request_header_from_buffer(bytes: &mut Bytes) -> Result<RequestHeader> {
        let mut start = bytes.clone();
        if start.remaining() < 4 {
            return Err(anyhow!("no key and version"));
        }
        let version = header_version(start.get_i16(), start.get_i16())?;
        Ok(RequestHeader::decode(bytes, version)?)
    }

    pub fn encode_request_header_into_buffer(written: &mut BytesMut, header: &RequestHeader) -> Result<()> {
        Ok(header.encode(written, header_version(header.request_api_key, header.request_api_version)?)?)
    }
}
