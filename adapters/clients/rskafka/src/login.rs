//! Who logs in, and by what.

use rskafka::client::{Credentials, SaslConfig};

pub fn config(action: &str, user: &str, password: &str) -> Option<SaslConfig> {
    let credentials = Credentials::new(user.to_owned(), password.to_owned());
    Some(match action {
        "login" => SaslConfig::Plain(credentials),
        _ => SaslConfig::ScramSha256(credentials),
    })
}
