"""Which runs stand in the matrix, and what their files are called."""

import pytest

from conformance.reporting.site.matrix_runs import choose, slug
from conformance.reporting.site.reading import ResultsFile
from tests.reporting.site.lines import a_file, a_verdict


def test_the_newer_of_two_runs_stands_in_the_matrix_and_the_older_beside_it(tmp_path):
    old = a_file(tmp_path / "old", started="2026-11-01T00:00:00+00:00")
    new = a_file(tmp_path / "new", started="2026-11-02T00:00:00+00:00")
    [chosen] = choose([ResultsFile(new), ResultsFile(old)])
    assert chosen.file.path == new
    assert [file.path for file in chosen.older] == [old]


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        ("decode-request", "codec"),
        ("exchange", "broker"),
        ("visit", "client"),
        ("forward", "proxy"),
        ("lint", "schema"),
        ("dance", "other"),
    ],
)
def test_the_operation_tells_the_kind_of_target(tmp_path, op, kind):
    path = a_file(tmp_path, "one", a_verdict(op=op))
    assert [chosen.kind for chosen in choose([ResultsFile(path)])] == [kind]


def test_a_codec_and_a_client_of_one_library_are_two_targets(tmp_path):
    codec = a_file(tmp_path / "codecs", "kio", a_verdict())
    client = a_file(tmp_path / "clients", "kio", a_verdict(op="visit"))
    chosen = choose(map(ResultsFile, (codec, client)))
    assert [each.kind for each in chosen] == ["client", "codec"]
    assert len({each.slug for each in chosen}) == 2


def test_results_beside_a_fuzzers_progress_are_a_fuzzers(tmp_path):
    path = a_file(tmp_path)
    (tmp_path / "progress.ndjson").write_text('{"executions":1,"edges":2,"seconds":3.0}\n')
    assert [chosen.kind for chosen in choose([ResultsFile(path)])] == ["fuzz"]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "<script>alert(1)</script>", "…", "", "a" * 999]
)
def test_a_file_name_has_harmless_signs_only(name):
    made = slug(name, set())
    assert made
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert ".." not in made.strip(".") or "/" not in made
    assert len(made) <= 60


def test_two_targets_never_share_a_file_name():
    taken: set[str] = set()
    assert slug("A b", taken) != slug("a-B", taken)
