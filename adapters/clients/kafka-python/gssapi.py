"""A Kerberos that seals nothing, by the names of the module `gssapi`: a ticket is the user's name.

The client takes this for the real one, and all that it says of SASL itself is its own.
"""

import sys
from types import ModuleType, SimpleNamespace

USER = "one,two=three"
NameType = SimpleNamespace(hostbased_service=1)
MechType = SimpleNamespace(kerberos=1)


class GSSError(Exception):
    """A token that is none."""


class Name(str):
    """Of a service."""

    def __new__(cls, text, **_):
        return super().__new__(cls, text)

    def canonicalize(self, _):
        return self


class SecurityContext:
    """A conversation, which is complete with the first answer."""

    def __init__(self, name=None, **_):
        self.target_name, self.initiator_name = name, USER
        self.complete = False

    def step(self, token=None):
        if not token:
            return USER.encode()
        if token != b"accepted":
            raise GSSError("the ticket is not taken")
        self.complete = True
        return None

    def wrap(self, message, _):
        return SimpleNamespace(message=bytes(message))

    def unwrap(self, message):
        return SimpleNamespace(message=bytes(message))


for _name in ("gssapi.raw", "gssapi.raw.misc"):  # where the error is looked for
    sys.modules[_name] = ModuleType(_name)
    sys.modules[_name].GSSError = GSSError
