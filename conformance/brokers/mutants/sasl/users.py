"""Brokers that have users, as far as they are wrong about connections that have to log in."""

from __future__ import annotations

from typing import ClassVar

from conformance.brokers.mutants.mutant import BrokerMutant


class WithUsers(BrokerMutant):
    """Has a user, so that its connections have to log in."""

    made_with: ClassVar = {"users": {"alice": "wonderland"}}
