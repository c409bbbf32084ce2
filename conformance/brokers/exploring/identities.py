"""Which name and id of the target stands for which of the model.

A broker chooses ids of topics, members and producers, and the epochs of producers. Where answers of
both have an id at the same place, the two belong together from then on: requests are translated
into the target's ids, and its answers into the model's. An id of one broker that would belong to
two of the other is a difference. Ids that neither chose stand for themselves.

Names of topics and groups begin with `PLACE` in a conversation, and with a prefix as long with the
target, so that no two conversations share a name and limits of length stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.brokers.exploring.batches import producers_replaced
from conformance.schema.layout import ZERO_UUID

PLACE = "explored".ljust(40, "-")
"""The beginning of every name that a conversation makes up."""
KINDS: Mapping[str, str] = {
    "topicId": "topic",
    "memberId": "member",
    "leader": "member",
    "producerId": "producer",
    "v3AndBelowProducerId": "producer",
}
"""The kinds of ids, by the fields that have them."""
EPOCHS: Mapping[str, str] = {
    "producerEpoch": "producerId",
    "v3AndBelowProducerEpoch": "v3AndBelowProducerId",
}
"""The fields of producers' epochs, each with the field beside it that has the producer's id."""
RECORDS = "records"
NO_ID = (None, "", ZERO_UUID, -1)
"""The values of a field of ids that has none."""


@dataclass
class Pairs:
    """Ids of one kind that belong together."""

    targets: dict[Any, Any] = field(default_factory=dict)
    models: dict[Any, Any] = field(default_factory=dict)

    def bind(self, model: Any, target: Any) -> bool:
        """Return True if these ids belong together, which they do from the first time on."""
        if model in NO_ID or target in NO_ID:
            return bool(model == target)
        if model == target and isinstance(model, str) and model not in self.targets:
            return True  # an id that a request made up, and an answer repeats
        if model not in self.targets and target not in self.models:
            self.targets[model], self.models[target] = target, model
        return bool(self.targets.get(model) == target and self.models.get(target) == model)


@dataclass
class Identities:
    """All names and ids of a conversation. `prefix` begins the target's names."""

    prefix: str
    pairs: dict[str, Pairs] = field(
        default_factory=lambda: {kind: Pairs() for kind in KINDS.values()}
    )
    epochs: dict[int, Pairs] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.prefix = self.prefix.ljust(len(PLACE), "-")

    def bind(self, name: str, model: Any, target: Any) -> bool:
        """Return True if the ids in a field of this name belong together."""
        return self.pairs[KINDS[name]].bind(model, target)

    def bind_epoch(self, producer: int, model: int, target: int) -> bool:
        """Return True if the epochs of a producer of the model belong together: both only rise."""
        known = self.epochs.setdefault(producer, Pairs())
        if model in NO_ID or target in NO_ID:
            return model == target
        if model in known.targets:
            return bool(known.targets[model] == target)
        if known.targets and (model > max(known.targets)) != (target > max(known.models)):
            return False
        return known.bind(model, target)

    def to_target(self, value: Any) -> Any:
        """Return a value of the model in the target's names and ids."""
        return self._translated(value, self._target_id, self._target_epoch, (PLACE, self.prefix))

    def to_model(self, value: Any) -> Any:
        """Return a value of the target in the model's names and ids."""
        return self._translated(value, self._model_id, self._model_epoch, (self.prefix, PLACE))

    def names_to_model(self, value: Any) -> Any:
        """Return a value of the target in the model's names, with its own ids."""
        return self._translated(
            value, lambda _, each: each, lambda _, each: each, (self.prefix, PLACE)
        )

    def _translated(
        self,
        value: Any,
        id_of: Callable[[str, Any], Any],
        epoch_of: Callable[[Any, int], int],
        names: tuple[str, str],
    ) -> Any:
        if isinstance(value, list):
            return [self._translated(each, id_of, epoch_of, names) for each in value]
        if isinstance(value, str) and value.startswith(names[0]):
            return names[1] + value[len(names[0]) :]
        if not isinstance(value, dict):
            return value
        found = {}
        for name, each in value.items():
            if name in KINDS and each not in NO_ID:
                found[name] = id_of(KINDS[name], each)
            elif name in EPOCHS and EPOCHS[name] in value:
                found[name] = epoch_of(value[EPOCHS[name]], each)
            elif name == RECORDS and isinstance(each, str):
                found[name] = producers_replaced(
                    each, lambda it: id_of("producer", it) if it >= 0 else it, epoch_of
                )
            else:
                found[name] = self._translated(each, id_of, epoch_of, names)
        return found

    def _target_id(self, kind: str, value: Any) -> Any:
        return self.pairs[kind].targets.get(value, value)

    def _model_id(self, kind: str, value: Any) -> Any:
        known = self.pairs[kind]
        if value not in known.models and value in known.targets:
            return f"another {kind}" if isinstance(value, str) else -2
        return known.models.get(value, value)

    def _target_epoch(self, producer: Any, epoch: int) -> int:
        known = self.epochs.get(producer)
        return epoch if known is None else _shifted(known.targets, epoch)

    def _model_epoch(self, producer: Any, epoch: int) -> int:
        known = self.epochs.get(self.pairs["producer"].models.get(producer, producer))
        return epoch if known is None else _shifted(known.models, epoch)


def _shifted(known: Mapping[int, int], epoch: int) -> int:
    """Return the epoch that belongs to one; the distance to the highest stays where none does."""
    if epoch in known or not known or epoch < 0:
        return known.get(epoch, epoch)
    return max(-1, epoch + known[max(known)] - max(known))
