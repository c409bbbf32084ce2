"""A site does not grow with the cases that passed, and opens at once."""

import pytest

from conformance.reporting.site.building import Site, build
from conformance.reporting.site.reading import ResultsFile
from tests.reporting.site import large

SITE_MB = 30
OPENS_IN_MS = 2000


def built(folder, targets, cases):
    folder.mkdir()
    files = [ResultsFile(large.write_target(folder, n, cases)) for n in range(targets)]
    build(files, folder / "site", Site(written="2026-11-22T00:00:00+00:00"))
    return folder / "site"


def test_a_target_has_its_room_and_no_more(tmp_path):
    few = large.size(built(tmp_path / "few", 1, 20_000))
    one = large.size(built(tmp_path / "one", 1, large.CASES))
    two = large.size(built(tmp_path / "two", 2, large.CASES))
    assert one < 1.5 * few
    assert one + (two - one) * (large.TARGETS - 1) < SITE_MB * 1e6  # pages of rules are shared


@pytest.mark.browser
def test_twenty_targets_open_at_once(tmp_path, browser):
    site = built(tmp_path / "large", large.TARGETS, 10_000)
    assert large.size(site) < SITE_MB * 1e6
    pages = [site / "index.html", *sorted((site / "targets").iterdir())[:1]]
    for page in pages:
        browser.get(page.as_uri())
        took = browser.execute_script(
            "return performance.getEntriesByType('navigation')[0].loadEventEnd"
        )
        assert 0 < took < OPENS_IN_MS
