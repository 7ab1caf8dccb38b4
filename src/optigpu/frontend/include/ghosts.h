// The ghosts that every program knows. None is admitted: each use is checked as the entailment that its contract states.
// Regrouping and focusing only change how a permission is written, so these ghosts are no work for the program.

__GHOST(eq_refl_float) { __requires("x: float"); __ensures("eq: x =. x"); }
__GHOST(eq_refl_int) { __requires("x: int"); __ensures("eq: x == x"); }

__GHOST(in_range_bounds) {
  __requires("x: int, a: int, b: int, in_r: in_range(x, a..b)");
  __ensures("lower_bound: x >= a, upper_bound: x < b");
}

__GHOST(rewrite_float_linear) {
  __requires("from: float, to: float, inside: float -> HProp, by: from =. to");
  __consumes("inside(from)");
  __produces("inside(to)");
}

__GHOST(rewrite_int_linear) {
  __requires("from: int, to: int, inside: int -> HProp, by: from == to");
  __consumes("inside(from)");
  __produces("inside(to)");
}

__GHOST(swap_groups) {
  __requires("outer: Range, inner: Range, items: int * int -> HProp");
  __consumes("for i in outer -> for j in inner -> items(i, j)");
  __produces("for j in inner -> for i in outer -> items(i, j)");
}

__GHOST(tile_divides) {
  __requires("tile_count: int, tile_size: int, size: int, items: int -> HProp, by: size == tile_count * tile_size");
  __requires("positive: tile_size >= 0");
  __consumes("for i in 0..size -> items(i)");
  __produces("for bi in 0..tile_count -> for i in 0..tile_size -> items(bi * tile_size + i)");
}

__GHOST(untile_divides) {
  __requires("tile_count: int, tile_size: int, size: int, items: int -> HProp, by: size == tile_count * tile_size");
  __requires("positive: tile_size >= 0");
  __consumes("for bi in 0..tile_count -> for i in 0..tile_size -> items(bi * tile_size + i)");
  __produces("for i in 0..size -> items(i)");
}

__GHOST(group_split) {
  __requires("start: int, split: int, stop: int, items: int -> HProp, low: start <= split, high: split <= stop");
  __consumes("for i in start..stop -> items(i)");
  __produces("for i in start..split -> items(i)");
  __produces("for i in split..stop -> items(i)");
}

__GHOST(group_join) {
  __requires("start: int, split: int, stop: int, items: int -> HProp, low: start <= split, high: split <= stop");
  __consumes("for i in start..split -> items(i)");
  __consumes("for i in split..stop -> items(i)");
  __produces("for i in start..stop -> items(i)");
}
