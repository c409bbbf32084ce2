"""The completions that a shell offers for names: rules, messages, targets and clients.

Click asks at each key press, in a process of its own, so everything is loaded where it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem


def rules(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the rules by id, with their class for shells that show it."""
    from conformance.rules import catalogue

    return [
        CompletionItem(name, help=rule.class_)
        for name, rule in catalogue().items()
        if name.startswith(begun)
    ]


def classes(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the classes of rules."""
    from conformance.rules import CLASSES

    return _beginning(begun, CLASSES)


def messages(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the messages that have vectors."""
    from conformance.data import vector_messages

    return _beginning(begun, vector_messages())


def codecs(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the codecs that are judged by name."""
    from conformance.codecs.resolve import target_names

    return _beginning(begun, target_names())


def clients(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the clients that are judged by name."""
    from conformance.targets import registry

    return _beginning(begun, ["reference", *registry.names(registry.CLIENTS)])


def _beginning(begun: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(begun)]
