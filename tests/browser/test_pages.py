"""Every kind of page, opened from disk in Chromium: axe-core, the keyboard, narrow windows, large text and paper.

Without Chromium the tests are left out, but where CI is set they fail: there no page is published untried.
"""

from __future__ import annotations

import html
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from every_page import Site, build, kinds_of_pages

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Request

WIDE, NARROW = 1200, 400
# Of A4 inside the margins that report.css gives it, in CSS pixels of 1/96 inch.
UPRIGHT, ACROSS = 182 / 25.4 * 96, 269 / 25.4 * 96
HEIGHT = 900
LARGE = "200%"


@dataclass
class Visit:
    """A page that is open, and what went wrong while it was."""

    page: Page
    faults: list[str] = field(default_factory=list)


Open = Callable[[str], Visit]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return build(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The machine's Chromium; closed with this module, since other tests run loops of their own."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        why = "Chromium is not installed (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield chromium.new_context(viewport={"width": WIDE, "height": HEIGHT})
        chromium.close()


@pytest.fixture
def visit(browser: Any, site: Site) -> Iterator[Open]:
    """A way to open the page of a kind; at the end nothing went wrong, and nothing was asked for outside the set."""
    visits: list[Visit] = []

    def open_page(template: str) -> Visit:
        file = site.pages[template][0]
        made = Visit(browser.new_page())

        def guard(route: Any, request: Request) -> None:
            address = urlsplit(request.url)
            if address.scheme == "file" and Path(unquote(address.path)).is_relative_to(site.folder):
                route.continue_()
            else:
                made.faults.append(f"asked for {request.url}")
                route.abort()

        made.page.route("**/*", guard)
        made.page.on("console", lambda message: made.faults.append(f"console: {message.type}: {message.text}"))
        made.page.on("pageerror", lambda error: made.faults.append(f"error: {error}"))
        made.page.on("requestfailed", lambda request: made.faults.append(f"failed: {request.url}"))
        made.page.goto(file.as_uri())
        made.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        visits.append(made)
        return made

    yield open_page
    for one in visits:
        one.page.close()
    assert [fault for one in visits for fault in one.faults] == []


def test_a_page_of_every_kind_is_opened(site: Site) -> None:
    assert sorted(site.pages) == kinds_of_pages()
    assert all(page.is_file() for pages in site.pages.values() for page in pages)


@pytest.mark.parametrize("template", kinds_of_pages())
def test_every_link_leads_somewhere(site: Site, template: str) -> None:
    page = site.pages[template][0]
    text = page.read_text(encoding="utf-8")
    dead = []
    for href in map(html.unescape, re.findall(r'<a [^>]*href="([^"]*)"', text)):
        address = urlsplit(href)
        if address.scheme in ("http", "https", "mailto"):  # to be followed by whoever is connected
            continue
        to = page if not address.path else (page.parent / unquote(address.path)).resolve()
        there = to.read_text(encoding="utf-8") if address.fragment and to.is_file() else ""
        if not to.is_file() or (address.fragment and f'id="{unquote(address.fragment)}"' not in there):
            dead.append(href)
    assert dead == []


@pytest.mark.parametrize("template", kinds_of_pages())
def test_no_two_elements_have_one_id_and_every_picture_has_words(site: Site, template: str) -> None:
    text = site.pages[template][0].read_text(encoding="utf-8")
    ids = re.findall(r'<[^>]* id="([^"]*)"', text)
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    for named in re.findall(r'<svg role="img"[^>]*aria-labelledby="([^"]*)"', text):
        for id in named.split():
            told = re.search(f'<(title|desc) id="{re.escape(id)}">([^<]*)<', text)
            assert told is not None
            assert told.group(2).strip()
    assert text.count("<svg") == text.count('<svg role="img"')


@pytest.mark.parametrize("template", kinds_of_pages())
def test_axe_finds_nothing(visit: Open, template: str) -> None:
    """No fault that axe-core knows, be it minor; in a narrow window by the rule that depends on its width."""
    from axe_playwright_python.sync_playwright import Axe

    page = visit(template).page
    # the rows of a table are alike and a picture is one image to axe: it is slow with thousands of elements
    page.evaluate("document.querySelectorAll('tbody tr:nth-child(n+13), svg.plot > g').forEach(one => one.remove())")
    found = []
    narrow = {"runOnly": {"type": "rule", "values": ["scrollable-region-focusable"]}}
    for width, rules in ((WIDE, {}), (NARROW, narrow)):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for fault in Axe().run(page, options=rules).response["violations"]:
            where = [node["target"][0] for node in fault["nodes"][:4]]
            found.append(f"{width} px: {fault['impact']}: {fault['id']}: {fault['help']}: {where}")
    assert found == []


@pytest.mark.parametrize("template", kinds_of_pages())
def test_a_keyboard_is_enough(visit: Open, template: str) -> None:
    page = visit(template).page
    _first_tab_leads_to_the_content(page)
    for table in page.locator("table.sortable").all():
        _is_sorted(page, table)


def _first_tab_leads_to_the_content(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    box = page.locator(".skip").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#content"
    page.keyboard.press("Tab")
    before = "document.querySelector('main').compareDocumentPosition(document.activeElement) & 2"  # PRECEDING
    assert page.evaluate(f"document.activeElement === document.body || !({before})")


def _is_sorted(page: Page, table: Locator) -> None:
    """By the first and the last column: in order, the other way round, and told so to a screen reader."""
    heads, rows = table.locator("thead th"), table.locator("tbody tr").count()
    for at in {0, heads.count() - 1}:
        button = heads.nth(at).locator("button")
        if not button.count():
            continue
        told, columns = [], []
        for key in ("Enter", "Space"):
            button.focus()
            page.keyboard.press(key)
            each = heads.evaluate_all("heads => heads.map(head => head.getAttribute('aria-sort'))")
            told.append(each.pop(at))
            assert set(each) <= {None}
            cells = f"rows => rows.map(row => row.cells[{at}].textContent.trim()).filter(text => text)"
            columns.append(table.locator("tbody tr").evaluate_all(cells))
        assert told == ["ascending", "descending"]
        assert columns[0] == columns[1][::-1] or len(set(columns[0])) < len(columns[0])  # equals keep their order
        assert table.locator("tbody tr").count() == rows
        assert heads.nth(at).evaluate("head => head.contains(document.activeElement)")


@pytest.mark.parametrize("template", kinds_of_pages())
def test_nothing_is_lost_in_narrow_windows_in_large_type_and_on_paper(visit: Open, template: str) -> None:
    """The page never scrolls sideways; what is wider scrolls in a box that the keyboard reaches; nothing is cut."""
    page = visit(template).page
    found = []
    for width, size in product((WIDE, NARROW), ("100%", LARGE)):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.evaluate("size => document.documentElement.style.fontSize = size", size)
        for what, where in (("too wide", page.evaluate(_TOO_WIDE, width)), ("not by keyboard", page.evaluate(_NO_KEY)),
                            ("cut", page.evaluate(_CUT))):  # fmt: skip
            found += [f"{width} px, {size}: {what}: {one}" for one in where]
    page.evaluate("document.documentElement.style.fontSize = ''")
    page.emulate_media(media="print")
    across = page.evaluate("document.documentElement.classList.contains('across')")
    paper = int(ACROSS if across else UPRIGHT)
    page.set_viewport_size({"width": paper, "height": HEIGHT})
    found += [f"on paper: too wide: {one}" for one in page.evaluate(_TOO_WIDE, paper)]
    found += [f"on paper: {one}" for one in page.locator("nav, .skip").all() if one.is_visible()]
    assert found == []


_DESCRIBED = """
const told = element => element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") + "."
  + (element.getAttribute("class") || "") + ": " + element.textContent.trim().slice(0, 40);
const within = element => { const box = element.parentElement && element.parentElement.closest(".scroll, figure.wide");
  return box && ["auto", "scroll"].includes(getComputedStyle(box).overflowX); };
const shown = element => element.checkVisibility() && !element.closest(".unseen, .skip, svg");
"""
_TOO_WIDE = f"""width => {{ {_DESCRIBED}
  const found = [...document.body.querySelectorAll("*")].filter(element => shown(element) && !within(element)
    && element.getBoundingClientRect().right > width + 1).map(told).slice(0, 5);
  const whole = document.documentElement.scrollWidth;
  return whole > width + 1 ? [...found, "scrolls to " + whole] : found; }}"""
_NO_KEY = f"""() => {{ {_DESCRIBED}
  return [...document.body.querySelectorAll("*")].filter(element => shown(element)
    && ["auto", "scroll"].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1
    && element.tabIndex < 0).map(told); }}"""
_CUT = f"""() => {{ {_DESCRIBED}
  return [...document.body.querySelectorAll("*")].filter(element => shown(element)
    && ["hidden", "clip"].includes(getComputedStyle(element).overflowX)
    && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1))
    .map(told); }}"""
