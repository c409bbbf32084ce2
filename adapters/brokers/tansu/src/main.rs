//! Tansu's broker, whose storage is memory, on a port of 127.0.0.1: the one that is given, or a
//! free one for 0.
//!
//! It prints its address when it is ready, and ends at the end of its stdin. Tansu reads the
//! arguments of the process: so this becomes itself again, with those.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};
use std::time::Duration;
use std::{env, thread};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [port] => panic!("{}", tansu_on(&address(port))),
        [.., url] => run(url.trim_start_matches("tcp://").to_string()),
        [] => panic!("usage: broker PORT"),
    }
}

/// HOST:PORT, with a port that is free now for 0.
fn address(port: &str) -> String {
    let free = TcpListener::bind(format!("127.0.0.1:{port}")).expect("the port is taken");
    free.local_addr().unwrap().to_string()
}

/// Becomes Tansu's broker; comes back with why it can't.
fn tansu_on(address: &str) -> io::Error {
    let url = format!("tcp://{address}");
    Command::new(env::current_exe().unwrap())
        .args(["broker", "--silent", "--storage-engine", "memory://tansu/"])
        .args(["--listener-url", &url, "--advertised-listener-url", &url])
        .exec()
}

#[tokio::main]
async fn run(address: String) {
    thread::spawn(|| tell_and_wait(address));
    if let Err(error) = tansu_cli::Cli::main().await {
        panic!("{error}");
    }
}

fn tell_and_wait(address: String) {
    while TcpStream::connect(&address).is_err() {
        thread::sleep(Duration::from_millis(5));
    }
    println!("{address}");
    // Whoever started it may be killed at any time: not even a shutdown is waited for.
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    exit(0);
}
