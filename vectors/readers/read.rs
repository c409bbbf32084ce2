//! Prints `id message version header length sha256` for each vector of the files given.
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    for path in env::args_os().skip(1) {
        for line in fs::read_to_string(path)?.lines() {
            let vector: Value = serde_json::from_str(line)?;
            let text = |key: &str| vector[key].as_str().ok_or(format!("no text {key}: {line}"));
            let data = unhex(text("bytes")?)?;
            let header = vector["header"]
                .as_u64()
                .map_or("-".into(), |version| version.to_string());
            let (id, message, version) = (text("id")?, text("message")?, &vector["version"]);
            let (length, digest) = (data.len(), Sha256::digest(&data));
            println!("{id} {message} {version} {header} {length} {digest:x}");
        }
    }
    Ok(())
}

fn unhex(hex: &str) -> Result<Vec<u8>, std::num::ParseIntError> {
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16))
        .collect()
}
