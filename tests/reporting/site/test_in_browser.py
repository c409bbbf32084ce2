"""The site as people see it: opened from a file, in a real browser."""

from itertools import pairwise

import pytest

pytest.importorskip("selenium")

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from conformance.reporting.site.building import Site, build
from conformance.reporting.site.reading import found
from conformance.results.lines import Annotated
from tests.reporting.site.conftest import make
from tests.reporting.site.lines import (
    A_SUMMARY,
    ASCENDING,
    SKIPPED,
    a_failure,
    a_file,
    a_finding,
    a_run,
    a_verdict,
    write,
)

pytestmark = pytest.mark.browser

WAIT_S = 20
NARROW = 320
KIO = "targets/codec-kio-0.6.5.html"
SARAMA = "targets/client-sarama.html"
RULE = "rules/tags.unknown-skipped.html"
FAILING = f"{KIO}#/r/request-header.unknown-tag-skipped"


def until(browser, happened):
    return WebDriverWait(browser, WAIT_S).until(lambda _: happened())


def go(browser, site, address):
    browser.get("about:blank")
    browser.get((site / address.partition("#")[0]).as_uri() + "".join(address.partition("#")[1:]))


def all_of(browser, selector):
    return [e for e in browser.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()]


def one(browser, selector):
    return until(browser, lambda: next(iter(all_of(browser, selector)), None))


def click(browser, selector):
    element = one(browser, selector)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def click_link(browser, text):
    element = until(browser, lambda: browser.find_element(By.LINK_TEXT, text))
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def text(browser, selector):
    return one(browser, selector).text


def press(browser, *keys):
    for key in keys:
        ActionChains(browser).send_keys(key).perform()


def focused(browser):
    return browser.switch_to.active_element


def choose(browser, class_="any"):
    """Open the filters, and choose a class of rules."""
    click(browser, "#choose summary")
    Select(one(browser, "#by-class")).select_by_visible_text(class_)


def rules_shown(browser):
    told = [each.text.split() for each in all_of(browser, "li[data-rule] .what")]
    return [words[0] for words in told if words]  # what has just been hidden has no text


