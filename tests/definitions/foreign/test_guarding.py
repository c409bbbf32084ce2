"""What somebody's importer raises, or gives that it must not, is told as the importer's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.definitions.foreign import finding_importers
from conformance.definitions.foreign.comparing import compare
from conformance.definitions.foreign.finding_importers import importer_for, read_all
from conformance.definitions.foreign.guarding import ImporterBroken
from conformance.definitions.foreign.interface import Imported
from conformance.definitions.foreign.kafka import Kafka
from conformance.errors import USAGE, ConformanceError
from conformance.schema.finding import BrokenRule
from conformance.schema.model import Field, Message, Type
from conformance.schema.text.texts import NoDefinitions
from conformance.schema.versions import EVERY, NONE, Versions

STRING = Field("group", Type("string"), EVERY)


class Unspeakable(Exception):
    """Breaks whoever asks what it says."""

    def __str__(self) -> str:
        raise self


class Giving:
    """An importer that gives what it is told to, or raises it."""

    name = "giving"

    def __init__(self, *given: Any) -> None:
        self.given = given

    def detect(self, path: Path) -> bool:
        raise SystemExit(f"no idea of {path.name}")

    def read(self, _: Path) -> Iterator[Imported]:
        for each in self.given:
            if isinstance(each, BaseException):
                raise each
            yield each


def of(*fields: Any, **changed: Any) -> Imported:
    """A request of these fields."""
    message = Message("HeartbeatRequest", "request", 12, Versions(0, 4), NONE, fields)
    return Imported("own", message.name, replace(message, **changed))


def nested(depth: int) -> Type:
    """A struct in a struct, so many times."""
    inner = (Field("deeper", nested(depth - 1), EVERY),) if depth else ()
    return Type("struct", fields=inner)


@pytest.mark.parametrize(
    "error",
    [
        Unspeakable(),
        SystemExit(0),
        SyntaxError("odd"),
        ValueError("a\nb"),
        RecursionError(),
        GeneratorExit(),
    ],
    ids=lambda each: type(each).__name__,
)
def test_whatever_it_raises_is_told_in_one_line(error: BaseException) -> None:
    with pytest.raises(ImporterBroken) as told:
        read_all(Giving(of(STRING), error), Path())

    assert f"importer giving broke off: {type(error).__name__}" in told.value.message
    assert "\n" not in str(told.value)
    assert told.value.exit_code == USAGE


@pytest.mark.parametrize(
    "error",
    [KeyboardInterrupt(), NoDefinitions("empty", "fill it")],
    ids=["person", "importer"],
)
def test_what_is_meant_for_the_person_goes_on(error: BaseException) -> None:
    with pytest.raises(type(error)):
        read_all(Giving(error), Path())


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (None, "a NoneType"),
        (Imported(1, 2, 3), "Expected `str`, got `int`"),  # type: ignore[arg-type]
        (Imported("own", "A", "a message"), "Expected `object"),  # type: ignore[arg-type]
        (Imported("own", "A", None, findings=("bad",)), "findings"),  # type: ignore[arg-type]
        (of(STRING, type="question"), "type"),
        (of("group string"), "fields[0]"),
        (of(Field("group", "string", EVERY)), "fields[0].type"),  # type: ignore[arg-type]
        (of(Field("group", STRING.type, EVERY, default=1)), "default"),  # type: ignore[arg-type]
        (of(replace(STRING, name="a.b")), "dots"),
        (of(replace(STRING, type=Type("array"))), "'group': an array has an element"),
        (of(replace(STRING, type=Type("int8", STRING.type))), "an array has an element"),
        (
            of(replace(STRING, type=Type("array", Type("array", STRING.type)))),
            "an array's element is no array",
        ),
        (of(replace(STRING, type=Type("struct", fields=(replace(STRING, tag=-1),)))), "tag -1"),
        (of(replace(STRING, type=nested(20))), "structs nest more than 16 deep"),
        (of(replace(STRING, versions=Versions(0, 10**9))), "versions end at 32767"),
        (of(STRING, valid=Versions(-1, 4)), "versions end at 32767"),
    ],
)
def test_what_is_no_proper_definition_is_told(given: Any, why: str) -> None:
    with pytest.raises(ImporterBroken) as told:
        read_all(Giving(given), Path())

    assert told.value.message.startswith("importer giving gave what is no proper Imported: ")
    assert why in told.value.message
    assert told.value.exit_code == USAGE


def test_lists_will_do_for_tuples() -> None:
    (found,) = read_all(Giving(of(fields=[STRING])), Path())

    assert found.message is not None
    assert found.message.fields == (STRING,)


@pytest.mark.parametrize("line_of", [lambda path: path[9], lambda _: "nine", None])
def test_lines_are_asked_later_and_told_as_well(line_of: Any) -> None:
    (found,) = read_all(Giving(replace(of(STRING), line_of=line_of)), Path())

    with pytest.raises(ImporterBroken, match=r"importer giving .*line_of"):
        compare([found], Kafka("4.3.1"), "here")


def test_an_importer_that_breaks_when_it_is_made_or_asked_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made() -> Giving:
        raise SystemExit(7)

    def told(what: Callable[[], Any], asked: str) -> str:
        monkeypatch.setattr(finding_importers, "_loaded", lambda _: what)
        with pytest.raises(ConformanceError) as error:
            importer_for(tmp_path, asked)
        assert error.value.exit_code == USAGE
        return error.value.message

    monkeypatch.setattr(finding_importers, "_known", lambda: iter([Giving()]))
    assert "importer 'own:made' can't be made: SystemExit: 7" in told(made, "own:made")
    assert "importer giving broke off: SystemExit: no idea of" in told(Giving, "")


def test_its_own_findings_stay() -> None:
    finding = BrokenRule("", "own", 3, "", "what is this?")

    (found,) = read_all(Giving(Imported("own", "A", None, findings=(finding,))), Path())

    assert found.findings == (finding,)
