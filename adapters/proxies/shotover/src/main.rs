//! Shotover before one broker of this machine: `proxy LISTEN UPSTREAM`, each HOST:PORT.
//!
//! It ends at the end of its stdin. Shotover reads the arguments of the process: so this writes
//! its configuration, and becomes itself again with that.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, exit};
use std::{env, fs, thread};

const CONFIG: &str = "main_log_level: warn\n";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [listen, upstream] => panic!("{}", shotover_on(listen, upstream)),
        [_, _, _, ..] => run(),
        _ => panic!("usage: proxy LISTEN UPSTREAM"),
    }
}

/// Becomes Shotover; comes back with why it can't.
fn shotover_on(listen: &str, upstream: &str) -> io::Error {
    let folder = env::temp_dir().join(format!("kafka-conformance-shotover-{}", std::process::id()));
    let (config, topology) = (folder.join("config.yaml"), folder.join("topology.yaml"));
    let port = upstream.rsplit(':').next().unwrap();
    let written = fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&config, CONFIG))
        .and_then(|()| fs::write(&topology, topology_of(listen, port)));
    match written {
        Ok(()) => Command::new(env::current_exe().unwrap())
            .arg("--config-file")
            .arg(config)
            .arg("--topology-file")
            .arg(topology)
            .exec(),
        Err(error) => error,
    }
}

/// One source, and behind it the broker at a port of this machine.
fn topology_of(listen: &str, port: &str) -> String {
    format!(
        "sources:
  - Kafka:
      name: kafka
      listen_addr: {listen}
      chain:
        - KafkaSinkSingle:
            destination_port: {port}
            connect_timeout_ms: 3000
"
    )
}

fn run() {
    thread::spawn(|| {
        // Whoever started it may be killed at any time: not even a shutdown is waited for.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        exit(0);
    });
    let shotover = shotover::runner::Shotover::new();
    let config = env::args().nth(2).unwrap(); // which has been read
    let _ = fs::remove_dir_all(Path::new(&config).parent().unwrap());
    shotover.run_block();
}
