"""Bytes beside bytes: fields of one name on one row, and the first wrong byte."""

from conformance.reporting.site.bodies import Bodies
from conformance.reporting.site.hexdump import MOST_ROWS, DumpedField, alone, beside, unnamed
from conformance.results.lines import Annotated
from tests.reporting.site.lines import RECEIVED, SENT, a_failure, a_verdict


def fields(*named):
    """Fields of these names and bytes, one behind the other."""
    found, at = [], 0
    for path, hex_ in named:
        data = bytes.fromhex(hex_)
        found.append(DumpedField(at, data, path, "int"))
        at += len(data)
    return found


def places(dump):
    return [(left and left.path, right and right.path) for left, right in dump.rows]


def test_fields_of_one_name_stand_side_by_side_though_one_is_missing():
    left = fields(("a", "00"), ("b", "01"), ("c", "02"))
    right = fields(("a", "00"), ("c", "02"))
    dump = beside(("expected", "received"), left, right)
    assert places(dump) == [("a", "a"), ("b", None), ("c", "c")]


def test_the_first_wrong_byte_is_the_first_that_differs():
    dump = beside(
        ("e", "r"), fields(("a", "0001"), ("b", "02")), fields(("a", "0001"), ("b", "ff"))
    )
    assert dump.first == 2


def test_bytes_that_end_early_are_wrong_where_they_end():
    dump = beside(("e", "r"), fields(("a", "000102")), fields(("a", "00")))
    assert dump.first == 1


def test_equal_bytes_have_no_wrong_one():
    assert beside(("e", "r"), fields(("a", "00")), fields(("a", "00"))).first is None


def test_what_the_reader_found_wrong_is_marked_where_nobody_points():
    bad = DumpedField(3, b"\xff", "tags", "uvarint", says="not ascending", wrong=True)
    assert alone("sent", [*fields(("a", "000102")), bad], None).first == 3


def test_of_many_rows_those_around_the_wrong_byte_are_shown():
    left = [DumpedField(n, b"\x00", f"f{n}") for n in range(2000)]
    right = [DumpedField(n, b"\x01" if n == 1500 else b"\x00", f"f{n}") for n in range(2000)]
    dump = beside(("e", "r"), left, right)
    assert len(dump.rows) == MOST_ROWS
    assert dump.left_out == 2000 - MOST_ROWS
    assert any(left and left.offset == 1500 for left, _ in dump.rows)


def test_of_a_long_field_the_bytes_around_the_wrong_one_are_shown():
    long = b"\x00" * 5000
    dump = beside(
        ("e", "r"), [DumpedField(0, long, "a")], [DumpedField(0, long[:4000] + b"\x01" * 1000, "a")]
    )
    [row] = dump.data()["rows"]
    offset, shown, left_out = row[:3]
    assert offset < 4000 < offset + len(shown) // 2
    assert left_out > 0


def test_bytes_that_nobody_can_name_are_cut_as_those_beside_them():
    like = fields(("a", "0001"), ("b", "02"))
    assert [(f.path, f.data.hex()) for f in unnamed(bytes.fromhex("0001ff"), like)] == [
        ("a", "0001"),
        ("b", "ff"),
    ]


def test_every_byte_is_in_one_row():
    data = bytes(range(100))
    assert b"".join(field.data for field in unnamed(data)) == data


def parts(verdict):
    return Bodies("", lambda asked: []).parts(verdict)


def test_a_round_trip_has_what_was_expected_beside_what_came():
    [part] = parts(a_failure())
    assert (part["left"], part["right"]) == ("sent, and expected back", "received")
    assert part["first"] == len(bytes.fromhex(SENT)) - 1
    assert "".join(row[4] for row in part["rows"]) == RECEIVED


def test_a_reading_has_its_bytes_and_then_the_values():
    verdict = a_verdict("fail", input=SENT, expected={"b": 1, "a": 2}, actual={"a": 2, "b": 3})
    sent, values = parts(verdict)
    assert sent["kind"] == "bytes"
    assert values["one"].index('"b"') < values["one"].index('"a"')
    assert values["other"].index('"b"') < values["other"].index('"a"')  # lines can be compared


def test_the_byte_that_the_judge_points_at_is_the_first_wrong_one():
    rows = [Annotated(offset=0, bytes="0000000a"), Annotated(offset=4, bytes="00", differs=True)]
    verdict = a_verdict("fail", input=SENT, expected="refused", actual={"a": 1}, annotated=rows)
    assert [part.get("first") for part in parts(verdict)] == [4, None]


def test_bytes_that_ought_to_have_come_are_shown_once():
    refused = {"actual": "rejected: it has no header"}
    assert [part["left"] for part in parts(a_failure(**refused))] == ["sent", "allowed"]
    written = a_failure(op="encode", input={"a": 1}, **refused)
    assert [(part["kind"], part["left"]) for part in parts(written)] == [
        ("text", "sent"),
        ("bytes", "allowed"),
        ("text", "received"),
    ]


def test_frames_that_a_client_sent_stand_under_the_words_about_them():
    came = ["0.1 s, connection 0 > ApiVersions v2 001200020000000000076b61666b616a73"]
    verdict = a_verdict("fail", op="visit", input="Serves v0 alone.", expected="v0", actual=came)
    said = [part["one"] if part["kind"] == "text" else part["left"] for part in parts(verdict)]
    assert said == ["Serves v0 alone.", "v0", "0.1 s, connection 0 > ApiVersions v2", "frame"]


def test_nothing_is_shown_of_what_is_withheld():
    assert parts(a_failure("withheld")) == []
