"""Lay the repository's pages out for the site's generator: `python docs/stage.py DIR`.

A page is written to be read where the code is hosted, and stands once, in the folder that it is
about. The generator wants all of them below one folder. So they are copied there at build time, in
the same places, which keeps the links between them. A link to a file that is no page takes the file
along, one to a folder is left as words, and one that leads nowhere ends the build.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = "zensical.toml"
WRITTEN = ("*.md", "docs/**/*.md", "vectors/README.md", "fuzz/README.md", "reports/**/*.md")
_FENCED = re.compile(r"(^```.*?^```$)", re.M | re.S)
_NAMED = re.compile(r"^```(?P<language>\w+) (?P<name>\S+)$", re.M)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<to>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")
_RULE = re.compile(r"^## (?P<id>[a-z0-9-]+\.[a-z0-9-]+)$", re.M)


def pages() -> list[Path]:
    """Every page of the site but those of single rules, by its path in the repository."""
    found = {path for pattern in WRITTEN for path in ROOT.glob(pattern)}
    return sorted(path.relative_to(ROOT) for path in found)


def stage(folder: Path) -> int:
    """Make the folder anew, and say how many pages are in it."""
    if folder.exists() and not (folder / CONFIG).exists():
        sys.exit(f"{folder} holds something else: name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    here = pages()
    for page in here:
        text = (ROOT / page).read_text(encoding="utf-8")
        for file in (page, *linked_files(page, text)):
            (folder / "pages" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, folder / "pages" / file)
        (folder / "pages" / page).write_text(for_site(page, text), encoding="utf-8")
    shutil.copyfile(ROOT / "docs" / CONFIG, folder / CONFIG)
    return len(here)


def linked_files(page: Path, text: str) -> Iterator[Path]:
    """What a page links to that is no page. Ends the build where there is no such thing."""
    for link in _links(text):
        to = (ROOT / page.parent / link["to"]).resolve()
        if not to.exists() or not to.is_relative_to(ROOT):
            sys.exit(f"{page}: {link['to']} is not there")
        if to.is_file() and to.suffix != ".md":
            yield to.relative_to(ROOT)


def for_site(page: Path, text: str) -> str:
    """The page with folders unlinked, files named the generator's way, rules linked to theirs."""
    parts = _FENCED.split(text)
    parts[::2] = [_LINK.sub(lambda link: _kept(page, link), part) for part in parts[::2]]
    made = _NAMED.sub(r'```{.\g<language> title="\g<name>"}', "".join(parts))
    if page.parent == Path("docs/rules"):
        made = _RULE.sub(r"## [\g<id>](../rule/\g<id>.md)", made)
    return made


def _links(text: str) -> Iterator[re.Match[str]]:
    for part in _FENCED.split(text)[::2]:
        yield from _LINK.finditer(part)


def _kept(page: Path, link: re.Match[str]) -> str:
    return link["text"] if (ROOT / page.parent / link["to"]).is_dir() else link[0]


if __name__ == "__main__":
    print(f"{stage(Path(sys.argv[1]))} pages in {sys.argv[1]}")  # noqa: T201
