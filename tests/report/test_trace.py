"""The trace, opened in a browser: what is seen first, clicks, keys, permissions, errors in place, speed."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.report.trace import script_repr_html, trace_html
from optigpu.script.step import Record, Step
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import Diagnostic
from optigpu.syntax.printer import print_program
from optigpu.syntax.source import NOWHERE
from optigpu.transform.registry import TransformSession
from tests.support.browser import Browser, find_browser
from tests.support.records import COPY, large_record, transpose_record

BINARY = find_browser()
ELEMENTS = 5_000  # 100 steps in the list, 100 lines of the script, the lines of one step with their words
in_browser = pytest.mark.skipif(BINARY is None, reason="Chromium is not installed (tools/setup.sh browser installs it)")


@pytest.fixture(scope="module")
def record() -> Record:
    return transpose_record()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert BINARY is not None
    browser = Browser(BINARY, tmp_path_factory.mktemp("profile"))
    browser.size(1440, 900)
    yield browser
    browser.close()


@pytest.fixture
def page(browser: Browser, record: Record, tmp_path: Path) -> Iterator[Browser]:
    yield opened(browser, trace_html(record), tmp_path)
    assert not browser.errors


def opened(browser: Browser, text: str, folder: Path) -> Browser:
    file = folder / "trace.html"
    file.write_text(text, encoding="utf-8")
    browser.open(file)
    browser.value("localStorage.clear()")
    browser.open(file)
    return browser


def code_line(text: str, side: int = 1) -> str:
    """A selector for the line of code that contains a text."""
    return f'code[data-side="{side}"][data-line="{text}"]'


def line_with(b: Browser, text: str, side: int = 1) -> str:
    find = (
        f"[...document.querySelectorAll('#code code[data-side=\"{side}\"]')].find(e => e.innerText.includes({text!r}))"
    )
    return code_line(str(b.value(f"{find}?.dataset.line")), side)


# Without a browser


def test_the_page_needs_nothing_else(record: Record) -> None:
    text = trace_html(record)
    assert not re.search(r"https?://|\bsrc=|<link|@import|url\(", text)
    assert "{{" not in text
    assert len(text) < 200_000


def test_texts_cannot_break_out_of_the_page(record: Record) -> None:
    evil = "</script><script>alert(1)</script><!--"
    step = replace(record.steps[0], title=evil, source=evil)
    text = trace_html(Record(evil, evil, (step,)))
    assert text.count("</script>") == 2 and "<!--" not in text and "<title>&lt;/script&gt;" in text


def test_a_notebook_shows_the_same_in_a_frame(record: Record) -> None:
    frame = script_repr_html(record)
    inside = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*" title="transpose"></iframe>', frame)
    assert inside is not None and html.unescape(inside.group(1)) == trace_html(record)


def test_a_script_with_a_phase_and_a_rejected_step() -> None:
    text = """float total(int n, float a[n]) {
  __requires("A: int -> float, n % 4 == 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
"""
    s = TransformSession(parse_text(text, "total.c"), verifier=Verifier(Settings(points=True)))
    with s.phase("tiles"):
        s.loop.tile("i", 4, outer="bi", tail="divides")
    with pytest.raises(StepError) as rejected:
        s.loop.parallel("bi")
    assert s.record.steps[-1] is rejected.value.step
    data = data_of(trace_html(s.record))
    assert [x["n"] for x in data["steps"]] == [0, 1, 2, 3]
    assert [x["phase"] for x in data["steps"]] == [[], ["tiles"], ["tiles"], []]
    assert [x.get("closes", False) for x in data["steps"]] == [False, False, True, False]
    assert [x["word"] for x in data["steps"]] == ["VERIFIED", "", "VERIFIED", "UNPROVED"]
    assert (data["verdict"], data["failed"]) == ("UNPROVED", 3)
    error = data["steps"][3]["error"]
    assert error["code"] == "OG324"
    for view, line in enumerate(error["lines"]):
        texts, points = data["programs"][data["steps"][3]["after"]][view]
        assert re.search(r"for \(int bi|s \+= a|omp parallel for", data["texts"][texts[line]])
        assert points[line] >= 0 or "s +=" in data["texts"][texts[line]]


def test_a_broken_promise_of_a_read_back_program_is_shown_at_its_clause() -> None:
    """Rejected steps are explained in the printed text, whose places are not those of the original."""
    before = parse_text(COPY, "copy.c")
    after = parse_text(COPY.replace("= a[i]", "= a[i] + 1"), "copy.c")
    read_back = parse_text(print_program(after), "copy.c after step 1")
    result = Verifier(Settings()).verify(read_back)
    problem = result.functions[0].problem
    first = Step(0, "copy.c", "", 0, "", (), before, before, None, 0.0)
    step = Step(1, "wrong()", "", 0, "", (), before, after, result, 0.0, problem)
    data = data_of(trace_html(Record("copy", "", (first, step))))
    programs = data["programs"][data["steps"][1]["after"]]
    error_lines = [data["texts"][programs[v][0][n]] for v, n in enumerate(data["steps"][1]["error"]["lines"])]
    assert "void copy" in error_lines[0] and "__writes" in error_lines[1] and "__writes" in error_lines[2]


def data_of(page: str) -> dict[str, Any]:
    script_tag = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert script_tag is not None
    return dict(json.loads(script_tag.group(1)))


# In a browser


@in_browser
def test_the_rejected_step_is_seen_first_with_its_error_in_place(page: Browser) -> None:
    assert page.text("#verdict .word") == "REFUTED"
    assert "at step 6" in page.text("#verdict") and "5 steps" in page.text("#verdict")
    assert "safe on machine integers" in page.text("#verdict")
    assert page.text(".step.on .num") == "6" and page.visible(".step.on.bad")
    assert "tile[y][x + 1]" in page.text("code.wrong")
    assert page.value("document.querySelector('code.wrong').parentElement.nextElementSibling.className") == "error"
    card = page.text(".error")
    for part in ("REFUTED", "OG302", "tile[0][32] is outside `tile`", "need", "tile[y][x + 1]", "witness", "help"):
        assert part in card
    assert page.texts("code.add mark") == [" + 1"]


@in_browser
def test_steps_stand_in_their_phases_with_the_lines_of_the_script(page: Browser) -> None:
    assert page.visible(".step") == 7
    assert page.text('.step[data-k="3"] .what') == 's.loop.reorder("by", "bx", "x", "y")'
    assert [t.split("\n")[0] for t in page.texts(".phase > .name")] == ["fast memory", "threads"]
    assert page.value(
        "document.querySelector('.step[data-k=\"5\"]').closest('.phase').parentElement.closest('.phase') !== null"
    )
    more = page.text('.step[data-k="1"] .more')
    assert re.search(r"line 4\s+\+4 −2\s+\d+ obligations\s+[\d.]+ m?s", more)
    page.click(".phase > .name")
    assert page.visible(".step") == 5
    page.click(".phase > .name")
    assert page.visible(".step") == 7


@in_browser
def test_clicking_a_step_shows_what_it_changed(page: Browser) -> None:
    page.click('.step[data-k="3"]')
    assert page.text("#head .title") == 'loop.reorder("by", "bx", "x", "y")'
    assert page.text("#head .word") == "VERIFIED"
    assert re.search(r"transpose.py:6\s+\+1 −1\s+\d+ obligations: \d+ normaliser, \d+ solver", page.text("#head"))
    assert [t.strip() for t in page.texts("code.add")] == ["for (int by = 0; by < exact_div(H, 32); by++) {"]
    assert [t.strip() for t in page.texts("code.del")] == ["for (int by = 0; by < exact_div(H, 32); by++) {"]
    page.click('.step[data-k="4"]')
    assert page.text("#head .word") == "in a phase"
    page.click('#times i[data-k="1"]')
    assert page.text(".step.on .num") == "1"
    assert page.visible(".k") and page.visible(".t") and page.visible(".u")


@in_browser
def test_views_and_comparisons(page: Browser) -> None:
    page.click('.step[data-k="5"]')
    page.click('[data-view="plain"]')
    assert "__" not in page.text("#code")
    page.click('[data-view="annotated"]')
    assert "__reads" in page.text("#code") and "__xproduces" not in page.text("#code")
    page.click('[data-view="inferred"]')
    assert "__xproduces" in page.text("#code")
    page.click('[data-view="annotated"]')
    page.click('[data-against="all"]')
    assert "for (int x = 0; x < W; x++) {" in page.text("#code") and "float tile" in page.text("#code")
    page.click('[data-against="none"]')
    assert not page.visible("code.add") and not page.visible('code[data-side="0"]')
    assert page.value("document.querySelector('[data-against=\"none\"]').getAttribute('aria-pressed')") == "true"


@in_browser
def test_a_click_on_a_line_shows_what_is_held_there(page: Browser) -> None:
    page.click('.step[data-k="5"]')
    page.click(line_with(page, "b[32 * bx + x]"))
    point_text = page.text("#point")
    assert "Held before this line" in point_text
    assert re.search(r"read and write\s+b\[.*\]\[.*\] uninitialised", point_text)
    assert re.search(r"tile\[i\]\[j\] for i in 0..32, j in 0..32 = A\(.*32 \* by.*32 \* bx.*\)", point_text)
    assert "bx >= 0" in page.texts("#point .facts code")
    page.click('[data-view="plain"]')
    assert not page.visible("#point")
    page.click(line_with(page, "tile[y][x] = a"))
    assert "tile[y][x] uninitialised" in page.text("#point")
    page.click(line_with(page, "tile[y][x] = a", side=0))
    assert "Nothing was recorded here" in page.text("#point")
    page.key("Escape")
    assert not page.visible("#point")


@in_browser
def test_permissions_of_a_rejected_step_up_to_the_error(page: Browser) -> None:
    page.click(line_with(page, "tile[y][x + 1]"))
    assert "tile[i][j] for i in 0..32, j in 0..32 = A(" in page.text("#point")


@in_browser
def test_keys_and_the_filter(page: Browser) -> None:
    page.key("ArrowUp")
    assert page.text(".step.on .num") == "5"
    page.key("ArrowDown")
    page.key("ArrowDown")
    assert page.text(".step.on .num") == "6"
    page.key("/")
    page.type("tile(")
    assert page.texts(".step:not([hidden]) .num") == ["1", "2"]
    page.key("Enter")
    page.key("ArrowUp")
    assert page.text(".step.on .num") in ("1", "2")
    page.key("/")
    page.type("nothing like it")
    assert page.visible(".step") == 0 and page.visible("#tree .none")
    page.key("Escape")
    assert page.visible(".step") == 7
    page.key("a")
    assert page.value("document.querySelector('[data-view=\"inferred\"]').getAttribute('aria-pressed')") == "true"


@in_browser
def test_the_script_beside_its_steps(page: Browser) -> None:
    page.click('[data-list="script"]')
    assert page.visible("#script div") == 12 and not page.visible(".step")
    page.click("#script div:nth-child(5)")
    assert page.text("#head .title").startswith('loop.tile("y"')
    assert page.text("#script .on .n") == "5" and page.visible("#script .bad") == 1


@in_browser
def test_light_and_dark(browser: Browser, record: Record, tmp_path: Path) -> None:
    browser.size(1440, 900, dark=True)
    page = opened(browser, trace_html(record), tmp_path)
    assert page.value("document.documentElement.dataset.theme") == "dark"
    page.click("#theme")
    assert page.value("document.documentElement.dataset.theme") == "light"
    browser.size(1440, 900)


@in_browser
def test_a_step_that_could_not_be_done(browser: Browser, record: Record, tmp_path: Path) -> None:
    """A bad target has no place in the program: its error stands above it."""
    last = record.steps[-2]
    error = Diagnostic("OG401", "no loop is called `z`", NOWHERE, (), (("there are", "by, bx, x, y"),), None)
    bad = replace(last, number=6, title='loop.tile("z", 4)', before=last.after, result=None, error=error)
    page = opened(browser, trace_html(replace(record, steps=(*record.steps[:-1], bad))), tmp_path)
    assert page.text("#verdict .word") == "REJECTED"
    assert page.value("document.querySelector('#code').firstElementChild.className") == "error"
    assert "by, bx, x, y" in page.text(".error")


@in_browser
def test_inside_a_notebook(browser: Browser, record: Record, tmp_path: Path) -> None:
    page = opened(browser, f"<!doctype html><body>{script_repr_html(record)}</body>", tmp_path)
    assert page.value("frames[0].document.querySelectorAll('.step').length") == 7
    assert page.value("frames[0].document.querySelector('.error h3 code').innerText") == "OG302"


@in_browser
def test_a_hundred_steps_are_a_small_page(browser: Browser, tmp_path: Path) -> None:
    """What makes a page quick, without a clock: a short text, and at any time only the elements of one step."""
    record = large_record()
    text = trace_html(record)
    assert len(text) < 3_000_000
    page = opened(browser, text, tmp_path)
    assert page.visible(".step") == 100
    count = "document.querySelectorAll('*').length"
    assert page.value(count) < ELEMENTS
    most = page.value(
        f"Math.max(...[...document.querySelectorAll('.step')].map(e => {{ e.click(); return {count}; }}))"
    )
    assert most < ELEMENTS
    page.click('.step[data-k="60"]')
    assert page.visible(".fold") >= 1 and page.visible(".row") < 120
    before = page.visible(".row")
    page.click(".fold")
    assert page.visible(".row") > before
