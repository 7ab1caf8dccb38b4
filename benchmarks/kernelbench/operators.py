"""The hundred operators of KernelBench level 1: their inputs, the sizes of the benchmark, what they mean in NumPy and in PyTorch.

The programs are `examples/kernelbench/NAME.c`, their schedules `NAME.py`. PyTorch is not imported here: its functions are called on
tensors by the runner that has it. The NumPy references compute in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Sizes = dict[str, int]
Array = Any  # of NumPy, or a tensor of PyTorch
OUTPUT = "output"


@dataclass(frozen=True)
class Argument:
    """An array of a program. `shape`: names of sizes, or numbers. `data`: what an input holds, or "output"."""

    shape: str
    data: str = "normal"

    def dims(self, sizes: Sizes) -> tuple[int, ...]:
        return tuple(sizes[d] if d in sizes else int(d) for d in self.shape.split())


@dataclass(frozen=True)
class Operator:
    """`large`: the sizes of the benchmark; `small`: sizes that no tile divides. `torch` gets the module and the inputs
    as the program has them, and calls what the benchmark calls. `wrong` is a text of the program and what a wrong twin
    has in its place."""

    name: str
    arrays: dict[str, Argument]
    large: Sizes
    small: tuple[Sizes, ...]
    numpy: Callable[..., Array]
    torch: Callable[..., Array]
    wrong: tuple[str, str]
    scalars: dict[str, float] = field(default_factory=dict)
    tolerance: float = 2e-5

    @property
    def number(self) -> int:
        return int(self.name[:3])

    def allowed_error(self, source: str) -> float:
        """Relative to the largest number. TF32 has 10 bits of mantissa, which is what PyTorch's convolutions use by default."""
        return max(self.tolerance, 2e-3) if "mma_tf32(" in source else self.tolerance

    def inputs(self, sizes: Sizes, seed: int = 0) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        named = self.arrays.items()
        return {k: made(a.data, a.dims(sizes), sizes, rng) for k, a in named if not a.data.startswith(OUTPUT)}

    def outputs(self, sizes: Sizes) -> dict[str, tuple[int, ...]]:
        return {k: a.dims(sizes) for k, a in self.arrays.items() if a.data.startswith(OUTPUT)}


def made(data: str, shape: tuple[int, ...], sizes: Sizes, rng: np.random.Generator) -> np.ndarray:
    """Random contents of an input."""
    kind, _, bound = data.partition(" ")
    if kind == "index":
        return rng.integers(0, sizes[bound], shape, dtype=np.int64)
    if kind == "mask":
        return rng.random(shape) < 0.5
    if kind == "positive":
        return (rng.random(shape, dtype=np.float32) + np.float32(0.1)).astype(np.float32)
    a = rng.standard_normal(shape, dtype=np.float32)
    match kind:
        case "sign":
            return np.where(a < 0, np.float32(-1), np.float32(1))
        case "symmetric":
            return ((a + a.T) / 2).astype(np.float32)
        case "upper":
            return np.triu(a)
        case "lower":
            return np.tril(a)
        case "near one":
            return (1 + a / 8).astype(np.float32)
    return a


# Matrix products --------------------------------------------------------------------------------------------------------------


def product(
    name: str, einsum: str, a: str, b: str, c: str, torch: Callable[..., Array], large: Sizes, *,
    wrong: tuple[str, str] = ("sum = 0.0f", "sum = 1.0f"), data: str = "normal", small: tuple[Sizes, ...] = (),
    names: str = "a b c",
) -> Operator:  # fmt: skip
    x, y, z = names.split()
    sizes = small or tuple({k: v for k, v in s.items() if k in large} for s in SMALL_MATRICES)
    return Operator(
        name,
        {x: Argument(a, data), y: Argument(b, data), z: Argument(c, OUTPUT)},
        large,
        sizes,
        lambda p, q: np.einsum(einsum, p, q),
        torch,
        wrong,
        tolerance=1e-4,
    )


