//! Large records, of which none waits for another, and whose caller gives up in time.

use std::sync::Arc;
use std::time::Duration;

use rskafka::client::partition::{Compression, PartitionClient};

use crate::record::record;

const LENGTH: usize = 500_000;
const SHORT: usize = 100;
const GIVEN: Duration = Duration::from_secs(3);

/// Each is sent whatever becomes of the others, in a request of its own.
pub async fn large(partition: PartitionClient) -> Result<(), String> {
    let partition = Arc::new(partition);
    let mut outcome = Ok(());
    for round in [[("a", LENGTH), ("b", SHORT)], [("c", LENGTH), ("d", LENGTH)]] {
        let sent = round.map(|(letter, times)| write(partition.clone(), letter.repeat(times)));
        for each in futures::future::join_all(sent).await {
            outcome = outcome.and(each);
        }
    }
    outcome
}

async fn write(partition: Arc<PartitionClient>, text: String) -> Result<(), String> {
    let sent = partition.produce(vec![record(&text)], Compression::NoCompression);
    match tokio::time::timeout(GIVEN, sent).await {
        Ok(written) => written.map(|_| ()).map_err(|error| format!("Other {error}")),
        Err(_) => Err(format!("DriverTimeout not written within {} s", GIVEN.as_secs())),
    }
}
