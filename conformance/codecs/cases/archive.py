"""The standalone form of the golden vectors: one archive for those who want only the data.

It is a function of the vectors alone. Names are sorted, times and owners are none, and each line is
written anew from the vector that was read: so a broken line never gets in, and a reader may rely on
the one form (keys in the order of `Vector`, no blanks), as those without a JSON library do.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from importlib.resources.abc import Traversable

from conformance import __version__
from conformance.codecs.cases.vectors import read_vectors, vector_lines
from conformance.data import VECTORS, data_root, vector_messages

TOP = f"kafka-conformance-vectors-{__version__}"
"""The folder that everything in the archive stands in."""

_READERS = (".go", ".java", ".mjs", ".py", ".rs", ".toml")  # no files built beside them


def contents(root: Traversable | None = None) -> dict[str, bytes]:
    """The archive's files by name, below `TOP`; `root` is where the suite's data is.

    VERSION has the suite's version and the number of vectors. Raises VectorError.
    """
    root = root or data_root()
    vectors = root / "vectors"
    files = {"LICENSE": (root / "LICENSE").read_bytes()}
    for name in ("README.md", "vector.schema.json"):
        files[name] = (vectors / name).read_bytes()
    for reader in (vectors / "readers").iterdir():
        if reader.name.endswith(_READERS):
            files[f"readers/{reader.name}"] = reader.read_bytes()
    count = 0
    for message in vector_messages(vectors):
        found = read_vectors(message, vectors)
        files[f"{message}{VECTORS}"] = vector_lines(found)
        count += len(found)
    files["VERSION"] = f"suite {__version__}\nvectors {count}\n".encode()
    return files


def pack(files: Mapping[str, bytes]) -> bytes:
    """The files as a `.tar.gz`: the same files give the same bytes."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(f"{TOP}/{name}")  # mode 0644, and 0 or nothing for the rest
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))
    return packed.getvalue()
