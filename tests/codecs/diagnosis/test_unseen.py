"""Somebody else's codec with causes of its own: judged, written down, and counted when read."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Literal

import pytest

from tests.proof import diagnosis as diagnosis_score
from tests.proof.unseen import UnseenAnswer, figure, written

MODULE = """
from typing import NamedTuple

from conformance.codecs.mutants import TagSizePlusOne


class Listed(NamedTuple):
    name: str
    cause: str


class Small(TagSizePlusOne):
    is_listed = False

    def hello(self):
        said = super().hello()
        return {**said, "messages": {"HeartbeatRequest": said["messages"]["HeartbeatRequest"]}}


DEFECTS = (Listed("Small", "takes the size of a tag for one more"),)
"""

SETS = (
    "unseen",
    "unseen_again",
    "unseen_third",
    "unseen_fourth",
    "unseen_fifth",
    "unseen_sixth",
    "unseen_seventh",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "somebodys.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_told_is_written_down_and_read_by_somebody(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diagnosis_score.main(["unseen", "somebodys"]) == 0
    assert "0 of 1" in capsys.readouterr().out
    file = folder / "told.toml"
    [answer] = tomllib.loads(file.read_text())["told"]
    assert (answer["id"], answer["findings"], answer["right"]) == ("Small", 1, "")
    assert "takes the size of a tagged field for N + 1" in answer["first"]
    file.write_text(file.read_text().replace('right = ""', 'right = "yes"'))
    assert diagnosis_score.main(["unseen", "somebodys"]) == 0
    assert "1 of 1, with 1.00 findings each." in capsys.readouterr().out


def test_a_module_without_defects_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert diagnosis_score.main(["unseen", "conformance.errors"]) == 2
    assert "it has DEFECTS" in capsys.readouterr().err


def test_what_nobody_has_read_is_not_counted_as_right() -> None:
    said: list[tuple[int, Literal["", "yes", "no"]]] = [(1, "yes"), (2, "no"), (3, "")]
    answers = [
        UnseenAnswer(id=str(n), cause="c", findings=n, first='says "x"', right=right)
        for n, right in said
    ]
    assert "of 1 of 3, with 2.00 findings each; 1 are yet to be read." in figure(answers)
    told = tomllib.loads("\n".join(written(answers)))["told"]
    assert [each["right"] for each in told] == ["yes", "no", ""]


def test_every_set_lists_thirty_defects_that_no_other_set_lists() -> None:
    sets = [import_module(f"tests.codecs.diagnosis.{name}.defects").DEFECTS for name in SETS]
    assert [len(defects) for defects in sets] == [30] * len(SETS)
    every = [defect for defects in sets for defect in defects]
    assert len({defect.name for defect in every}) == len(every)
    assert len({defect.cause for defect in every}) == len(every)
