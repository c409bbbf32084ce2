"""The documentation's two main paths, each by its pages' own commands: `python -m tests.docs.walk`.

One leads from the README to a failing byte explained, one from nothing to one's own codec under
test. Printed are the commands of each, in order, with the seconds that they took.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.docs.pages import Page, page
from tests.docs.walking import Newcomer, Step, newcomer

INSTALL = "1. Install"
_SECTIONS = re.compile(r"^## (.*)$", re.M)
_LINK = re.compile(r"\]\((docs/[^)#]+\.md)\)")


def first_link(part: Page) -> str:
    """The page that a part of the README sends its reader to."""
    links = _LINK.findall(part.text)
    assert links, "it leads nowhere"
    return str(links[0])


def to_a_failing_byte(user: Newcomer) -> Iterator[Step]:
    """From the README's first screen to a failing byte, explained."""
    readme = page("README.md")
    yield from user.install(page(first_link(readme.opening)))


def to_an_own_codec(user: Newcomer) -> Iterator[Step]:
    """From nothing to one's own codec under test, in each of the page's languages that is here."""
    readme = page("README.md")
    yield from user.install(page(first_link(readme.opening)).section(INSTALL))
    own = page(first_link(readme.section("Your own codec")))
    for part in parts(own):
        if not tool_missing(part):
            yield from user.follow(part)


def parts(whole: Page) -> list[Page]:
    """A page's sections, in its order."""
    return [whole.section(heading) for heading in _SECTIONS.findall(whole.text)]


def tool_missing(part: Page) -> str | None:
    """The toolchain that the commands of a part want and this machine lacks."""
    wanted = re.findall(r"(?<!\S)(node|go) ", "\n".join(part.commands))
    return next((name for name in wanted if shutil.which(name) is None), None)


PATHS: tuple[Callable[[Newcomer], Iterator[Step]], ...] = (to_a_failing_byte, to_an_own_codec)


def table(steps: list[Step]) -> str:
    """A line for each step, and the whole time."""
    whole = sum(step.seconds for step in steps)
    return "\n".join([*map(str, steps), f"{whole:6.1f} s  {len(steps)} commands"])


def main() -> int:
    """Walk both, and say how each step ended; 1 where one did not end as its page says."""
    wrong = 0
    for path in PATHS:
        with tempfile.TemporaryDirectory() as folder, newcomer(Path(folder)) as user:
            steps = list(path(user))
        print(path.__doc__, table(steps), "", sep="\n")
        wrong += sum(step.code != step.due for step in steps)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
