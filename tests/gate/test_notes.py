"""A note that ends with a long list is cut in its list, and no note anywhere else."""

from __future__ import annotations

from conformance.gate.session import MOST_OF_A_NOTE, _begun

LONG = "word " * MOST_OF_A_NOTE


def test_a_sentence_is_not_cut_at_its_comma() -> None:
    note = f"the driver is to be looked at: `made` fails (a, b, {LONG}), and so on"
    assert _begun(note) == note


def test_a_list_of_cases_is_cut_and_what_is_left_is_counted() -> None:
    cases = [f"FetchRequest/a-case-of-number-{number}" for number in range(40)]
    shown = _begun(f"time was up, in these: {', '.join(cases)}")
    assert shown.startswith("time was up, in these: FetchRequest/a-case-of-number-0, ")
    count = shown.count("FetchRequest")
    assert shown.endswith(f" and {40 - count} more: -v shows them")
    assert 1 <= count < 40
    assert len(shown) < MOST_OF_A_NOTE + 40


def test_a_short_note_is_whole() -> None:
    assert _begun("one, two, three: A/b, C/d, E/f") == "one, two, three: A/b, C/d, E/f"