SMALL_MATRICES: tuple[Sizes, ...] = (
    {"m": 70, "n": 133, "p": 37, "batch": 2, "h": 2, "w": 3},
    {"m": 1, "n": 5, "p": 1, "batch": 1, "h": 1, "w": 1},
)
SQUARE: tuple[Sizes, ...] = ({"n": 67}, {"n": 1})


def matmul(name: str, m: int, p: int, n: int, *, ta: bool = False, tb: bool = False) -> Operator:
    a, b = ("p m", "n p")

    def torch(t: Any, x: Array, y: Array) -> Array:
        return t.matmul(x.T if ta else x, y.T if tb else y)

    spec = f"{'ki' if ta else 'ik'},{'jk' if tb else 'kj'}->ij"
    return product(name, spec, a if ta else "m p", b if tb else "p n", "m n", torch, {"m": m, "p": p, "n": n})


def by_matmul(t: Any, x: Array, y: Array) -> Array:
    return t.matmul(x, y)


MATMULS = [
    product("001_square_matmul", "ik,kj->ij", "n n", "n n", "n n", by_matmul, {"n": 4096}, small=SQUARE),
    matmul("002_matmul", 2048, 8192, 4096),
    product("003_batched_matmul", "tik,tkj->tij", "batch m p", "batch p n", "batch m n", lambda t, a, b: t.bmm(a, b),
            {"batch": 128, "m": 512, "p": 1024, "n": 2048}),
    product("004_matrix_vector", "ik,k->i", "m p", "p", "m", by_matmul, {"m": 2048, "p": 1048576}, names="a x y"),
    Operator("005_matrix_scalar", {"a": Argument("n"), "c": Argument("n", OUTPUT)}, {"n": 65536 * 16384}, ({"n": 1029}, {"n": 3}),
             lambda a, s: s * a, lambda t, a, s: a * s, ("s * a[i]", "s + a[i]"), {"s": 3.140000104904175}),
    matmul("006_matmul_large_k", 256, 524288, 256),
    matmul("007_matmul_small_k", 32768, 64, 32768),
    matmul("008_matmul_irregular", 8205, 2949, 5921),
    matmul("009_matmul_tall_skinny", 32768, 32, 32768),
    product("010_tensor3_matmul", "tik,kj->tij", "batch m p", "p n", "batch m n", by_matmul,
            {"batch": 16, "m": 1024, "p": 2048, "n": 768}),
    product("011_tensor4_matmul", "tilk,kj->tilj", "batch h w p", "p n", "batch h w n",
            lambda t, a, b: t.einsum("bijl,lk->bijk", a, b), {"batch": 8, "h": 256, "w": 512, "p": 256, "n": 768}),
    Operator("012_diagonal_matmul", {"d": Argument("n"), "b": Argument("n m"), "c": Argument("n m", OUTPUT)},
             {"n": 4096, "m": 4096}, ({"n": 35, "m": 133}, {"n": 1, "m": 1}),
             lambda d, b: np.diag(d) @ b, lambda t, d, b: t.diag(d) @ b, ("d[i] * b[i][j]", "d[i] + b[i][j]")),
    product("013_symmetric_matmul", "ik,kj->ij", "n n", "n n", "n n", by_matmul, {"n": 4096}, data="symmetric", small=SQUARE),
    product("014_upper_triangular_matmul", "ik,kj->ij", "n n", "n n", "n n", lambda t, a, b: t.triu(t.matmul(a, b)), {"n": 4096},
            data="upper", small=SQUARE, wrong=("k = i;", "k = i + 1;")),
    product("015_lower_triangular_matmul", "ik,kj->ij", "n n", "n n", "n n", lambda t, a, b: t.tril(t.matmul(a, b)), {"n": 4096},
            data="lower", small=SQUARE, wrong=("k = j;", "k = j + 1;")),
    matmul("016_matmul_transposed_a", 2048, 8192, 4096, ta=True),
    matmul("017_matmul_transposed_b", 2048, 8192, 4096, tb=True),
    matmul("018_matmul_transposed_both", 2048, 8192, 4096, ta=True, tb=True),
]  # fmt: skip

