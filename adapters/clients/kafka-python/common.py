"""What the driver's modules share: limits, and what an older release may not have."""

import os
import time

REQUEST_MS = 3000
START_MS = 5000
ACTION_MS = 6000
POLL_MS = 500
HEARTBEAT_MS = 100
SESSION_MS = 2500  # less than a request may take, as releases before 2.1 demand
EVENTS = os.environ.get("KAFKA_TOPIC", "events")
LOGIN = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_plain_username": os.environ.get("KAFKA_USER", "one,two=three"),
    "sasl_plain_password": os.environ.get("KAFKA_PASSWORD", "four=five,six"),
}


class Unsupported(Exception):
    """The client has no such action."""


class DriverTimeout(Exception):
    """The client had as long as this driver gives it."""


def made(kind, **settings):
    """A client with those of the settings that its release knows."""
    return kind(**{key: value for key, value in settings.items() if key in kind.DEFAULT_CONFIG})


def has(client, *names):
    """The first of these methods that its release has."""
    for name in names:
        if hasattr(client, name):
            return getattr(client, name)
    raise Unsupported(f"it has no {names[0]}")


def read(consumer):
    if next(consumer, None) is None:
        raise DriverTimeout(f"no record came within {ACTION_MS} ms")


def poll(consumer):
    """The same by an application that looks up often, whatever a request takes."""
    until = time.monotonic() + ACTION_MS / 1000
    while not consumer.poll(timeout_ms=POLL_MS):
        if time.monotonic() > until:
            raise DriverTimeout(f"no record came within {ACTION_MS} ms")
