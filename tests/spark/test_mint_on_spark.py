"""Minting on Spark: the very bytes that are committed, and a table of who disagrees."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")

import pyarrow.parquet as pq
from rich.console import Console

from conformance.campaigns.minting.disagreements import write_disagreements
from conformance.campaigns.minting.measure import measured
from conformance.campaigns.minting.mint import Disagreement, golden, mint, minted_messages
from conformance.campaigns.storage.tables import TableError
from conformance.cli import main
from conformance.codecs.cases.vectors import vector_lines
from conformance.codecs.resolve import open_target
from conformance.data import data_root
from conformance.schema.record_batch import RECORD_BATCH
from conformance.schema.releases import whole_releases
from conformance.spark.jobs.parts import SetAside
from conformance.spark.minting.minting import NotMinted, mint_on_spark

pytestmark = [
    pytest.mark.java,
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark's own sockets
]

FEW = ("HeartbeatRequest", "VoteRequest")
OURS = {release: f"reference@{release}" for release in whole_releases()}
"""Oracles that start at once: what is proven with them is what Spark adds, not the bytes."""
WRONG = """
from conformance.reference.codec import ReferenceCodec

class Codec(ReferenceCodec):
    name = "wrong"

    def encode(self, message, version, value):
        data = super().encode(message, version, value)
        if message == "HeartbeatRequest" and version == 4:
            if value["generationId"] == 0:
                raise ValueError("no zero")
            data += bytes(1)
        return data
"""


def minted(session, oracles: dict[str, str], messages: tuple[str, ...] = FEW, place: str = ""):
    return mint_on_spark(session, oracles, messages, Console(file=io.StringIO()), place)


def committed(message: str) -> bytes:
    return (data_root() / "vectors" / f"{message}.jsonl").read_bytes()


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "conformance.cli", "vectors", "mint", *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def selected(*messages: str) -> list[str]:
    return [word for message in messages for word in ("--message", message)]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_two_workers_mint_the_committed_bytes(session):
    oracles = {release: f"kafka-clients@{release}" for release in whole_releases()}
    vectors, against = minted(session, oracles, (*FEW, RECORD_BATCH))
    assert against == []
    for message in (*FEW, RECORD_BATCH):
        assert vector_lines(v for v in vectors if v.message == message) == committed(message)


def test_messages_keep_their_order(session):
    vectors, against = minted(session, OURS)
    opened = {release: open_target(name) for release, name in OURS.items()}
    alone, _ = golden(mint(opened, FEW))
    assert against == []
    assert vectors == measured(alone)


def test_a_cluster_of_two_workers_writes_the_committed_files(cluster, tmp_path):
    done = command("--into", str(tmp_path / "new"), "--master", cluster, *selected(*FEW))
    assert done.returncode == 0, done.stdout + done.stderr
    assert files(tmp_path / "new") == {f"{name}.jsonl": committed(name) for name in FEW}


@pytest.fixture
def wrong(tmp_path) -> dict[str, str]:
    """The oracles, of which the newest writes too much, or nothing."""
    (tmp_path / "wrong.py").write_text(WRONG)
    return OURS | {whole_releases()[0]: "wrong:Codec"}


def test_disagreements_are_a_table_with_each_oracles_answer(session, tmp_path, wrong):
    vectors, against = minted(session, wrong, place=str(tmp_path))
    disputed = {each.id for each in against}
    assert disputed
    assert all(name.startswith("HeartbeatRequest-v4-") for name in disputed)
    assert not disputed & {vector.id for vector in vectors}
    write_disagreements(tmp_path / "disputed.parquet", against)
    rows = pq.read_table(tmp_path / "disputed.parquet").to_pylist()
    assert len(rows) == len(disputed) * (1 + len(wrong))
    newest = f"apache-kafka {whole_releases()[0]}"
    assert {row["oracle"] for row in rows if not row["as_reference"]} == {newest}
    ours = {row["id"]: row["bytes"] for row in rows if row["oracle"] == "reference"}
    theirs = [row for row in rows if row["oracle"] == newest]
    assert any(row["refused"] for row in theirs)
    assert any(row["bytes"] == ours[row["id"]] + bytes(1) for row in theirs)


def test_a_refusal_stands_in_the_table_as_it_was_said(tmp_path):
    found = Disagreement("X-v0-a", "X", 0, "00ff", (("kafka 1", "rejected: E no"), ("k", "00ff")))
    write_disagreements(tmp_path / "disputed.parquet", [found])
    rows = pq.read_table(tmp_path / "disputed.parquet").to_pylist()
    assert [(row["oracle"], row["bytes"], row["refused"]) for row in rows] == [
        ("reference", b"\x00\xff", None),
        ("kafka 1", None, "rejected: E no"),
        ("k", b"\x00\xff", None),
    ]
    assert str(found) == "X-v0-a: reference 00ff, kafka 1 rejected: E no"


def test_a_table_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(TableError, match=r"table\.parquet"):
        write_disagreements(tmp_path / "file" / "table.parquet", [])


def test_without_disagreements_the_table_is_empty(tmp_path):
    write_disagreements(tmp_path / "disputed.parquet", [])
    assert pq.read_table(tmp_path / "disputed.parquet").num_rows == 0


def test_a_message_that_cannot_be_minted_is_one_clear_line(session, monkeypatch):
    aside = [SetAside(0, "its worker died 3 times")]
    monkeypatch.setattr("conformance.spark.minting.minting.in_parts", lambda *_: iter(aside))
    with pytest.raises(NotMinted, match="VoteRequest could not be minted: its worker died"):
        minted(session, OURS, ("VoteRequest",))


def test_batches_are_minted_last():
    assert minted_messages()[-1] == RECORD_BATCH


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--message", "VoteRequestt"], "did you mean 'VoteRequest'"),
        (["--message", "VoteRequest", "--master", "x"], "no master of Spark"),
        (["--message", "VoteRequest", "--master", "spark://127.0.0.1:1"], "no Spark master"),
    ],
)
def test_wrong_usage_is_one_clear_line(tmp_path, arguments, said):
    done = CliRunner().invoke(main, ["vectors", "mint", "--into", str(tmp_path), *arguments])
    assert done.exit_code in (2, 3)
    assert said in done.output
    assert "Traceback" not in done.output