# Functions of each element ----------------------------------------------------------------------------------------------------


def activation(
    name: str,
    numpy: Callable[..., Array],
    torch: Callable[..., Array],
    wrong: tuple[str, str],
    n: int = 4096 * 393216,
    **scalars: float,
) -> Operator:
    arrays = {"x": Argument("n"), "y": Argument("n", OUTPUT)}
    return Operator(name, arrays, {"n": n}, ({"n": 1029}, {"n": 3}), numpy, torch, wrong, scalars)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


erf = np.vectorize(math.erf)
SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772
ACTIVATIONS = [
    activation("019_relu", lambda x: np.maximum(x, 0), lambda t, x: t.relu(x), ("0.0f);\n  }", "1.0f);\n  }")),
    activation("020_leaky_relu", lambda x, slope: np.where(x >= 0, x, slope * x),
               lambda t, x, slope: t.nn.functional.leaky_relu(x, slope), ("? x[i] : slope", "? slope : x[i]"),
               slope=0.009999999776482582),
    activation("021_sigmoid", sigmoid, lambda t, x: t.sigmoid(x), ("1.0f + expf(-x[i])", "2.0f + expf(-x[i])")),
    activation("022_tanh_activation", np.tanh, lambda t, x: t.tanh(x), ("tanhf(x[i])", "tanhf(-x[i])")),
    activation("025_swish", lambda x: x * sigmoid(x), lambda t, x: x * t.sigmoid(x), ("= x[i] *", "= x[i] +")),
    activation("026_gelu", lambda x: x * 0.5 * (1 + erf(x * math.sqrt(0.5))), lambda t, x: t.nn.functional.gelu(x),
               ("= 0.5f * x[i]", "= 0.25f * x[i]")),
    activation("027_selu", lambda x: SCALE * np.where(x > 0, x, ALPHA * np.expm1(x)), lambda t, x: t.nn.functional.selu(x),
               ("ALPHA * (expf(x[i]) - 1.0f));\n  }", "ALPHA * (expf(x[i]) + 1.0f));\n  }")),
    activation("028_hard_sigmoid", lambda x: np.clip(x / 6 + 0.5, 0, 1), lambda t, x: t.nn.functional.hardsigmoid(x),
               ("x[i] / 6.0f", "x[i] / 5.0f")),
    activation("029_softplus", lambda x: np.log1p(np.exp(x)), lambda t, x: t.nn.functional.softplus(x),
               ("? x[i] :", "? x[i] + 1.0f :")),
    activation("030_softsign", lambda x: x / (1 + abs(x)), lambda t, x: t.nn.functional.softsign(x),
               ("= x[i] / (1.0f + ", "= x[i] / (2.0f + ")),
    activation("031_elu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)),
               lambda t, x, alpha: t.nn.functional.elu(x, alpha), ("? x[i] : alpha", "? alpha : alpha"), alpha=1.0),
    activation("032_hard_tanh", lambda x: np.clip(x, -1, 1), lambda t, x: t.nn.functional.hardtanh(x),
               ("= fmaxf(-1.0f", "= fmaxf(-2.0f")),
    activation("088_new_gelu", lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
               lambda t, x: 0.5 * x * (1.0 + t.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * t.pow(x, 3.0)))),
               ("* x[i] * x[i] * x[i])", "* x[i] * x[i])"), n=8192 * 8192),
]  # fmt: skip

# Rows, norms, reductions, scans, losses -----------------------------------------------------------------------------------------

ROWS: tuple[Sizes, ...] = ({"h": 3, "w": 1283}, {"h": 2, "w": 1}, {"h": 5, "w": 64})


def rows(
    name: str, numpy: Callable[..., Array], torch: Callable[..., Array], wrong: tuple[str, str], h: int, w: int,
    extra: dict[str, Argument] | None = None, **scalars: float,
) -> Operator:  # fmt: skip
    arrays = {"x": Argument("h w"), **(extra or {}), "y": Argument("h w", OUTPUT)}
    return Operator(name, arrays, {"h": h, "w": w}, ROWS, numpy, torch, wrong, scalars)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def normalised(x: Array, axes: tuple[int, ...], eps: float) -> Array:
    mean, var = x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(var + eps)