def scrolls_sideways(browser):
    return browser.execute_script(
        "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )


def test_from_a_cell_to_the_byte_that_is_wrong(browser, matrix):
    go(browser, matrix, "rules.html")
    click(browser, f'a.cell[href^="{KIO}"][data-group="request-header"]')
    click_link(browser, "request-header.unknown-tag-skipped")
    assert "Apache" in text(browser, "#rule .facts") or "KIP" in text(browser, "#rule .facts")
    click(browser, "#rule .plain th a")
    assert text(browser, "#failure h1").startswith("✗ fail")
    assert "--case" in text(browser, "#failure .command code")
    assert all_of(browser, "#failure .byte")


def test_the_first_wrong_byte_is_marked_and_says_what_it_is(browser, small):
    go(browser, small, "targets/codec-mine-1.0.html#/r/tags.ascending/1")
    wrong = one(browser, ".byte.first")
    assert wrong.text == "03"
    ActionChains(browser).move_to_element(wrong).perform()
    assert "offset 8 (0x8)" in text(browser, ".told")
    assert "the first wrong byte" in text(browser, ".told")
    assert "▸" in text(browser, "tr.differs .mark")


def test_where_the_first_wrong_byte_is_stands_below_before_anybody_points(browser, small):
    go(browser, small, "targets/codec-mine-1.0.html#/r/tags.ascending/1")
    assert text(browser, ".told").startswith("First wrong byte: offset 8 (0x8).")


def test_bytes_stand_beside_those_that_were_expected(browser, small):
    go(browser, small, "targets/codec-mine-1.0.html#/r/tags.ascending/1")
    left, right = one(browser, "tr.differs .left"), one(browser, "tr.differs .right")
    assert left.location["y"] == right.location["y"]
    assert left.text.split()[-1] == "03"
    assert right.text.split()[-1] == "ff"


def test_the_keys_go_from_byte_to_byte(browser, small):
    go(browser, small, "targets/codec-mine-1.0.html#/r/tags.ascending/1")
    browser.execute_script("arguments[0].focus()", one(browser, ".byte.first"))
    press(browser, Keys.HOME)
    assert "offset 0" in text(browser, ".told")
    press(browser, Keys.ARROW_RIGHT)
    assert "offset 1" in text(browser, ".told")
    press(browser, Keys.END)
    assert "first wrong byte" in text(browser, ".told")


def tab_to(browser, address):
    for _ in range(60):
        press(browser, Keys.TAB)
        if (focused(browser).get_attribute("href") or "").endswith(address):
            return
    raise AssertionError(f"no way by keys to {address}")


def test_a_failure_is_reached_by_keys_alone(browser, small):
    go(browser, small, "index.html")
    tab_to(browser, "codec-mine-1.0.html")
    press(browser, Keys.ENTER)
    until(browser, lambda: browser.current_url.endswith("codec-mine-1.0.html"))
    tab_to(browser, "#/r/tags.ascending")
    press(browser, Keys.ENTER)
    until(browser, lambda: focused(browser).text == "tags.ascending")
    tab_to(browser, "/r/tags.ascending/1")
    press(browser, Keys.ENTER)
    until(browser, lambda: focused(browser).text.startswith("✗ fail"))
    for _ in range(10):
        press(browser, Keys.TAB)
        if "byte" in (focused(browser).get_attribute("class") or ""):
            break
    assert "offset 8" in text(browser, ".told")


def test_the_way_back_works(browser, small):
    go(browser, small, "targets/codec-mine-1.0.html")
    click(browser, "li[data-rule] .what a")
    click(browser, "#rule .plain th a")
    one(browser, "#failure h1")
    browser.back()
    one(browser, "#rule h1")
    browser.back()
    assert text(browser, "#overview h1").startswith("mine 1.0")


def test_the_matrix_is_filtered_by_class_verdict_and_message(browser, matrix):
    go(browser, matrix, "rules.html")
    cell = f'a.cell[href^="{KIO}"][data-group="request-header"]'
    before, rules = text(browser, cell), rules_shown(browser)
    choose(browser, "harden")
    until(browser, lambda: text(browser, cell) != before)
    Select(one(browser, "#by-verdict")).select_by_value("broken")
    Select(one(browser, "#by-message")).select_by_visible_text("MetadataRequest")
    until(browser, lambda: "rule" in text(browser, "#found"))
    click(browser, "#filters button[type=reset]")
    until(browser, lambda: text(browser, cell) == before)
    assert rules_shown(browser) == rules


@pytest.mark.parametrize("address", ["rules.html", "targets/codec-mine-1.0.html"])
def test_what_texts_demand_is_shown_at_first_and_the_filters_are_folded(
    browser, two_rules, address
):
    go(browser, two_rules, address)
    until(browser, lambda: rules_shown(browser) == [ASCENDING])
    assert not all_of(browser, "#filters")
    choose(browser)
    until(browser, lambda: rules_shown(browser) == [ASCENDING, SKIPPED])


@pytest.fixture(scope="module")
def two_rules(tmp_path_factory):
    """The site of a target that breaks a rule and keeps another, of another class and message."""
    folder = tmp_path_factory.mktemp("two-rules")
    kept = a_verdict(rule=SKIPPED, class_="harden", message="ApiVersionsRequest")
    a_file(folder, "mine", a_failure(), kept)
    return make(folder / "site", folder)


ONE_OF_TWO = [
    ("#by-text", "ascending", ASCENDING, "✗ mine, tags: 1 of 1"),
    ("#by-class", "harden", SKIPPED, "✓ mine, tags: 1"),
    ("#by-verdict", "broken (fail, crash, hang)", ASCENDING, "✗ mine, tags: 1"),
    ("#by-message", "ApiVersionsRequest", SKIPPED, "✓ mine, tags: 1"),
]
"""A filter, what is wished for, the one rule that fits, and what is left in its cell."""
FIELDS = [each[0] for each in ONE_OF_TWO]


def wish(browser, field, value):
    element = one(browser, field)
    if element.tag_name == "select":
        Select(element).select_by_visible_text(value)
    else:
        element.send_keys(value)


@pytest.mark.parametrize(("field", "value", "rule", "cell"), ONE_OF_TWO, ids=FIELDS)
def test_each_filter_of_the_matrix_leaves_what_fits(browser, two_rules, field, value, rule, cell):
    go(browser, two_rules, "rules.html")
    choose(browser)
    wish(browser, field, value)
    until(browser, lambda: text(browser, "#found") == "1 rule")
    assert rules_shown(browser) == [rule]
    assert " ".join(text(browser, 'a.cell[data-group="tags"]').split()) == cell


@pytest.mark.parametrize(("field", "value", "rule", "cell"), ONE_OF_TWO, ids=FIELDS)
def test_each_filter_of_a_target_leaves_what_fits(browser, two_rules, field, value, rule, cell):
    go(browser, two_rules, "targets/codec-mine-1.0.html")
    choose(browser)
    until(browser, lambda: len(rules_shown(browser)) == 2)
    wish(browser, field, value)
    until(browser, lambda: text(browser, "#found") == "1 rule")
    assert rules_shown(browser) == [rule]


def test_a_rule_is_found_by_its_words_and_has_a_page(browser, matrix):
    go(browser, matrix, "rules.html")
    shown = len(rules_shown(browser))
    click(browser, "#choose summary")
    one(browser, "#by-text").send_keys("ascending")
    until(browser, lambda: 0 < len(rules_shown(browser)) < shown)
    click_link(browser, ASCENDING)
    assert text(browser, "h1") == ASCENDING
    assert "KIP-482" in text(browser, ".facts a")
    assert all_of(browser, ".forms .right")
    assert all_of(browser, ".forms .wrong")
    assert ASCENDING in text(browser, ".command code")
    click(browser, ".who-list a")
    until(browser, lambda: text(browser, "#rule h1") == ASCENDING)


def test_the_rules_of_a_target_are_filtered(browser, matrix):
    go(browser, matrix, KIO)
    choose(browser)
    shown = len(rules_shown(browser))
    Select(one(browser, "#by-verdict")).select_by_value("fail")
    until(browser, lambda: 0 < len(rules_shown(browser)) < shown)
    failed = len(rules_shown(browser))
    Select(one(browser, "#by-message")).select_by_visible_text("ApiVersionsRequest")
    until(browser, lambda: 0 < len(rules_shown(browser)) < failed)


def test_what_to_mend_first_is_open_and_its_issue_is_ready_to_copy(browser, matrix):
    go(browser, matrix, KIO)
    first = one(browser, "#defect-1")
    assert "What to do" in first.text
    assert "KIP-482" in first.text
    assert "--case" in first.text
    assert all_of(browser, "#defect-1 .rows")
    assert [each.tag_name for each in all_of(browser, ".defect")][:4] == ["article"] * 3 + [
        "details"
    ]
    click_link_of(browser, "#defect-1 summary", "Issue text")
    click(browser, "#defect-1 .issue button")
    until(browser, lambda: text(browser, "#defect-1 .issue button").startswith(("Copied", "Sel")))
    assert text(browser, "#defect-1 .issue code").startswith("kio 0.6.5: ")


def click_link_of(browser, selector, words):
    [found] = [each for each in all_of(browser, selector) if each.text == words]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
    found.click()


def test_a_defect_leads_to_all_of_its_bytes(browser, matrix):
    go(browser, matrix, KIO)
    click_link_of(browser, "#defect-1 summary", "What was asked, allowed and received")
    click_link_of(browser, "#defect-1 a", "Every byte, field by field")
    assert one(browser, "#failure .byte")


def test_a_badge_is_shown(browser, small):
    go(browser, small, "targets/codec-mine-1.0.html")
    badge = one(browser, "dd img")
    assert badge.get_attribute("alt") == "kafka conformance: 1 defect"
    assert browser.execute_script("return arguments[0].naturalWidth", badge) > 0


def test_the_first_screen_of_a_phone_shows_results(browser, matrix):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        go(browser, matrix, "index.html")
        words = [each for each in all_of(browser, ".word") if each.rect["y"] < size["height"] - 30]
        assert len(words) >= 6
        assert words[0].text == "conforms"
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_two_runs_of_a_target_show_what_broke_and_what_was_mended(browser, small):
    go(browser, small, "index.html")
    click(browser, "#compared + ul a")
    assert [row.get_attribute("data-kind") for row in all_of(browser, "tr[data-kind]")] == [
        "new",
        "gone",
    ]
    assert "✗ broke" in text(browser, "table.compared")
    assert "✓ mended" in text(browser, "table.compared")


def test_the_command_is_copied_at_a_click(browser, small):
    go(browser, small, "targets/codec-mine-1.0.html#/r/tags.ascending/1")
    click(browser, "#failure .command button")
    until(
        browser,
        lambda: text(browser, "#failure .command button").startswith(("Copied", "Selected")),
    )


def test_light_and_dark_are_switched_and_remembered(browser, small):
    colour = "return getComputedStyle(document.body).backgroundColor"
    go(browser, small, "index.html")
    light = browser.execute_script(colour)
    click(browser, "#theme")
    dark = browser.execute_script(colour)
    assert dark != light
    go(browser, small, "targets/codec-mine-1.0.html")
    assert browser.execute_script(colour) == dark
    click(browser, "#theme")
    assert browser.execute_script(colour) == light


def test_the_wish_of_the_system_for_dark_is_heeded(browser, small):
    given = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", given)
    go(browser, small, "index.html")
    browser.execute_script("localStorage.clear()")
    browser.refresh()
    assert text(browser, "#theme").endswith("Light")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize(
    "address",
    ["index.html", "rules.html", RULE, KIO, SARAMA, FAILING, f"{FAILING}/1"],
)
def test_a_phone_has_nothing_beside_its_screen(browser, matrix, address):
    size = {"width": NARROW, "height": 640, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        go(browser, matrix, address)
        one(browser, "h1")
        assert not scrolls_sideways(browser)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def what_axe_finds(browser, axe):
    """What keeps people out. It loads no style sheets by itself: the page forbids that."""
    browser.execute_script(axe)
    return browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run({preload: false}).then((found) => done(found.violations.map((each) =>"
        " [each.id, each.nodes.map((node) => node.html.slice(0, 200))])));"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "address",
    [
        "index.html",
        "rules.html",
        "rules/tags.ascending.html",
        "targets/codec-mine-1.0.html",
        "targets/codec-mine-1.0.html#/r/tags.ascending",
        "targets/codec-mine-1.0.html#/r/tags.ascending/1",
        "compare/mine.html",
    ],
)
def test_axe_finds_nothing_that_keeps_people_out(browser, small, axe, address, theme):
    go(browser, small, address)
    one(browser, "h1")
    browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    assert what_axe_finds(browser, axe) == []


@pytest.mark.parametrize(
    "address",
    [
        *("index.html", "rules.html", RULE, "rules/client-answers.nulls-read.html", KIO, SARAMA),
        *(FAILING, f"{FAILING}/1", f"{KIO}#/r/compact.null-not-written/1"),
    ],
)
def test_axe_finds_nothing_in_the_real_matrix(browser, matrix, axe, address):
    go(browser, matrix, address)
    one(browser, "h1")
    for closed in all_of(browser, "summary"):
        closed.click()
    assert what_axe_finds(browser, axe) == []


def test_nothing_of_a_hostile_name_is_executed(browser, tmp_path):
    own = "document.title='owned'"
    evil = f'</script><script>{own}</script><img src=x onerror="{own}">'
    failure = a_failure(
        evil, detail=evil, message=evil, rule=f"tags.{evil}", actual=[evil], input=evil
    )
    run = a_run(evil, target_version=evil, language=evil)
    path = write(
        tmp_path / "r.ndjson", run, failure, a_finding(evil, cause=evil, reproduce=evil), A_SUMMARY
    )
    site = make(tmp_path / "site", path, "--title", evil)
    [page] = (site / "targets").iterdir()
    go(browser, site, "rules.html")
    click(browser, "#choose summary")
    one(browser, "#by-text").send_keys("tags")
    until(browser, lambda: text(browser, "#found") == "1 rule")
    go(browser, site, f"targets/{page.name}")
    rule = one(browser, "li[data-rule] .what a")
    assert rule.text == f"tags.{evil}"
    rule.click()
    click(browser, "#rule .plain th a")
    assert evil in text(browser, "#failure")
    assert browser.find_elements(By.CSS_SELECTOR, "img[onerror], body script") == []
    assert "fail: tags." in browser.title


def test_nothing_of_a_hostile_field_is_executed(browser, tmp_path):
    evil = "<img src=x onerror=\"document.title='owned'\">"
    fields = [Annotated(offset=0, bytes="0000000a", path=evil, type=evil)]
    failure = a_failure(message="Nobodys", annotated=fields)
    site = make(tmp_path / "site", write(tmp_path / "r.ndjson", a_run(), failure, A_SUMMARY))
    go(browser, site, "targets/codec-mine-1.0.html#/r/tags.ascending/1")
    ActionChains(browser).move_to_element(one(browser, ".byte")).perform()
    until(browser, lambda: evil in text(browser, ".told"))
    assert browser.find_elements(By.CSS_SELECTOR, "main img[onerror]") == []


def test_a_fuzzers_curve_and_an_older_suite_are_shown(browser, tmp_path):
    path = a_file(tmp_path / "fuzz", "mine", a_failure(), suite_version="0.0.1")
    moments = [f'{{"executions":{n},"edges":{n * n},"seconds":{n}}}\n' for n in range(1, 9)]
    (path.parent / "progress.ndjson").write_text("".join(moments))
    site = tmp_path / "site"
    build(found([path]), site, Site(written="2026-11-22T00:00:00+00:00"))
    go(browser, site, "index.html")
    click(browser, ".rank th a")
    assert all_of(browser, "polyline.curve")
    assert "0.0.1" in text(browser, ".notice")


@pytest.mark.parametrize("width", [1400, 1920])
def test_the_columns_of_the_first_page_have_room_for_their_headings(browser, matrix, width):
    size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        go(browser, matrix, "index.html")
        tables = all_of(browser, ".rank")
        assert len(tables) >= 4
        for table in tables:
            headings = table.find_elements(By.CSS_SELECTOR, "thead th")
            for each in headings:
                assert each.rect["width"] > 0.06 * table.rect["width"], each.text
                assert each.rect["height"] < 60, each.text  # one line, or two
            assert cells_that_overflow(browser, table) == []
        assert not scrolls_sideways(browser)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def cells_that_overflow(browser, table):
    return browser.execute_script(
        "return [...arguments[0].querySelectorAll('td, th')]"
        ".filter((cell) => cell.scrollWidth > cell.clientWidth + 1)"
        ".map((cell) => cell.textContent);",
        table,
    )


def test_a_codec_with_little_of_the_protocol_stands_below_those_with_much(browser, matrix):
    go(browser, matrix, "index.html")
    for each in all_of(browser, ".rank"):
        shares = [cell.text for cell in each.find_elements(By.CSS_SELECTOR, "[data-label=has]")]
        enough = [int(share.removesuffix(" %")) >= 50 for share in shares if share]
        assert enough == sorted(enough, reverse=True)


def test_the_darker_word_has_the_larger_number_of_defects(browser, matrix):
    go(browser, matrix, "index.html")
    depths: dict[str, list[int]] = {}
    for each in all_of(browser, ".word.fail"):
        depths.setdefault(each.get_attribute("class") or "", []).append(int(each.text.split()[0]))
    ordered = [depths[name] for name in sorted(depths)]
    assert len(ordered) == 4
    assert all(max(one) < min(more) for one, more in pairwise(ordered))
