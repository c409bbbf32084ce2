"""A definition of the codec of others with the fields of one struct changed, for its defects."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.codecs.diagnosis.unseen.definitions import Field, Message

Fields = tuple[Field, ...]


def changed(message: Message, path: Sequence[str], change: Callable[[Fields], Fields]) -> Message:
    """The message with the fields of one struct in it, or with its own ones, changed."""
    return replace(message, fields=_changed_fields(message.fields, path, change))


def _changed_fields(
    fields: Fields, path: Sequence[str], change: Callable[[Fields], Fields]
) -> Fields:
    if not path:
        return change(fields)
    return tuple(
        replace(one, fields=_changed_fields(one.fields or (), path[1:], change))
        if one.name == path[0]
        else one
        for one in fields
    )
