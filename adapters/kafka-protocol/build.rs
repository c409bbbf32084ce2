//! Writes the table of kafka-protocol's structs and their fields, read from the crate's own source.
//!
//! Rust can't list a struct's fields while it runs. The crate's files are generated and have one
//! form: a struct's field stands on a line of its own, under the versions that have it.

use std::{env, fs, path::Path, process::Command};

const TAGS: &str = "unknown_tagged_fields";

fn main() {
    let cargo = env::var("CARGO").unwrap();
    let platform = env::var("TARGET").unwrap();
    let arguments = ["metadata", "--format-version=1", "--offline", "--filter-platform", &platform];
    let metadata = Command::new(cargo).args(arguments).output().unwrap().stdout;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages.find(|each| each["name"] == "kafka-protocol").unwrap();
    let source = Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src");

    let mut files: Vec<_> = fs::read_dir(source.join("messages")).unwrap().flatten().collect();
    files.sort_by_key(|file| file.path());
    let plain = !files.iter().any(|file| fs::read_to_string(file.path()).unwrap().contains("IndexMap<"));
    features(&source, plain);

    let mut generated = String::new();
    let mut messages = String::new();
    for file in files {
        let path = file.path();
        let module = path.file_stem().unwrap().to_str().unwrap();
        for (name, fields) in structs(&fs::read_to_string(&path).unwrap()) {
            let path = format!("kafka_protocol::messages::{module}::{name}");
            let fields = if plain { fields } else { String::new() };
            generated += &format!("fields! {{ {path} {{ {fields} }} }}\n");
            if name.to_lowercase() == module.replace('_', "") {
                messages += &format!("({name:?}, <{path} as Message>::VERSIONS, Codec::of::<{path}>()),\n");
            }
        }
    }
    generated += &format!(
        "pub fn messages() -> Vec<(&'static str, VersionRange, Codec)> {{ vec![\n{messages}] }}\n\
         pub const VERSION: &str = {};\n\
         pub const DEFINITIONS: &str = {:?};\n",
        package["version"],
        definitions(&source.with_file_name("README.md"))
    );
    let output = Path::new(&env::var("OUT_DIR").unwrap()).join("messages.rs");
    fs::write(output, generated).unwrap();
}

/// Tells the adapter what the release has. Maps (up to 0.13) have a field of their elements for a key,
/// and say nowhere which: so a release with them is asked for round trips alone.
fn features(source: &Path, plain: bool) {
    let records = fs::read_to_string(source.join("records.rs")).unwrap();
    let protocol = fs::read_to_string(source.join("protocol/mod.rs")).unwrap();
    let features = [
        ("plain", plain),
        ("record_sets", records.contains("pub struct RecordSet")),
        ("message_sets", records.contains("fn encode_legacy")),
        ("delete_horizon", records.contains("pub delete_horizon: bool")),
        ("string_crate", protocol.contains("string::String<")),
        ("header_helpers", protocol.contains("pub fn decode_request_header_from_buffer")),
    ];
    for (name, has) in features {
        println!("cargo:rustc-check-cfg=cfg({name})");
        if has {
            println!("cargo:rustc-cfg={name}");
        }
    }
}

/// The release of Kafka whose definitions it was made of, as its README tells.
fn definitions(readme: &Path) -> String {
    let text = fs::read_to_string(readme).unwrap();
    let told = text.split("currently [").nth(1).and_then(|rest| rest.split(']').next());
    told.unwrap_or_default().to_owned()
}

/// The structs of a module, each with its fields as the macro takes them.
fn structs(text: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let (mut inside, mut versions) = (false, "");
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("pub struct ") {
            found.push((name.trim_end_matches(" {"), String::new()));
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if let Some(said) = line.strip_prefix("    /// Supported API versions: ") {
            versions = said;
        } else if let (true, Some(field)) = (inside, line.strip_prefix("    pub ")) {
            let own = field.split(':').next().unwrap();
            let (low, high) = match (own, versions) {
                (TAGS, _) => ("0", "32767"), // the struct knows where it has them
                (_, "none") => ("1", "0"),
                _ => versions.split_once('-').unwrap_or((versions, versions)),
            };
            found.last_mut().unwrap().1 += &format!("{own} {:?} {low} {high}, ", json_name(own));
        }
    }
    found
}

/// `unknown_tagged_fields` are called as in the JSON form, `_type` is `type`, and `enable_2_pc` is `enable2Pc`.
fn json_name(own: &str) -> String {
    let mut words = own.trim_start_matches('_').split('_');
    let head = if own == TAGS { "_" } else { "" }.to_owned() + words.next().unwrap();
    words.fold(head, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}
