"""The site's navigation leads somewhere, and a rule's own page has what is known of it.

The whole site is built by `tox run -e docs`, warnings as errors.
"""

from __future__ import annotations

import gzip
import re
import runpy
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.results.files import ResultsError
from conformance.rule_pages.in_releases import public_issues, seen
from conformance.rule_pages.pages import Defects, rule_index, rule_pages
from conformance.rules import catalogue
from tests.cli.conftest import run

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / "docs" / "zensical.toml").read_text(encoding="utf-8"))["project"]
STAGE = runpy.run_path(str(ROOT / "docs" / "stage.py"))
MADE_IN_THE_BUILD = "docs/rule/"


def named(entry):
    """The pages of the navigation, top to bottom."""
    if isinstance(entry, str):
        return [entry]
    children = entry if isinstance(entry, list) else entry.values()
    return [page for child in children for page in named(child)]


def page(rule: str, defects: Defects | None = None) -> str:
    [(name, text)] = rule_pages([catalogue()[rule]], defects or Defects())
    assert name == f"{rule}.md"
    return text


def section(text: str, heading: str) -> str:
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def test_navigation_names_pages_that_are_there():
    there = STAGE["pages"]()
    asked = [name for name in named(CONFIG["nav"]) if not name.startswith(MADE_IN_THE_BUILD)]
    assert asked
    assert [name for name in asked if Path(name) not in there] == []


def test_every_page_for_people_is_in_the_navigation():
    there = {path.as_posix() for path in (p.relative_to(ROOT) for p in ROOT.glob("docs/*.md"))}
    assert there <= set(named(CONFIG["nav"]))


def test_nothing_is_fetched_when_the_site_is_read():
    assert CONFIG["theme"]["font"] is False
    assert "offline" not in CONFIG.get("plugins", {})  # it has a script fetched from elsewhere


def test_pages_are_laid_out_with_what_they_link_to(tmp_path):
    folder = tmp_path / "site"
    count = STAGE["stage"](folder)
    assert count == len(list(folder.rglob("*.md")))
    assert (folder / "pages/docs/testee-protocol.schema.json").is_file()
    assert "(../rule/tags.ascending.md)" in (folder / "pages/docs/rules/tags.md").read_text("utf-8")


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").touch()
    with pytest.raises(SystemExit, match="holds something else"):
        STAGE["stage"](tmp_path)
    assert (tmp_path / "mine.txt").exists()


def test_a_link_that_leads_nowhere_ends_the_build():
    with pytest.raises(SystemExit, match=r"nowhere\.md is not there"):
        list(STAGE["linked_files"](Path("docs/ci.md"), "see [it](nowhere.md)"))


def test_a_page_is_changed_only_where_the_generator_needs_it():
    text = "```python my.py\n[a](b/)\n```\n[adapters](adapters/) and [this](docs/ci.md#x)\n"
    made = '```{.python title="my.py"}\n[a](b/)\n```\nadapters and [this](docs/ci.md#x)\n'
    assert STAGE["for_site"](Path("README.md"), text) == made


def test_a_codec_rule_shows_vectors_bytes_and_mutants():
    text = page("tags.size-is-plain-length")
    assert "**The size of a tagged field is the number N of bytes" in text
    assert "- Class: must\n" in text
    assert "- Source: [KIP-482](https://" in text
    asked = section(text, "How it is asked")
    assert re.search(r"Vectors that decide it: \d+, of \d+ messages\.", asked)
    assert re.search(r"```text\n([0-9a-f]{2})+\n```", asked)
    assert "- `TagSizePlusOne`: Takes the size" in section(text, "Mutants that it catches")
    assert "codec mypackage.codec:Codec --rule tags.size-is-plain-length\n" in text


def test_rules_of_peers_show_what_is_said_and_played_to_them():
    broker = page("topics.duplicate-to-delete-refused")
    assert "| DeleteTopicsRequest | changes something: --allow-writes |" in broker
    assert "broker HOST:PORT --allow-writes --rule topics.duplicate-to-delete-refused\n" in broker
    assert "- Disputed: " in broker
    client = next(rule for rule in catalogue() if rule.startswith("client-fallback."))
    assert re.search(r"Scenarios played to a client: [1-9]", page(client))
    assert f"client kafka-python --rule {client}\n" in page(client)


NOT_ASKED = "and no run asks that of one yet"


def test_every_rule_has_a_page_and_is_asked_of_whom_it_is_for_and_caught():
    made = dict(rule_pages(catalogue().values(), Defects()))
    assert set(made) == {f"{rule}.md" for rule in catalogue()}
    assert all(section(text, "How it is asked").strip() for text in made.values())
    assert not [name for name, text in made.items() if "\nNone.\n" in text]
    assert [name for name, text in made.items() if NOT_ASKED in text] == []
    index = rule_index()
    assert [name for name in made if f"]({name})" not in index] == []


def test_a_rule_that_nobody_asks_of_a_client_says_so():
    rule = replace(catalogue()["tags.ascending"], applies=("codec-encode", "client"))
    [(_, text)] = rule_pages([rule], Defects())
    assert f"It is for a client as well, {NOT_ASKED}." in text
    assert "kafka-conformance client" not in text


def test_a_rule_that_is_judged_whatever_is_played_says_so():
    assert "in every scenario" in page("client-requests.readable")


def test_real_defects_are_those_of_the_newest_report(tmp_path):
    lines = [
        '{"type":"run","target":"x","target_version":"1.0"}',
        '{"type":"verdict","rule":"tags.ascending","class":"must","verdict":"pass"}',
        '{"type":"verdict","rule":"tags.ascending","class":"must","verdict":"crash"}',
        '{"type":"verdict","rule":"tags.ascending","class":"must","verdict":"note"}',
        '{"type":"finding","rules":["tags.ascending"]}',
    ]
    (tmp_path / "2026-03-01" / "clients").mkdir(parents=True)  # another kind, on another day
    for day, codec in (("2026-01-01", "older"), ("2026-02-01", "x-1.0")):
        folder = tmp_path / day / "codecs"
        folder.mkdir(parents=True)
        (folder / f"{codec}.ndjson.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    shown = seen(tmp_path)
    text = page("tags.ascending", Defects(shown, {"tags.ascending": ["a/b#1"]}))
    report = "2026-02-01/codecs/x-1.0"
    assert f"| x 1.0 | crash | 1 | [{report}](../../reports/{report}.md) |" in text
    assert "older" not in text
    assert "Public issues: [a/b#1](https://github.com/a/b/issues/1)." in text
    assert "No release in" in page("tags.section-layout", Defects(shown))


def test_reports_that_cannot_be_read_are_told(tmp_path):
    with pytest.raises(ResultsError, match="no report in it"):
        seen(tmp_path)
    folder = tmp_path / "2026-01-01" / "codecs"
    folder.mkdir(parents=True)
    (folder / "x.ndjson.gz").write_bytes(b"no gzip")
    with pytest.raises(ResultsError, match=r"x\.ndjson\.gz"):
        seen(tmp_path)


def test_public_issues_come_from_the_lists_of_known_failures():
    assert "segmentio/kafka-go#1371" in {one for named in public_issues().values() for one in named}


def test_reports_are_for_rules_on_pages_of_their_own(tmp_path):
    ended = run("rules", "pages", tmp_path / "rules", "--reports", tmp_path)
    assert ended.code == 2
    assert "--reports is for --each" in ended.err