EPS = {"eps": 9.999999747378752e-06}
PIXELS: tuple[Sizes, ...] = ({"batch": 2, "channels": 3, "hw": 1283}, {"batch": 1, "channels": 1, "hw": 2})
IMAGE = Argument("batch channels hw")
IMAGE_OUT = Argument("batch channels hw", OUTPUT)
NORMS = [
    rows("023_softmax", softmax, lambda t, x: t.softmax(x, dim=1), ("- best) / total", "- best)"), 4096, 393216),
    rows("024_log_softmax", lambda x: np.log(softmax(x)), lambda t, x: t.log_softmax(x, dim=1), ("- best - logf", "+ best - logf"),
         4096, 393216),
    Operator("033_batch_norm",
             {"x": IMAGE, "gamma": Argument("channels", "near one"), "beta": Argument("channels"), "y": IMAGE_OUT},
             {"batch": 64, "channels": 64, "hw": 512 * 512}, PIXELS,
             lambda x, gamma, beta, eps: normalised(x, (0, 2), eps) * gamma[:, None] + beta[:, None],
             lambda t, x, gamma, beta, eps: t.nn.functional.batch_norm(x, None, None, gamma, beta, training=True, eps=eps),
             ("sum / (batch * hw)", "sum / hw"), EPS, 1e-4),
    Operator("034_instance_norm", {"x": IMAGE, "y": IMAGE_OUT}, {"batch": 112, "channels": 64, "hw": 512 * 512}, PIXELS,
             lambda x, eps: normalised(x, (2,), eps), lambda t, x, eps: t.nn.functional.instance_norm(x, eps=eps),
             ("squares / hw + eps", "squares / hw - eps"), EPS, 1e-4),
    Operator("035_group_norm",
             {"x": Argument("batch groups per hw"), "gamma": Argument("groups per", "near one"), "beta": Argument("groups per"),
              "y": Argument("batch groups per hw", OUTPUT)},
             {"batch": 112, "groups": 8, "per": 8, "hw": 512 * 512},
             ({"batch": 2, "groups": 2, "per": 3, "hw": 517}, {"batch": 1, "groups": 1, "per": 1, "hw": 2}),
             lambda x, gamma, beta, eps: normalised(x, (2, 3), eps) * gamma[:, :, None] + beta[:, :, None],
             lambda t, x, gamma, beta, eps: t.nn.functional.group_norm(
                 x.flatten(1, 2), x.shape[1], gamma.flatten(), beta.flatten(), eps).view(x.shape),
             ("* gamma[g][c]", "+ gamma[g][c]"), EPS, 1e-4),
    Operator("036_rms_norm", {"x": IMAGE, "y": IMAGE_OUT}, {"batch": 112, "channels": 64, "hw": 512 * 512}, PIXELS,
             lambda x, eps: x / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps),
             lambda t, x, eps: x / t.sqrt(t.mean(x**2, dim=1, keepdim=True) + eps), ("/ channels + eps", "/ channels - eps"), EPS),
    Operator("037_frobenius_norm", {"x": Argument("n"), "y": Argument("n", OUTPUT)}, {"n": 112 * 64 * 512 * 512},
             ({"n": 70001}, {"n": 1}), lambda x: x / np.sqrt((x * x).sum()), lambda t, x: x / t.norm(x, p="fro"),
             ("x[i] * x[i];", "x[i];")),
    rows("038_l1_norm", lambda x: x / abs(x).mean(axis=1, keepdims=True), lambda t, x: x / t.mean(t.abs(x), dim=1, keepdim=True),
         ("sum / w", "sum"), 32768, 65535),
    rows("039_l2_norm", lambda x: x / np.sqrt((x * x).sum(axis=1, keepdims=True)),
         lambda t, x: x / t.norm(x, p=2, dim=1, keepdim=True), ("/ norm", "* norm"), 32768, 65535),
    rows("040_layer_norm", lambda x, gamma, beta, eps: normalised(x, (1,), eps) * gamma + beta,
         lambda t, x, gamma, beta, eps: t.nn.functional.layer_norm(x, x.shape[1:], gamma, beta, eps), ("sum / w", "sum"),
         16, 64 * 256 * 256, {"gamma": Argument("w", "near one"), "beta": Argument("w")}, **EPS),
]  # fmt: skip


