"""Topics behind a login by a token, whose provider moved from release to release."""

from importlib import import_module

from common import Unsupported

TOKEN = (  # that nobody signed
    "eyJhbGciOiJub25lIn0"
    ".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9."
)
PLACES = ("kafka.net.sasl.oauth", "kafka.sasl.oauth", "kafka.oauth.abstract", "kafka.oauth")


def provider():
    for place in PLACES:
        try:
            base = import_module(place).AbstractTokenProvider
        except (ImportError, AttributeError):
            continue
        return type("Provider", (base,), {"token": lambda _: TOKEN})()
    raise Unsupported("it has no OAUTHBEARER")


def by_token():
    how = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "OAUTHBEARER"}
    return {**how, "sasl_oauth_token_provider": provider()}
