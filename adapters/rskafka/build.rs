//! Writes the table of rskafka's structs and their fields, read from the crate's own source.
//!
//! Rust can't list a struct's fields while it runs; in the source each stands on a line of its own.

use std::{env, fs, path::Path, process::Command};

/// Their records are batches that were opened: no bytes as the JSON form has them.
const WITH_RECORDS: [&str; 2] = ["ProduceRequest", "FetchResponse"];

/// The APIs, and what a client's codec does with their requests and responses.
const APIS: [(&str, &str, &str); 8] = [
    ("ApiVersions", "read write roundtrip", "read write roundtrip"),
    ("CreateTopics", "write", "read"),
    ("DeleteRecords", "write", "read"),
    ("DeleteTopics", "write", "read"),
    ("ListOffsets", "write", "read"),
    ("Metadata", "write", "read"),
    ("SaslAuthenticate", "read write roundtrip", "read"),
    ("SaslHandshake", "read write roundtrip", "read"),
];

fn main() {
    let cargo = env::var("CARGO").unwrap();
    let platform = env::var("TARGET").unwrap();
    let arguments = ["metadata", "--format-version=1", "--offline", "--filter-platform", &platform];
    let metadata = Command::new(cargo).args(arguments).output().unwrap().stdout;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages.find(|each| each["name"] == "rskafka").unwrap();
    let source = Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src");

    let primitives = fs::read_to_string(source.join("protocol/primitives.rs")).unwrap();
    for (name, what) in [("bytes", "pub struct Bytes("), ("compact_arrays", "pub struct CompactArray<")] {
        println!("cargo:rustc-check-cfg=cfg({name})");
        if primitives.contains(what) {
            println!("cargo:rustc-cfg={name}");
        }
    }
    let (mut generated, mut all) = (String::new(), String::new());
    for file in fs::read_dir(source.join("protocol/messages")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        all += &text;
        for (name, fields) in structs(text.split("mod tests {").next().unwrap()) {
            if !WITH_RECORDS.iter().any(|word| name.starts_with(word)) {
                generated += &format!("fields! {{ {name} {{ {fields} }} }}\n");
            }
        }
    }
    let does = |name: &str, ops: &str| -> String {
        let reads = all.contains(&format!("ReadVersionedType<R> for {name}\n"));
        let writes = all.contains(&format!("WriteVersionedType<W> for {name}\n"));
        let has = |op: &str| (reads || op == "write") && (writes || op == "read");
        ops.split(' ').filter(|op| has(op)).collect::<Vec<_>>().join(" ")
    };
    let mut there = String::new();
    for (api, asked, answered) in APIS {
        let (request, response) = (format!("{api}Request"), format!("{api}Response"));
        if generated.contains(&format!("fields! {{ {request} ")) {
            let (asked, answered) = (does(&request, asked), does(&response, answered));
            there += &format!("{request} {asked}, {response} {answered};\n");
        }
    }
    generated += &format!("pub fn plain() -> Codecs {{ apis! {{ {there} }} }}\n");
    generated += &format!("pub const VERSION: &str = {};\n", package["version"]);
    let output = Path::new(&env::var("OUT_DIR").unwrap()).join("messages.rs");
    fs::write(output, generated).unwrap();
}

/// The structs of a module, each with its fields as the macro takes them.
fn structs(text: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("pub struct ") {
            found.push((name.trim_end_matches(" {"), String::new()));
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if let (true, Some(field)) = (inside, line.strip_prefix("    pub ")) {
            let own = field.split(':').next().unwrap();
            found.last_mut().unwrap().1 += &format!("{own} {:?}, ", json_name(own));
        }
    }
    found
}

fn json_name(own: &str) -> String {
    match own {
        "error" => return "errorCode".to_owned(),
        "tagged_fields" => return "_unknownTaggedFields".to_owned(),
        _ => (),
    }
    let mut words = own.split('_');
    let head = words.next().unwrap().to_owned();
    words.fold(head, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}
