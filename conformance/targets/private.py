"""Files and folders that only their owner may read, from the moment they exist."""

from __future__ import annotations

from pathlib import Path


def make_folder(folder: Path) -> Path:
    """A new folder, with those above it that are missing; it may be there already."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def write_private(path: Path, content: str | bytes) -> Path:
    """A file with this content, in place of an older one."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
