//! Who logs in, and by what, in releases that have PLAIN alone.

use rskafka::client::SaslConfig;

pub fn config(action: &str, user: &str, password: &str) -> Option<SaslConfig> {
    let (username, password) = (user.to_owned(), password.to_owned());
    (action == "login").then_some(SaslConfig::Plain { username, password })
}
