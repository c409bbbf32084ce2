//! Writes the table of kafka_wire_protocol's structs and their fields, read from the crate's source.
//!
//! Rust can't list a struct's fields while it runs. The crate's files are generated and have one
//! form: a module for each version of a message, in it a field of a struct on a line of its own.

use std::path::{Path, PathBuf};
use std::{env, fs, process::Command};

fn main() {
    let cargo = env::var("CARGO").unwrap();
    let platform = env::var("TARGET").unwrap();
    let arguments = ["metadata", "--format-version=1", "--offline", "--filter-platform", &platform];
    let metadata = Command::new(cargo).args(arguments).output().unwrap().stdout;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages.find(|each| each["name"] == "kafka_wire_protocol").unwrap();
    let schema = Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src/schema");

    let mut generated = String::new();
    let mut messages = String::new();
    for file in modules(&schema).iter().flat_map(|folder| modules(folder)) {
        let version = file.file_stem().unwrap().to_str().unwrap();
        let message = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(file.with_extension("rs")).unwrap();
        for (name, fields) in structs(&text) {
            let path = format!("kafka_wire_protocol::schema::{message}::{version}::{name}");
            generated += &format!("fields! {{ {path} {{ {fields} }} }}\n");
            if name.to_lowercase() == message.replace('_', "") {
                let api = text.contains(&format!("impl ApiMessage for {name} "));
                let made = if api { "framed" } else { "of" };
                messages += &format!("(({name:?}, {}), Codec::{made}::<{path}>()),\n", &version[1..]);
            }
        }
    }
    generated += &format!(
        "pub fn messages() -> BTreeMap<(&'static str, i16), Codec> {{ BTreeMap::from([\n{messages}]) }}\n\
         pub const VERSION: &str = {};\n\
         pub const DEFINITIONS: &str = {:?};\n",
        package["version"],
        definitions(&schema.with_file_name("../README.md"))
    );
    let output = Path::new(&env::var("OUT_DIR").unwrap()).join("messages.rs");
    fs::write(output, generated).unwrap();
}

/// The release of Kafka whose definitions it was made of, as its README tells.
fn definitions(readme: &Path) -> String {
    let text = fs::read_to_string(readme).unwrap();
    let told = text.split("Message versions").nth(1).and_then(|rest| rest.split("Kafka ").nth(1));
    told.and_then(|rest| rest.split(' ').next()).unwrap_or_default().to_owned()
}

/// The modules that one in a folder has: not all files that lie there are compiled.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(folder.join("mod.rs")).unwrap();
    let names = text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.map(|name| folder.join(name)).collect()
}

/// The structs of a module, each with its fields as the macro takes them.
fn structs(text: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("pub struct ") {
            found.push((name.trim_end_matches([' ', '{', '}']), String::new()));
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

/// `type_` is `type`, `kraft_version` is `kRaftVersion`, and `_unknown_tagged_fields` keep their first `_`.
fn json_name(own: &str) -> String {
    let mut words = own.trim_matches('_').split('_');
    let head = own.starts_with('_').then_some("_").unwrap_or_default();
    let head = head.to_owned() + words.next().unwrap();
    let name = words.fold(head, |name, word| name + &word[..1].to_uppercase() + &word[1..]);
    name.replace("kraft", "kRaft").replace("Kraft", "KRaft")
}
