"""The catalogue itself: that every rule can be read, and reads as a rule should."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

import conformance
from conformance.rules import CLASSES, HARMS, LONGEST_BREACH, Rule, catalogue

RULES = list(catalogue().values())
PACKAGE = Path(conformance.__file__).parent
PUBLIC = (
    r"KIP-\d+|[Pp]rotocol guide|Kafka documentation|[Mm]essage definitions|The proxy's own word"
)


def but(keeps: Callable[[Rule], object]) -> list[str]:
    """The rules that do not."""
    return [rule.id for rule in RULES if not keeps(rule)]


def test_rules_are_found_by_their_ids() -> None:
    assert RULES
    assert all(key == rule.id for key, rule in catalogue().items())


def test_each_file_gives_rules_to_its_group() -> None:
    assert {rule.group for rule in RULES} == {
        file.stem for file in (PACKAGE / "rules").glob("*.toml")
    }


def test_catalogue_is_read_once() -> None:
    assert catalogue() is catalogue()


def test_rule_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        RULES[0].statement = "Something else."  # type: ignore[misc]


def test_each_statement_is_one_sentence() -> None:
    assert but(lambda rule: rule.statement.endswith(".")) == []
    assert but(lambda rule: not re.search(r"[.;!?]\s", rule.statement)) == []
    assert but(lambda rule: rule.statement[0].isupper()) == []


def test_each_breach_is_a_clause_about_the_target() -> None:
    assert but(lambda rule: re.match(r"[a-z]+s ", rule.breach)) == []
    assert but(lambda rule: not rule.breach.endswith((".", ",", ":"))) == []
    assert but(lambda rule: len(rule.breach) <= LONGEST_BREACH) == []


def test_no_two_rules_have_the_same_breach() -> None:
    breaches = [rule.breach for rule in RULES]
    assert len(set(breaches)) == len(breaches)


def test_each_rationale_and_source_says_something() -> None:
    source = rf"{PUBLIC}|org\.apache|Apache Kafka \d|CVE-"
    assert but(lambda rule: rule.rationale.endswith(".")) == []
    assert but(lambda rule: rule.rationale != rule.statement) == []
    assert but(lambda rule: re.search(source, rule.source)) == []


def test_each_rule_says_whom_a_breach_hurts() -> None:
    assert but(lambda rule: rule.harm and rule.harm != rule.rationale) == []
    assert but(lambda rule: rule.harm_level in HARMS) == []


def test_class_must_rests_on_a_public_text() -> None:
    assert but(lambda rule: rule.class_ != "must" or re.search(PUBLIC, rule.source)) == []


def test_no_two_rules_say_the_same() -> None:
    statements = [rule.statement for rule in RULES]
    assert len(set(statements)) == len(statements)


def test_classes_are_those_of_the_design() -> None:
    assert CLASSES == ("must", "kafka", "lenient", "harden")


def test_catalogue_is_read_from_a_zip(tmp_path: Path) -> None:
    zipped = tmp_path / "conformance.zip"
    with ZipFile(zipped, "w") as archive:
        for file in [
            PACKAGE / "__init__.py",
            PACKAGE / "errors.py",
            *(PACKAGE / "rules").iterdir(),
        ]:
            if file.is_file():
                archive.write(file, file.relative_to(PACKAGE.parent))
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from conformance import rules\n"
        "print(rules.__file__.startswith(sys.argv[1]), len(rules.catalogue()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(zipped)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", str(len(RULES))]
