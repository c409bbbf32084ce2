//! rskafka as a driver: ACTION HOST:PORT. Its last line is ok, error and why, or unsupported.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use rskafka::client::consumer::{StartOffset, StreamConsumerBuilder};
use rskafka::client::error::Error;
use rskafka::client::partition::{Compression, PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder};
use rskafka::BackoffConfig;

const REQUEST_MS: i32 = 3_000;
const RETRY: Duration = Duration::from_secs(6);
const ACTION: Duration = Duration::from_secs(8);
const ACTIONS: [&str; 14] = [
    "topics", "create", "produce", "both", "large", "consume", "read", "login", "scram", "delete", "blank", "lengthy",
    "brimming", "foreign",
];
const UNSUPPORTED: &str = "unsupported";

mod large;
mod login;
mod record;

/// What the application is told, or why it is not.
type Outcome = Result<Vec<String>, String>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    if !ACTIONS.contains(&words[1].as_str()) {
        println!("unsupported it has no {}", words[1]);
        std::process::exit(1);
    }
    let outcome = match tokio::time::timeout(ACTION, act(&words[1], &words[2])).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("DriverTimeout no end within {} s", ACTION.as_secs())),
    };
    match outcome {
        Ok(words) => println!("ok {}", words.join(" ")),
        Err(text) if text == UNSUPPORTED => {
            println!("unsupported it has no {}", words[1]);
            std::process::exit(1);
        }
        Err(text) => {
            println!("error {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
            std::process::exit(1);
        }
    }
}

async fn act(action: &str, bootstrap: &str) -> Outcome {
    let backoff = BackoffConfig { deadline: Some(RETRY), ..Default::default() };
    let mut builder = ClientBuilder::new(vec![bootstrap.to_owned()]).backoff_config(backoff);
    if let "login" | "scram" = action {
        builder = match login::config(action, "one,two=three", "four=five,six") {
            Some(config) => builder.sasl_config(config),
            None => return Err(UNSUPPORTED.to_owned()),
        };
    }
    if let Some(id) = client_id(action) {
        builder = builder.client_id(id);
    }
    let client = builder.build().await.map_err(told)?;
    match action {
        "topics" | "login" | "scram" | "blank" | "lengthy" | "brimming" | "foreign" => client.list_topics().await.map(|_| vec![]).map_err(told),
        "create" => create(&client).await.map(|_| vec![]).map_err(told),
        "delete" => delete(&client).await.map(|_| vec![]).map_err(told),
        "produce" => produce(&client, &topic()).await.map(|_| vec![]).map_err(told),
        "both" => both(&client).await,
        "large" => large::large(events(&client).await.map_err(told)?).await.map(|_| vec![]),
        "read" => read(&client).await,
        _ => consume(&client).await,
    }
}

fn told(error: Error) -> String {
    match &error {
        Error::ServerError { protocol_error, .. } => format!("{protocol_error:?} {error}"),
        Error::Connection(_) => format!("Connection {error}"),
        Error::Request(_) => format!("Request {error}"),
        _ => format!("Other {error}"),
    }
}

async fn create(client: &Client) -> Result<(), Error> {
    client.controller_client()?.create_topic("made-by-a-client", 1, 1, REQUEST_MS).await
}

async fn delete(client: &Client) -> Result<(), Error> {
    client.controller_client()?.delete_topic("orders.v2", REQUEST_MS).await
}

fn client_id(action: &str) -> Option<String> {
    match action {
        "blank" => Some(String::new()),
        "lengthy" => Some("x".repeat(300)),
        "brimming" => Some("x".repeat(240)),
        "foreign" => Some("cl\u{e9}-\u{540d}-\u{1f99c}".to_owned()),
        _ => None,
    }
}

/// What is written to and read.
fn topic() -> String {
    std::env::var("KAFKA_TOPIC").unwrap_or("events".to_owned())
}

async fn events(client: &Client) -> Result<PartitionClient, Error> {
    partition(client, &topic()).await
}

async fn partition(client: &Client, topic: &str) -> Result<PartitionClient, Error> {
    client.partition_client(topic, 0, UnknownTopicHandling::Error).await
}

/// The second is sent whatever became of the first; those that were written are told.
async fn both(client: &Client) -> Outcome {
    let (mut written, mut failed) = (vec![], String::new());
    for topic in ["orders.v2", "events"] {
        match produce(client, topic).await {
            Ok(()) => written.push(topic.to_owned()),
            Err(error) => failed = told(error),
        }
    }
    if written.is_empty() { Err(failed) } else { Ok(written) }
}

async fn produce(client: &Client, topic: &str) -> Result<(), Error> {
    let sent = vec![record::record("v")];
    partition(client, topic).await?.produce(sent, Compression::NoCompression).await.map(|_| ())
}

async fn consume(client: &Client) -> Outcome {
    let partition = Arc::new(events(client).await.map_err(told)?);
    let builder = StreamConsumerBuilder::new(partition, StartOffset::Earliest);
    match builder.with_max_wait_ms(500).build().next().await {
        Some(Ok(_)) => Ok(vec![]),
        Some(Err(error)) => Err(told(error)),
        None => Err("Late no record came".to_owned()),
    }
}

/// All records up to the last, each told as OFFSET/TIMESTAMP/KEY/VALUE.
async fn read(client: &Client) -> Outcome {
    let partition = Arc::new(events(client).await.map_err(told)?);
    let mut stream = StreamConsumerBuilder::new(partition, StartOffset::Earliest).with_max_wait_ms(500).build();
    let mut found = vec![];
    while let Some(next) = stream.next().await {
        let (each, _) = next.map_err(told)?;
        let (key, value) = (text(&each.record.key), text(&each.record.value));
        found.push(format!("{}/{}/{key}/{value}", each.offset, each.record.timestamp.timestamp_millis()));
        if key == "end" {
            return Ok(found);
        }
    }
    Err("Late no record came".to_owned())
}

fn text(raw: &Option<Vec<u8>>) -> String {
    raw.as_ref().map_or("null".to_owned(), |bytes| String::from_utf8_lossy(bytes).into_owned())
}
