"""The committed pages say what the tables say."""

import re
from pathlib import Path

from conformance.rules import CLASSES, catalogue
from conformance.rules.clauses import kips, select
from conformance.rules.pages import pages

FOLDER = Path(__file__).parents[2] / "docs" / "rules"
PAGES = pages()
GROUPS = {rule.group for rule in catalogue().values()}


def anchors(text: str) -> set[str]:
    """What can be linked to in a page, as sites that show Markdown have it."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    made = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="(.*?)">', text))


def test_committed_pages_are_what_the_command_writes() -> None:
    """A failure here wants `kafka-conformance rules pages docs/rules`."""
    committed = {name: (FOLDER / name).read_text(encoding="utf-8") for name in PAGES}
    assert [name for name in PAGES if committed[name] != PAGES[name]] == []


def test_no_page_is_left_over() -> None:
    assert {file.name for file in FOLDER.iterdir()} == set(PAGES)


def test_each_group_has_its_page() -> None:
    assert set(PAGES) == {"README.md", "clauses.md"} | {f"{group}.md" for group in GROUPS}


def test_each_rule_is_told_in_full() -> None:
    for rule in catalogue().values():
        page = PAGES[f"{rule.group}.md"]
        [told] = re.findall(rf"^## {re.escape(rule.id)}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
        assert f"- Class: {rule.class_}\n" in told
        assert all(bug in told for bug in rule.bugs)
        assert ("- Disputed: " in told) == bool(rule.disputed)


def test_the_texts_that_a_rule_cites_are_linked() -> None:
    sources = re.findall(r"^- Source: (.*)$", "\n".join(PAGES.values()), re.M)
    assert len(sources) == len(catalogue())
    plain = [re.sub(r"\[[^]]*\]\([^)]*\)", "", source) for source in sources]
    assert [each for each in plain if re.search(r"\b(KIP-|RFC )\d", each)] == []


def test_each_clause_has_its_row() -> None:
    rows = re.findall(r'^\| <a id="kip-[\d-]+"></a>(\S+) \|', PAGES["clauses.md"], re.M)
    assert rows == [clause.id for clause in select()]


def test_links_lead_somewhere() -> None:
    known = {name: anchors(text) for name, text in PAGES.items()}
    links = [
        (name, page or name, anchor)
        for name, text in PAGES.items()
        for page, anchor in re.findall(r"\]\(([\w.-]*)#?([\w-]*)\)", text)
    ]
    assert len(links) > len(GROUPS)
    assert [link for link in links if link[2] and link[2] not in known[link[1]]] == []


def test_rows_have_as_many_cells_as_their_table() -> None:
    tables = [table for text in PAGES.values() for table in re.findall(r"(?:^\|.*\n)+", text, re.M)]
    assert len(tables) > len(kips())
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(widths) == 1, table


def test_index_counts_the_rules() -> None:
    [total] = re.findall(r"^\| all \| (.*) \|$", PAGES["README.md"], re.M)[:1]
    counts = [int(cell) if cell.strip() else 0 for cell in total.split("|")]
    assert counts[-1] == sum(counts[:-1])
    assert len(counts) == len(CLASSES) + 1
    assert all(f"[{kip}](clauses.md#" in PAGES["README.md"] for kip in kips())
