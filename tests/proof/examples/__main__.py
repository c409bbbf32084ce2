"""Write the examples of all kinds, or of those that are named."""

from __future__ import annotations

import sys

from tests.proof.examples.brokers import BROKERS_MADE
from tests.proof.examples.clients import CLIENTS_MADE
from tests.proof.examples.codecs import CODECS_MADE
from tests.proof.examples.proxies import PROXIES_MADE

for maker in (CODECS_MADE, BROKERS_MADE, CLIENTS_MADE, PROXIES_MADE):
    if maker.kind in (sys.argv[1:] or [maker.kind]):
        maker.write()
