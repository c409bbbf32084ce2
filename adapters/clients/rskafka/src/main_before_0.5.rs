//! rskafka as it was before 0.5, as a driver that reads: ACTION HOST:PORT. Its last line is ok, error and why, or
//! unsupported.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use rskafka::client::consumer::StreamConsumerBuilder;
use rskafka::client::error::Error;
use rskafka::client::partition::PartitionClient;
use rskafka::client::{Client, ClientBuilder};

const ACTION: Duration = Duration::from_secs(8);
const EVENTS: &str = "events";

mod beginning;
mod large;
mod record;

/// What the application is told, or why it is not.
type Outcome = Result<Vec<String>, String>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    if !["topics", "consume", "read", "large"].contains(&words[1].as_str()) {
        println!("unsupported it has no {}", words[1]);
        std::process::exit(1);
    }
    let outcome = match tokio::time::timeout(ACTION, act(&words[1], &words[2])).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("DriverTimeout no end within {} s", ACTION.as_secs())),
    };
    match outcome {
        Ok(words) => println!("ok {}", words.join(" ")),
        Err(text) => {
            println!("error {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
            std::process::exit(1);
        }
    }
}

async fn act(action: &str, bootstrap: &str) -> Outcome {
    let client = ClientBuilder::new(vec![bootstrap.to_owned()]).build().await.map_err(told)?;
    match action {
        "topics" => client.list_topics().await.map(|_| vec![]).map_err(told),
        "large" => large::large(events(&client).await.map_err(told)?).await.map(|_| vec![]),
        _ => read(&client, action == "consume").await,
    }
}

fn told(error: Error) -> String {
    match &error {
        Error::ServerError(code, _) => format!("{code:?} {error}"),
        Error::Connection(_) => format!("Connection {error}"),
        Error::Request(_) => format!("Request {error}"),
        _ => format!("Other {error}"),
    }
}

async fn events(client: &Client) -> Result<PartitionClient, Error> {
    client.partition_client(EVENTS, 0).await
}

/// The first record, or all up to the last, each told as OFFSET/TIMESTAMP/KEY/VALUE.
async fn read(client: &Client, one: bool) -> Outcome {
    let partition = Arc::new(events(client).await.map_err(told)?);
    let mut stream = StreamConsumerBuilder::new(partition, beginning::OFFSET).with_max_wait_ms(500).build();
    let mut found = vec![];
    while let Some(next) = stream.next().await {
        let (each, _) = next.map_err(told)?;
        if one {
            return Ok(found);
        }
        let (key, value) = (beginning::text(&each.record.key), beginning::text(&each.record.value));
        let ms = each.record.timestamp.unix_timestamp_nanos() / 1_000_000;
        found.push(format!("{}/{ms}/{key}/{value}", each.offset));
        if key == "end" {
            return Ok(found);
        }
    }
    Err("Late no record came".to_owned())
}
