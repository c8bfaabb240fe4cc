"""Every kind of page, opened from disk in Chromium: axe-core, the keyboard, narrow windows, large text and paper.

Without Chromium the tests are left out, but where CI is set they fail: there no page is published untried.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from every_page import Site, build, kinds_of_pages

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

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
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, site: Site) -> Iterator[Open]:
    """A way to open the page of a kind; at the end nothing went wrong, and nothing was asked for outside the set."""
    context = browser.new_context(viewport={"width": WIDE, "height": HEIGHT})
    visits: list[Visit] = []

    def open_page(template: str) -> Visit:
        file = site.pages[template][0]
        made = Visit(context.new_page())

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
    context.close()
    assert [fault for one in visits for fault in one.faults] == []


def test_a_page_of_every_kind_is_opened(site: Site) -> None:
    assert sorted(site.pages) == kinds_of_pages()
    assert all(page.is_file() for pages in site.pages.values() for page in pages)


@pytest.mark.parametrize("template", kinds_of_pages())
def test_axe_finds_nothing(visit: Open, template: str) -> None:
    """No fault that axe-core knows, be it minor, in a wide and in a narrow window."""
    from axe_playwright_python.sync_playwright import Axe

    page = visit(template).page
    found = []
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for fault in Axe().run(page).response["violations"]:
            where = [node["target"][0] for node in fault["nodes"][:4]]
            found.append(f"{width} px: {fault['impact']}: {fault['id']}: {fault['help']}: {where}")
    assert found == []


@pytest.mark.parametrize("template", kinds_of_pages())
def test_the_first_tab_leads_to_the_content(visit: Open, template: str) -> None:
    page = visit(template).page
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


@pytest.mark.parametrize("template", kinds_of_pages())
def test_tables_are_sorted_by_keyboard_and_say_so(visit: Open, template: str) -> None:
    page = visit(template).page
    for table in page.locator("table.sortable").all():
        heads = table.locator("thead th")
        rows = table.locator("tbody tr").count()
        for at in (0, heads.count() - 1):
            button = heads.nth(at).locator("button")
            if not button.count():
                continue
            seen = []
            for key in ("Enter", "Space"):
                button.focus()
                page.keyboard.press(key)
                told = heads.evaluate_all("heads => heads.map(head => head.getAttribute('aria-sort'))")
                seen.append(told.pop(at))
                assert set(told) <= {None}
                assert table.locator("tbody tr").count() == rows
            assert seen == ["ascending", "descending"]
            assert heads.nth(at).evaluate("head => head.contains(document.activeElement)")


@pytest.mark.parametrize("template", kinds_of_pages())
def test_nothing_is_lost_in_narrow_windows_and_large_type(visit: Open, template: str) -> None:
    """The page never scrolls sideways; what is wider scrolls in a box that the keyboard reaches; nothing is cut."""
    page = visit(template).page
    found = []
    for width, size in product((WIDE, NARROW), ("100%", LARGE)):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.evaluate("size => document.documentElement.style.fontSize = size", size)
        for what, where in (("too wide", page.evaluate(_TOO_WIDE, width)), ("not by keyboard", page.evaluate(_NO_KEY)),
                            ("cut", page.evaluate(_CUT))):  # fmt: skip
            found += [f"{width} px, {size}: {what}: {one}" for one in where]
    assert found == []


@pytest.mark.parametrize("template", kinds_of_pages())
def test_on_paper_nothing_is_wider_than_the_page(visit: Open, template: str) -> None:
    page = visit(template).page
    page.emulate_media(media="print")
    across = page.evaluate("document.documentElement.classList.contains('across')")
    width = int(ACROSS if across else UPRIGHT)
    page.set_viewport_size({"width": width, "height": HEIGHT})
    assert page.evaluate(_TOO_WIDE, width) == []
    assert not [one for one in page.locator("nav, .skip").all() if one.is_visible()]


@pytest.mark.parametrize("template", kinds_of_pages())
def test_every_link_leads_somewhere(visit: Open, template: str, site: Site) -> None:
    page = visit(template).page
    here = Path(unquote(urlsplit(page.url).path))
    dead = []
    for href in page.locator("a[href]").evaluate_all("links => links.map(link => link.getAttribute('href'))"):
        address = urlsplit(href)
        if address.scheme in ("http", "https", "mailto"):  # to be followed by whoever is connected
            continue
        to = here if not address.path else (here.parent / unquote(address.path)).resolve()
        lost = to == here and address.fragment and not page.locator(f"[id='{unquote(address.fragment)}']").count()
        if lost or not to.is_file():
            dead.append(href)
    assert dead == []


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
