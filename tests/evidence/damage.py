"""Ways to damage a text: bytes, tokens, lines, brackets, numbers, names, contracts, pragmas, includes."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.]*|\s+|[-+*/%<>=!&|~]+|.', re.DOTALL)


def _words(text: str) -> list[str]:
    return text.split()


ODD = (
    "\u00a0\u200b\u200d\u202e\u2028\u2029\ufeff\u0301\u00b2\u0663\uff11\u00e9\u212a\u0131\u00df\U0001f600\U0010ffff"
    "\x00\x01\x07\x0b\x0c\x1b\x7f\x85\\'`$@#"
)
HUGE = (
    *_words(
        "99999999999999999999 2147483648 -2147483649 4294967296 9223372036854775808 1e400 1e-400 0x7fffffff 1e99999999"
    ),
    *_words("0.1e-99999999f 08 1__0 1.2.3 0b1 1u 1ull 1.0L 0 -1 1/0 0x 1e .5 5. 1f"),
    "1" + "0" * 400,
)
WORDS = (
    *_words("void int float double bool const for if else return thread magic desync __shared__ __global__ __device__"),
    *_words("__syncthreads(); blocksync(); kernel_launch kernel_kill(); __requires __ensures __reads __writes __GHOST"),
    *_words(
        "__pure(); __admitted(); __AXIOM __DEF __ASSERT _Res forall fun Sum MALLOC1 free __treg_malloc0 DMINDEX1 exact_div"
    ),
    *_words(
        "min sizeof n i while break continue goto struct float4 true in .. -> ~> ~~> ? :: ++ -- << >>= && /* */ //"
    ),
    *_words('" { } ( ) [ ] ; ,'),
    "#define N 4\n",
)
PRAGMAS = (
    *(
        "#pragma",
        "#pragma omp",
        "#pragma omp parallel for",
        "#pragma omp parallel for schedule(static, -1)",
        "#pragma omp simd",
    ),
    *("#pragma unroll", "#pragma unroll 0", "#pragma unroll 99999999999", "#pragma unroll -1", "#pragma unroll x"),
    *("#pragma omp parallel for num_threads(0)", "#pragma omp parallel for schedule(dynamic", "#pragma omp critical"),
    *("#pragma once", "#pragma optigpu", "#define", "#define x", "#define n n", "#define i 3", "#define f(x) x"),
    *("#define int float", "#undef n", "#if 1", "#endif", "#error", "#line 3"),
)
INCLUDES = (
    *('#include "x.c"', '#include "copy.c"', '#include "library/reductions.h"', '#include "nothing.h"', '#include ""'),
    *('#include "."', '#include "/"', '#include "/dev/null"', "#include <optigpu.h>", "#include <>", "#include"),
    *('#include "../x.c"', '#include "a\x00b"', '#include "library"', "#include <nothing.h>"),
    '#include "' + "a" * 5000 + '"',
)

Text = Callable[[str, Random], str]
Bytes = Callable[[bytes, Random], bytes]


def bytes_flipped(data: bytes, r: Random) -> bytes:
    out = bytearray(data)
    for _ in range(r.choice([1, 1, 3, 20])):
        if out:
            out[r.randrange(len(out))] ^= 1 << r.randrange(8)
    return bytes(out)


def bytes_inserted(data: bytes, r: Random) -> bytes:
    at = r.randrange(len(data) + 1)
    return data[:at] + r.randbytes(r.choice([1, 1, 4, 100])) + data[at:]


def bytes_deleted(data: bytes, r: Random) -> bytes:
    at = r.randrange(len(data) + 1)
    return data[:at] + data[at + r.choice([1, 1, 2, 10, 100]) :]


def truncated(data: bytes, r: Random) -> bytes:
    return data[: r.randrange(len(data) + 1)]


def nuls(data: bytes, r: Random) -> bytes:
    at = r.randrange(len(data) + 1)
    return data[:at] + b"\x00" * r.choice([1, 1, 1000]) + data[at:]


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def _solid(words: list[str]) -> list[int]:
    return [i for i, w in enumerate(words) if not w.isspace()] or [0]


def token_swapped(text: str, r: Random) -> str:
    words = tokens(text) or [""]
    i, j = r.choice(_solid(words)), r.choice(_solid(words))
    words[i], words[j] = words[j], words[i]
    return "".join(words)


def token_near_swapped(text: str, r: Random) -> str:
    words = tokens(text) or [""]
    solid = _solid(words)
    k = r.randrange(len(solid))
    i, j = solid[k], solid[min(k + r.choice([1, 2]), len(solid) - 1)]
    words[i], words[j] = words[j], words[i]
    return "".join(words)


def token_deleted(text: str, r: Random) -> str:
    words = tokens(text) or [""]
    del words[r.choice(_solid(words))]
    return "".join(words)


def token_doubled(text: str, r: Random) -> str:
    words = tokens(text) or [""]
    i = r.choice(_solid(words))
    return "".join([*words[: i + 1], " ", *words[i:]])


def token_replaced(text: str, r: Random) -> str:
    words = tokens(text) or [""]
    words[r.choice(_solid(words))] = r.choice([*WORDS, words[r.choice(_solid(words))]])
    return "".join(words)


def token_inserted(text: str, r: Random) -> str:
    words = tokens(text) or [""]
    words.insert(r.choice(_solid(words)), f" {r.choice(WORDS)} ")
    return "".join(words)


def lines_deleted(text: str, r: Random) -> str:
    lines = text.split("\n")
    at = r.randrange(len(lines))
    del lines[at : at + r.choice([1, 1, 2, 5])]
    return "\n".join(lines)


def line_doubled(text: str, r: Random) -> str:
    lines = text.split("\n")
    at = r.randrange(len(lines))
    return "\n".join([*lines[: at + 1], *lines[at:]])


def lines_swapped(text: str, r: Random) -> str:
    lines = text.split("\n")
    i, j = r.randrange(len(lines)), r.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def text_doubled(text: str, r: Random) -> str:
    return text + text


def bracket(text: str, r: Random) -> str:
    places = [i for i, ch in enumerate(text) if ch in "()[]{}"]
    if not places or r.random() < 0.3:
        at = r.randrange(len(text) + 1)
        return text[:at] + r.choice("()[]{}") * r.choice([1, 1, 2000]) + text[at:]
    at = r.choice(places)
    return text[:at] + r.choice(["", r.choice("()[]{}"), text[at] * 2]) + text[at + 1 :]


def _one_of(text: str, r: Random, pattern: str, make: Callable[[str], str]) -> str:
    matches = list(re.finditer(pattern, text))
    if not matches:
        return make("") + text
    m = r.choice(matches)
    return text[: m.start()] + make(m.group()) + text[m.end() :]


def number(text: str, r: Random) -> str:
    return _one_of(text, r, r"\b\d[\w.]*", lambda old: r.choice(HUGE))


def number_off(text: str, r: Random) -> str:
    return _one_of(text, r, r"\b\d+\b", lambda old: str(int(old or 0) + r.choice([1, -1, 7, 32, -100])))


def long_name(text: str, r: Random) -> str:
    names = sorted(set(re.findall(r"\b[A-Za-z_]\w*\b", text))) or [""]
    old, new = r.choice(names), r.choice("aZ_") * r.choice([300, 5000, 100_000])
    return re.sub(rf"\b{old}\b", new, text) if r.random() < 0.5 else re.sub(rf"\b{old}\b", new, text, count=1)


NESTS = (
    *(
        ("(", ")"),
        ("-", ""),
        ("!", ""),
        ("- -", ""),
        ("1 + ", ""),
        ("1 ? 1 : ", ""),
        ("f(", ")"),
        ("(1 + ", ")"),
        ("a[", "]"),
    ),
    *(("{", "}"), ("if (1) {", "}"), ("for (int q = 0; q < 1; q++) {", "}"), ("fun x -> ", ""), ("(float)", "")),
    *(("forall x, ", ""), ("[", "]"), ("min(1, ", ")"), ("Sum(x in 0..2, ", ")")),
)


def deep(text: str, r: Random) -> str:
    n = r.choice([50, 190, 260, 3000])
    before, after = r.choice(NESTS)
    pattern = r.choice([r"\b\w+\b", r"\b\d+\b", r"[^;{}\n]+;"])
    return _one_of(text, r, pattern, lambda old: before * n + old + after * n)


def wide(text: str, r: Random) -> str:
    n = r.choice([100, 3000])
    word = r"\b\w+\b"
    pattern, sign = r.choice([(word, " + "), (word, ", "), (r"[^;{}\n]+;", "\n"), (r"\[\w+\]", ""), (word, " && ")])
    return _one_of(text, r, pattern, lambda old: sign.join([old] * n))


def unicode(text: str, r: Random) -> str:
    for _ in range(r.choice([1, 1, 3])):
        at = r.randrange(len(text) + 1)
        text = text[:at] + r.choice(ODD) * r.choice([1, 1, 50]) + text[at + r.choice([0, 1]) :]
    return text


def line_ends(text: str, r: Random) -> str:
    new = r.choice(["\r\n", "\r", "\n\r", "\r\r\n", "\x0c\n", " \\\n", "", " ", "\n" * 50, "\u2028"])
    if r.random() < 0.5:
        return text.replace("\n", new)
    return _one_of(text, r, "\n", lambda old: new)


def tabs(text: str, r: Random) -> str:
    return (
        text.replace("  ", r.choice(["\t", "\t\t", "\t" * 50]))
        if r.random() < 0.5
        else _one_of(text, r, " ", lambda old: "\t\t")
    )


def contract(text: str, r: Random) -> str:
    """Something inside the quotes of a contract."""
    often: list[Text] = [
        token_swapped,
        token_near_swapped,
        token_deleted,
        token_doubled,
        token_replaced,
        token_inserted,
    ]
    inner = r.choice([*often, *often, bracket, number, number_off, number_off, deep, unicode, long_name, wide])
    return _one_of(text, r, r'"[^"\n]*"', lambda old: '"' + inner(old[1:-1], r) + '"')


def pragma(text: str, r: Random) -> str:
    lines = text.split("\n")
    lines.insert(r.randrange(len(lines) + 1), r.choice(PRAGMAS))
    return "\n".join(lines)


def include(text: str, r: Random) -> str:
    lines = text.split("\n")
    lines.insert(r.choice([0, r.randrange(len(lines) + 1)]), r.choice(INCLUDES))
    return "\n".join(lines)


ON_BYTES: tuple[Bytes, ...] = (bytes_flipped, bytes_inserted, bytes_deleted, truncated, nuls)
ON_TEXT: tuple[Text, ...] = (
    *(token_swapped, token_near_swapped, token_deleted, token_doubled, token_replaced, token_inserted, lines_deleted),
    *(
        line_doubled,
        lines_swapped,
        text_doubled,
        bracket,
        number,
        number_off,
        long_name,
        deep,
        wide,
        unicode,
        line_ends,
    ),
    *(tabs, contract, pragma, include),
)


def _on_text(f: Text) -> Bytes:
    return lambda data, r: f(data.decode("utf-8", "surrogateescape"), r).encode("utf-8", "surrogateescape")


DAMAGE: dict[str, Bytes] = {f.__name__: f for f in ON_BYTES} | {f.__name__: _on_text(f) for f in ON_TEXT}


def damaged(data: bytes, names: list[str], r: Random) -> bytes:
    for name in names:
        data = DAMAGE[name](data, r)
    return data