def reduction(
    name: str, numpy: Callable[..., Array], torch: Callable[..., Array], wrong: tuple[str, str], output: str = OUTPUT
) -> Operator:
    arrays = {"x": Argument("batch h w"), "y": Argument("batch w", output)}
    small = ({"batch": 2, "h": 37, "w": 133}, {"batch": 1, "h": 1, "w": 1})
    return Operator(name, arrays, {"batch": 128, "h": 4096, "w": 4095}, small, numpy, torch, wrong)


REDUCTIONS = [
    reduction("047_sum_reduction", lambda x: x.sum(axis=1), lambda t, x: t.sum(x, dim=1), ("sum += x", "sum -= x")),
    reduction("048_mean_reduction", lambda x: x.mean(axis=1), lambda t, x: t.mean(x, dim=1), ("sum / h", "sum / w")),
    reduction("049_max_reduction", lambda x: x.max(axis=1), lambda t, x: t.max(x, dim=1)[0], ("i = 1", "i = 2")),
    reduction(
        "051_argmax",
        lambda x: x.argmax(axis=1),
        lambda t, x: t.argmax(x, dim=1),
        ("> best", ">= best"),
        OUTPUT + " int64",
    ),
    reduction(
        "052_argmin",
        lambda x: x.argmin(axis=1),
        lambda t, x: t.argmin(x, dim=1),
        ("< best", "<= best"),
        OUTPUT + " int64",
    ),
    reduction("053_min_reduction", lambda x: x.min(axis=1), lambda t, x: t.min(x, dim=1)[0], ("fminf", "fmaxf")),
]


def scan(
    name: str,
    numpy: Callable[..., Array],
    torch: Callable[..., Array],
    wrong: tuple[str, str],
    data: str = "normal",
    **extra: Argument,
) -> Operator:
    arrays = {"x": Argument("h w", data), **extra, "y": Argument("h w", OUTPUT)}
    return Operator(name, arrays, {"h": 32768, "w": 32768}, ROWS, numpy, torch, wrong, tolerance=1e-4)


def exclusive(x: Array) -> Array:
    return np.cumsum(x, axis=1) - x


def exclusive_torch(t: Any, x: Array) -> Array:
    return t.cumsum(t.cat((t.zeros_like(x[:, :1]), x), dim=1)[:, :-1], dim=1)


SCANS = [
    scan("089_cumsum", lambda x: np.cumsum(x, axis=1), lambda t, x: t.cumsum(x, dim=1), ("sum += x", "sum = x")),
    scan("090_cumprod", lambda x: np.cumprod(x, axis=1), lambda t, x: t.cumprod(x, dim=1), ("product *=", "product +="),
         "near one"),
    scan("091_cumsum_reverse", lambda x: np.cumsum(x[:, ::-1], axis=1)[:, ::-1], lambda t, x: t.cumsum(x.flip(1), dim=1).flip(1),
         ("j = w - 1", "j = w - 2")),
    scan("092_cumsum_exclusive", exclusive, exclusive_torch, ("sum = 0.0f", "sum = x[i][0]")),
    scan("093_masked_cumsum", lambda x, mask: np.cumsum(x * mask, axis=1), lambda t, x, mask: t.cumsum(x * mask, dim=1),
         ("if (mask[i][j])", "if (!mask[i][j])"), mask=Argument("h w", "mask")),
]  # fmt: skip


