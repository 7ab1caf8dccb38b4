"""Line diffs of programs. Indentation is ignored: a loop put around code does not change the code."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from optigpu.light_dataclass import dataclass
from optigpu.report.diagnostics import PLAIN, Style
from optigpu.report.listing import ANNOTATED_VIEW, listing
from optigpu.script.step import Step
from optigpu.syntax.program import Program

SAME, INDENTED, CHANGED, ADDED, REMOVED = "same", "indented", "changed", "added", "removed"
ALIKE = 0.55  # lines at least this similar count as one changed line
TOGETHER = 0.05
MAX_DIFF_CELLS = 20_000  # of an alignment table; longer texts are divided first
TextSpan = tuple[int, int]
LinePair = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Row:
    """A line before and a line after (numbered from 0); for a changed line also the columns that changed."""

    kind: str
    left: int | None
    right: int | None
    left_spans: tuple[TextSpan, ...] = ()
    right_spans: tuple[TextSpan, ...] = ()


def rows(before: Sequence[str], after: Sequence[str], fixed: Sequence[tuple[int, int]] = ()) -> list[Row]:
    """The rows of a side-by-side diff. `fixed`: pairs of lines that are known to match."""
    a, b = [x.strip() for x in before], [x.strip() for x in after]
    return [_row(before, after, a, b, i, j) for i, j in _aligned(a, b, fixed)]


def _row(before: Sequence[str], after: Sequence[str], a: list[str], b: list[str], i: int | None, j: int | None) -> Row:
    if i is None or j is None:
        return Row(ADDED if i is None else REMOVED, i, j)
    if a[i] == b[j]:
        return Row(SAME if before[i] == after[j] else INDENTED, i, j)
    left, right = _spans(a[i], b[j])
    x, y = len(before[i]) - len(before[i].lstrip()), len(after[j]) - len(after[j].lstrip())
    return Row(CHANGED, i, j, tuple((p + x, q + x) for p, q in left), tuple((p + y, q + y) for p, q in right))


def _aligned(a: list[str], b: list[str], fixed: Sequence[tuple[int, int]]) -> list[LinePair]:
    """All lines of both sides in order, matching ones as pairs."""
    pairs: list[tuple[int, int]] = []
    i = j = 0
    for x, y in [*fixed, (len(a), len(b))]:
        pairs += [(i + p, j + q) for p, q in _matches(a[i:x], b[j:y])]
        pairs.append((x, y))
        i, j = x + 1, y + 1
    out: list[LinePair] = []
    i = j = 0
    for x, y in pairs:
        out += [(n, None) for n in range(i, x)]
        out += [(None, n) for n in range(j, y)]
        if x < len(a):
            out.append((x, y))
        i, j = x + 1, y + 1
    return out


def _matches(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Pairs of equal or similar lines, in order."""
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    inner = _inner_matches(a, b, (start, len(a) - end), (start, len(b) - end))
    head = [(n, n) for n in range(start)]
    tail = [(len(a) - n, len(b) - n) for n in range(end, 0, -1)]
    return head + inner + tail