def loss(
    name: str, arrays: dict[str, Argument], large: Sizes, small: tuple[Sizes, ...],
    numpy: Callable[..., Array], torch: Callable[..., Array], wrong: tuple[str, str],
) -> Operator:  # fmt: skip
    def one(t: Any, *args: Array) -> Array:
        return torch(t, *args).reshape(1)

    return Operator(
        name, {**arrays, "loss": Argument("1", OUTPUT)}, large, small, lambda *a: np.array([numpy(*a)]), one, wrong
    )


def pairs_loss(name: str, numpy: Callable[..., Array], torch: Callable[..., Array], wrong: tuple[str, str]) -> Operator:
    arrays = {"x": Argument("n"), "y": Argument("n")}
    return loss(name, arrays, {"n": 32768 * 32768}, ({"n": 70001}, {"n": 1}), numpy, torch, wrong)


def huber(x: Array, y: Array) -> Array:
    d = abs(x - y)
    return np.where(d < 1, 0.5 * d * d, d - 0.5).mean()


def distance(x: Array, y: Array) -> Array:
    return np.sqrt(((x - y + 1e-6) ** 2).sum(axis=1))


BATCH: tuple[Sizes, ...] = ({"batch": 37, "w": 133}, {"batch": 1, "w": 1})
LOSSES = [
    pairs_loss("094_mse_loss", lambda x, y: ((x - y) ** 2).mean(), lambda t, x, y: t.mean((x - y) ** 2), ("sum / n", "sum")),
    loss("095_cross_entropy_loss", {"x": Argument("batch classes"), "target": Argument("batch", "index classes")},
         {"batch": 32768, "classes": 4096}, ({"batch": 37, "classes": 133}, {"batch": 1, "classes": 1}),
         lambda x, target: -np.log(softmax(x)[np.arange(len(x)), target]).mean(),
         lambda t, x, target: t.nn.functional.cross_entropy(x, target), ("+ best -", "- best -")),
    pairs_loss("096_huber_loss", huber, lambda t, x, y: t.nn.functional.smooth_l1_loss(x, y), ("d < 1.0f", "d < 2.0f")),
    loss("098_kl_div_loss", {"x": Argument("batch w", "positive"), "y": Argument("batch w", "positive")},
         {"batch": 16384, "w": 16384}, BATCH, lambda x, y: (y * (np.log(y) - np.log(x))).sum() / len(x),
         lambda t, x, y: t.nn.functional.kl_div(t.log(x), y, reduction="batchmean"), ("- logf(x", "+ logf(x")),
    loss("099_triplet_margin_loss", {"a": Argument("batch w"), "p": Argument("batch w"), "n": Argument("batch w")},
         {"batch": 32768, "w": 8192}, BATCH, lambda a, p, n: np.maximum(distance(a, p) - distance(a, n) + 1, 0).mean(),
         lambda t, a, p, n: t.nn.functional.triplet_margin_loss(a, p, n, margin=1.0), ("- sqrtf(far)", "+ sqrtf(far)")),
    loss("100_hinge_loss", {"x": Argument("h w"), "y": Argument("w", "sign")}, {"h": 32768, "w": 32768},
         ({"h": 37, "w": 133}, {"h": 1, "w": 1}), lambda x, y: np.maximum(1 - x * y, 0).mean(),
         lambda t, x, y: t.mean(t.clamp(1 - x * y, min=0)), ("1.0f - x", "1.0f + x")),
]  # fmt: skip


def attention(q: Array, k: Array, v: Array, scale: float) -> Array:
    return softmax(scale * np.einsum("hie,hje->hij", q, k)) @ v


ATTENTION = Operator(
    "097_attention",
    {**{a: Argument("heads n d") for a in "qkv"}, "y": Argument("heads n d", OUTPUT)},
    {"heads": 32 * 32, "n": 512, "d": 1024},
    ({"heads": 2, "n": 37, "d": 19}, {"heads": 1, "n": 1, "d": 1}),
    attention,
    lambda t, q, k, v, scale: t.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale),
    ("sum += s[j] / total", "sum += s[j]"),
    {"scale": 1 / 32},
    1e-4,
)