def _inner_matches(a: list[str], b: list[str], left: TextSpan, right: TextSpan) -> list[tuple[int, int]]:
    """Match lines that occur once on each side (as in patience diff), and align the lines between them."""
    left_counts, right_counts = Counter(a[slice(*left)]), Counter(b[slice(*right)])
    where = {b[j]: j for j in range(*right) if right_counts[b[j]] == 1 and left_counts[b[j]] == 1}
    unique = [(i, where[a[i]]) for i in range(*left) if a[i] in where]
    out: list[tuple[int, int]] = []
    i, j = left[0], right[0]
    for x, y in [*_increasing(unique), (left[1], right[1])]:
        out += _best(a, b, range(i, x), range(j, y))
        if x < left[1]:
            out.append((x, y))
        i, j = x + 1, y + 1
    return out


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest subsequence that is increasing on both sides."""
    tops: list[int] = []  # the smallest last element of an increasing subsequence, by length
    at: list[int] = []
    before: list[int | None] = []
    for n, (_, y) in enumerate(pairs):
        k = bisect_left(tops, y)
        before.append(at[k - 1] if k else None)
        tops[k:] = [y, *tops[k + 1 :]]
        at[k:] = [n, *at[k + 1 :]]
    out: list[tuple[int, int]] = []
    n_: int | None = at[-1] if at else None
    while n_ is not None:
        out.append(pairs[n_])
        n_ = before[n_]
    return out[::-1]


def _best(a: list[str], b: list[str], left: range, right: range) -> list[tuple[int, int]]:
    """The alignment of maximal weight. A long section is first divided at equal lines that are not trivial."""
    if not left or not right:
        return []
    if len(left) * len(right) <= MAX_DIFF_CELLS:
        return _heaviest([[_worth(a[i], b[j]) for j in right] for i in left], left, right)
    p = [a[i] if _weight(a[i]) == 1 else f"\n{i}" for i in left]
    q = [b[j] if _weight(b[j]) == 1 else f"\r{j}" for j in right]
    blocks = SequenceMatcher(None, p, q, autojunk=False).get_matching_blocks()
    out: list[tuple[int, int]] = []
    i = j = 0
    for x, y, size in blocks:
        between = left[i:x], right[j:y]
        if len(between[0]) * len(between[1]) <= MAX_DIFF_CELLS:
            out += _best(a, b, *between)
        out += [(left[x + n], right[y + n]) for n in range(size)]
        i, j = x + size, y + size
    return out


def _heaviest(weights: list[list[float]], left: range, right: range) -> list[tuple[int, int]]:
    n, m = len(left), len(right)
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        row, below, own = best[i], best[i + 1], weights[i]
        for j in range(m - 1, -1, -1):
            value = max(below[j], row[j + 1])
            if own[j] and _taken(weights, best, i, j) > value:
                value = _taken(weights, best, i, j)
            row[j] = value
    out: list[tuple[int, int]] = []
    i = j = 0
    while i < n and j < m:
        if weights[i][j] and best[i][j] == _taken(weights, best, i, j):
            out.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return out


def _taken(weights: list[list[float]], best: list[list[float]], i: int, j: int) -> float:
    """The weight of a pair and its successors. Adjacent lines that stay adjacent weigh a little more."""
    follows = i + 1 < len(weights) and j + 1 < len(weights[0]) and weights[i + 1][j + 1] > 0
    return weights[i][j] + best[i + 1][j + 1] + (TOGETHER if follows else 0.0)


def _weight(line: str) -> float:
    return 1.0 if any(c.isalnum() for c in line) else 0.1


def _worth(x: str, y: str) -> float:
    """The weight of a pair: highest for equal lines, otherwise their similarity."""
    return _weight(x) if x == y else 0.6 * _alike(x, y)


@lru_cache(maxsize=200_000)  # steps of a script compare the same lines many times
def _alike(x: str, y: str) -> float:
    a, b = _words(x), _words(y)
    n = a.total() + b.total()
    share = 2 * (a & b).total() / n if n else 0.0
    return share if share >= ALIKE else 0.0


@lru_cache(maxsize=10_000)
def _words(line: str) -> Counter[str]:
    return Counter(re.findall(r"\w+|[^\w\s]", line))


@lru_cache(maxsize=10_000)
def _spans(x: str, y: str) -> tuple[list[TextSpan], list[TextSpan]]:
    """The columns in which two lines differ, by whole words."""
    p, q = (re.findall(r"\w+|\s+|[^\w\s]", t) for t in (x, y))
    left: list[TextSpan] = []
    right: list[TextSpan] = []
    for tag, i, j, k, n in SequenceMatcher(None, p, q, autojunk=False).get_opcodes():
        if tag != "equal":
            _extend(left, x, len("".join(p[:i])), len("".join(p[:j])))
            _extend(right, y, len("".join(q[:k])), len("".join(q[:n])))
    return left, right


def _extend(spans: list[TextSpan], text: str, start: int, end: int) -> None:
    """Add a span; spans separated only by blanks are merged."""
    if start == end:
        return
    if spans and not text[spans[-1][1] : start].strip():
        spans[-1] = (spans[-1][0], end)
    else:
        spans.append((start, end))


def changed(before: Program, after: Program, view: str = ANNOTATED_VIEW) -> tuple[int, int]:
    """Numbers of lines (added, removed); a changed line counts as both."""
    a, b = ([line.text for line in listing(p, view)] for p in (before, after))
    return counts(rows(a, b))


def counts(diff_rows: Sequence[Row]) -> tuple[int, int]:
    kinds = Counter(r.kind for r in diff_rows)
    return kinds[ADDED] + kinds[CHANGED], kinds[REMOVED] + kinds[CHANGED]


# In the terminal


def render_diff(step: Step, style: Style = PLAIN, view: str = ANNOTATED_VIEW, context: int = 3) -> str:
    """One step as a unified diff, changed words emphasised."""
    before, after = ([line.text for line in listing(p, view)] for p in (step.before, step.after))
    diff_rows = rows(before, after)
    added, removed = counts(diff_rows)
    place = f"{step.file}:{step.line}" if step.file and step.line else ""
    size = f"{style.green(f'+{added}')} {style.red(f'-{removed}')}" if added or removed else "no change"
    head = "  ".join(x for x in (style.bold(f"step {step.number}"), style.bold(step.title), place, size) if x)
    lines = [head]
    for hunk in _hunks(diff_rows, context):
        first = next((r.right if r.right is not None else r.left for r in hunk), 0) or 0
        lines.append(style.blue(f"  @@ line {first + 1} @@"))
        lines += _unified(hunk, before, after, style)
    return "\n".join(lines)


def _hunks(diff_rows: list[Row], context: int) -> Iterator[list[Row]]:
    """Ranges of changed rows with some context."""
    marked = [n for n, r in enumerate(diff_rows) if r.kind in (CHANGED, ADDED, REMOVED)]
    start = end = -1
    for n in marked:
        if start >= 0 and n - end > 2 * context:
            yield diff_rows[max(0, start - context) : end + 1 + context]
            start = n
        start = n if start < 0 else start
        end = n
    if start >= 0:
        yield diff_rows[max(0, start - context) : end + 1 + context]


def _unified(hunk: list[Row], before: list[str], after: list[str], style: Style) -> Iterator[str]:
    """The rows in unified order: removed lines before added ones."""
    added: list[str] = []
    for r in hunk:
        if r.kind in (SAME, INDENTED):
            yield from added
            added = []
            yield f"   {after[r.right or 0]}"
            continue
        if r.left is not None:
            yield "  " + _painted("-", before[r.left], r.left_spans, style, "31", "1;31")
        if r.right is not None:
            added.append("  " + _painted("+", after[r.right], r.right_spans, style, "32", "1;32"))
    yield from added


def _painted(sign: str, text: str, spans: tuple[TextSpan, ...], style: Style, colour: str, strong: str) -> str:
    out, at = style.paint(sign, colour), 0
    for p, q in spans:
        out += (style.paint(text[at:p], colour) if text[at:p] else "") + style.paint(text[p:q], strong)
        at = q
    return out + (style.paint(text[at:], colour) if text[at:] else "")
