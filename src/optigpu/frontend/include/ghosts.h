// The ghosts that every program knows: one row for each, with what it is for. None is admitted: a use is checked where it stands, its
// __requires and __consumes before it, its __produces and __ensures after it, and the reverse at a __GHOST_END. docs/ghosts.md is made
// from this file, with an example of each from tests/cases/ghosts.

// # Facts

// A fact that is proved here gets a name.
__GHOST(assert_prop) { __requires("P: Prop, proof: P"); __ensures("proof: P"); }
// A permission is held here.
__GHOST(assert_hprop) { __requires("H: HProp"); __preserves("H"); }
// There is a value of this type: nothing to prove.
__GHOST(assert_inhabited) { __requires("T: Type, x: T"); }
// Two numbers are equal.
__GHOST(assert_eq) { __requires("x: int, y: int, eq: x == y"); __ensures("eq: x == y"); }
// Equality of floats is reflexive.
__GHOST(eq_refl_float) { __requires("x: float"); __ensures("eq: x =. x"); }
// Equality of integers is reflexive.
__GHOST(eq_refl_int) { __requires("x: int"); __ensures("eq: x == x"); }
// Equality of floats is symmetric.
__GHOST(eq_sym_float) { __requires("x: float, y: float, H: x =. y"); __ensures("eq: y =. x"); }
// Equality of integers is symmetric.
__GHOST(eq_sym_int) { __requires("x: int, y: int, H: x == y"); __ensures("eq: y == x"); }
// Equality of floats is transitive.
__GHOST(eq_trans_float) { __requires("x: float, y: float, z: float, H1: x =. y, H2: y =. z"); __ensures("eq: x =. z"); }
// Equality of integers is transitive.
__GHOST(eq_trans_int) { __requires("x: int, y: int, z: int, H1: x == y, H2: y == z"); __ensures("eq: x == z"); }

// # Rewriting

// A fact about an integer, with an equal one in its place.
__GHOST(rewrite_prop) {
  __requires("from: int, to: int, inside: int -> bool, by: from == to, inside(from)");
  __ensures("out: inside(to)");
}
// A fact about a float, with an equal one in its place.
__GHOST(rewrite_float_prop) {
  __requires("from: float, to: float, inside: float -> bool, by: from =. to, inside(from)");
  __ensures("out: inside(to)");
}
// A permission with an equal integer in the place of another.
__GHOST(rewrite_linear) {
  __requires("from: int, to: int, inside: int -> HProp, by: from == to");
  __consumes("inside(from)");
  __produces("inside(to)");
}
// The same as rewrite_linear.
__GHOST(rewrite_int_linear) {
  __requires("from: int, to: int, inside: int -> HProp, by: from == to");
  __consumes("inside(from)");
  __produces("inside(to)");
}
// A permission with an equal float in the place of another.
__GHOST(rewrite_float_linear) {
  __requires("from: float, to: float, inside: float -> HProp, by: from =. to");
  __consumes("inside(from)");
  __produces("inside(to)");
}

// # Ranges

// What it means that a number is in a range.
__GHOST(in_range_bounds) {
  __requires("x: int, a: int, b: int, in_r: in_range(x, a..b)");
  __ensures("lower_bound: x >= a, upper_bound: x < b");
}
// A number in a range is in every range that contains it.
__GHOST(in_range_extend) {
  __requires("x: int, r1: Range, r2: Range, in_r: in_range(x, r1), sub: is_subrange(r1, r2)");
  __ensures("out: in_range(x, r2)");
}
// A number and its range, moved by k.
__GHOST(in_range_shift) {
  __requires("x: int, k: int, a: int, b: int, s: int, in_r: in_range(x, range(a, b, s))");
  __ensures("out: in_range(x + k, range(a + k, b + k, s))");
}
// A number moved by k, in a range that contains the moved one.
__GHOST(in_range_shift_extend) {
  __requires("x: int, k: int, r: Range, a: int, b: int, in_r: in_range(x, a..b), sub: is_subrange(a + k..b + k, r)");
  __ensures("out: in_range(x + k, r)");
}
// An index of a tile and an index in the tile are an index of the whole.
__GHOST(tiled_index_in_range) {
  __requires("tile_index: int, index: int, tile_count: int, tile_size: int, size: int");
  __requires("div_check: size == tile_count * tile_size");
  __requires("in_t: in_range(tile_index, 0..tile_count), in_i: in_range(index, 0..tile_size)");
  __ensures("out: in_range(tile_index * tile_size + index, 0..size)");
}

// # Focus

// One element of a group.
__GHOST(group_focus) {
  __requires("i: int, range: Range, items: int -> HProp, bound_check: in_range(i, range)");
  __consumes("Group(range, items)");
  __produces("items(i)");
}
// The end of group_focus.
__GHOST(group_unfocus) { __reverts(group_focus); }
// One element of a group that is only read.
__GHOST(ro_group_focus) {
  __requires("i: int, range: Range, items: int -> HProp, f: _Fraction, bound_check: in_range(i, range)");
  __consumes("_RO(f, Group(range, items))");
  __produces("_RO(f, items(i))");
}
// The end of ro_group_focus.
__GHOST(ro_group_unfocus) { __reverts(ro_group_focus); }
// One element of each inner group, which are only read.
__GHOST(ro_group2_focus) {
  __requires("i: int, r: Range, r2: Range, items: int * int -> HProp, f: _Fraction, bound_check: in_range(i, r)");
  __consumes("_RO(f, for i2 in r2 -> for j in r -> items(i2, j))");
  __produces("_RO(f, for i2 in r2 -> items(i2, i))");
}
// The end of ro_group2_focus.
__GHOST(ro_group2_unfocus) { __reverts(ro_group2_focus); }
// A part of a group.
__GHOST(group_focus_subrange) {
  __requires("sub_range: Range, big_range: Range, items: int -> HProp, bound_check: is_subrange(sub_range, big_range)");
  __consumes("Group(big_range, items)");
  __produces("Group(sub_range, items)");
}
// The end of group_focus_subrange.
__GHOST(group_unfocus_subrange) { __reverts(group_focus_subrange); }
// A part of a group that is only read.
__GHOST(ro_group_focus_subrange) {
  __requires("sub_range: Range, big_range: Range, items: int -> HProp, f: _Fraction");
  __requires("bound_check: is_subrange(sub_range, big_range)");
  __consumes("_RO(f, Group(big_range, items))");
  __produces("_RO(f, Group(sub_range, items))");
}
// The end of ro_group_focus_subrange.
__GHOST(ro_group_unfocus_subrange) { __reverts(ro_group_focus_subrange); }
// One cell of an array.
__GHOST(matrix1_focus) {
  __requires("T: Type, matrix: ptr(T), i: int, n: int, M: int -> T, bound_check: in_range(i, 0..n)");
  __consumes("matrix ~> Matrix1(n, M)");
  __produces("&matrix[i] ~~> M(i)");
}
// The end of matrix1_focus.
__GHOST(matrix1_unfocus) { __reverts(matrix1_focus); }
// One cell of an array with two dimensions.
__GHOST(matrix2_focus) {
  __requires("T: Type, matrix: ptr(T), i: int, j: int, m: int, n: int, M: int * int -> T");
  __requires("bound_check_i: in_range(i, 0..m), bound_check_j: in_range(j, 0..n)");
  __consumes("matrix ~> Matrix2(m, n, M)");
  __produces("&matrix[i][j] ~~> M(i, j)");
}
// The end of matrix2_focus.
__GHOST(matrix2_unfocus) { __reverts(matrix2_focus); }
// One cell of an array that is only read.
__GHOST(ro_matrix1_focus) {
  __requires("T: Type, matrix: ptr(T), i: int, n: int, M: int -> T, f: _Fraction, bound_check: in_range(i, 0..n)");
  __consumes("_RO(f, matrix ~> Matrix1(n, M))");
  __produces("_RO(f, &matrix[i] ~~> M(i))");
}
// The end of ro_matrix1_focus.
__GHOST(ro_matrix1_unfocus) { __reverts(ro_matrix1_focus); }
// One cell of an array with two dimensions that is only read.
__GHOST(ro_matrix2_focus) {
  __requires("T: Type, matrix: ptr(T), i: int, j: int, m: int, n: int, M: int * int -> T, f: _Fraction");
  __requires("bound_check_i: in_range(i, 0..m), bound_check_j: in_range(j, 0..n)");
  __consumes("_RO(f, matrix ~> Matrix2(m, n, M))");
  __produces("_RO(f, &matrix[i][j] ~~> M(i, j))");
}
// The end of ro_matrix2_focus.
__GHOST(ro_matrix2_unfocus) { __reverts(ro_matrix2_focus); }
// The end of a focus: H2 is held again, given the part H1. What is focused stays held here, so it needs no permission for the rest.
__GHOST(close_wand) { __requires("H1: HProp, H2: HProp"); __consumes("H1"); __produces("H2"); }
// Contents are forgotten.
__GHOST(forget_init) { __requires("H: HProp"); __consumes("H"); __produces("Uninit(H)"); }
// A share for reading, divided into two.
__GHOST(ro_split2) { __requires("f: _Fraction, H: HProp"); __consumes("_RO(f, H)"); __produces("_RO(f / 2, H), _RO(f / 2, H)"); }

// # Groups

// Two groups, one inside of the other, in the other order.
__GHOST(swap_groups) {
  __requires("outer_range: Range, inner_range: Range, items: int * int -> HProp");
  __consumes("for i in outer_range -> for j in inner_range -> items(i, j)");
  __produces("for j in inner_range -> for i in outer_range -> items(i, j)");
}
// The end of swap_groups.
__GHOST(swap_groups_rev) { __reverts(swap_groups); }
// The same for groups that are only read.
__GHOST(ro_swap_groups) {
  __requires("outer_range: Range, inner_range: Range, items: int * int -> HProp, f: _Fraction");
  __consumes("_RO(f, for i in outer_range -> for j in inner_range -> items(i, j))");
  __produces("_RO(f, for j in inner_range -> for i in outer_range -> items(i, j))");
}
// The end of ro_swap_groups.
__GHOST(ro_swap_groups_rev) { __reverts(ro_swap_groups); }
// A group in tiles of equal size.
__GHOST(tile_divides) {
  __requires("tile_count: int, tile_size: int, size: int, items: int -> HProp, div_check: size == tile_count * tile_size");
  __requires("positive_tile_size: tile_size >= 0");
  __consumes("for i in 0..size -> items(i)");
  __produces("for bi in 0..tile_count -> for i in 0..tile_size -> items(bi * tile_size + i)");
}
// The end of tile_divides.
__GHOST(untile_divides) { __reverts(tile_divides); }
// A group that is only read, in tiles of equal size.
__GHOST(ro_tile_divides) {
  __requires("tile_count: int, tile_size: int, size: int, items: int -> HProp, div_check: size == tile_count * tile_size");
  __requires("positive_tile_size: tile_size >= 0, f: _Fraction");
  __consumes("_RO(f, for i in 0..size -> items(i))");
  __produces("_RO(f, for bi in 0..tile_count -> for i in 0..tile_size -> items(bi * tile_size + i))");
}
// The end of ro_tile_divides.
__GHOST(ro_untile_divides) { __reverts(ro_tile_divides); }
// Two groups, one inside of the other, as one.
__GHOST(group_collapse) {
  __requires("n: int, m: int, items: int * int -> HProp, positive: m > 0");
  __consumes("for i in 0..n -> for j in 0..m -> items(i, j)");
  __produces("for ij in 0..n * m -> items(ij / m, ij % m)");
}
// The end of group_collapse.
__GHOST(group_uncollapse) { __reverts(group_collapse); }
// Two groups that are only read, as one.
__GHOST(ro_group_collapse) {
  __requires("n: int, m: int, items: int * int -> HProp, f: _Fraction, positive: m > 0");
  __consumes("_RO(f, for i in 0..n -> for j in 0..m -> items(i, j))");
  __produces("_RO(f, for ij in 0..n * m -> items(ij / m, ij % m))");
}
// The end of ro_group_collapse.
__GHOST(ro_group_uncollapse) { __reverts(ro_group_collapse); }
// A group with its indices moved.
__GHOST(group_shift) {
  __requires("start: int, stop: int, step: int, items: int -> HProp, shift: int, new_start: int, new_stop: int");
  __requires("check_start: new_start == start + shift, check_stop: new_stop == stop + shift");
  __consumes("for i in range(start, stop, step) -> items(i)");
  __produces("for i in range(new_start, new_stop, step) -> items(i - shift)");
}
// The end of group_shift.
__GHOST(group_unshift) { __reverts(group_shift); }
// A group that is only read, with its indices moved.
__GHOST(ro_group_shift) {
  __requires("start: int, stop: int, step: int, items: int -> HProp, shift: int, new_start: int, new_stop: int");
  __requires("check_start: new_start == start + shift, check_stop: new_stop == stop + shift, f: _Fraction");
  __consumes("_RO(f, for i in range(start, stop, step) -> items(i))");
  __produces("_RO(f, for i in range(new_start, new_stop, step) -> items(i - shift))");
}
// The end of ro_group_shift.
__GHOST(ro_group_unshift) { __reverts(ro_group_shift); }
// A group with its indices multiplied by a factor.
__GHOST(group_scale) {
  __requires("stop: int, step: int, items: int -> HProp, factor: int, new_step: int, new_stop: int");
  __requires("check_stop: new_stop == factor * stop, check_step: new_step == factor * step, check_factor: factor > 0");
  __consumes("for i in range(0, stop, step) -> items(i)");
  __produces("for i in range(0, new_stop, new_step) -> items(i / factor)");
}
// The end of group_scale.
__GHOST(group_unscale) { __reverts(group_scale); }
// A group that is only read, with its indices multiplied by a factor.
__GHOST(ro_group_scale) {
  __requires("stop: int, step: int, items: int -> HProp, factor: int, new_step: int, new_stop: int, f: _Fraction");
  __requires("check_stop: new_stop == factor * stop, check_step: new_step == factor * step, check_factor: factor > 0");
  __consumes("_RO(f, for i in range(0, stop, step) -> items(i))");
  __produces("_RO(f, for i in range(0, new_stop, new_step) -> items(i / factor))");
}
// The end of ro_group_scale.
__GHOST(ro_group_unscale) { __reverts(ro_group_scale); }
// A group in two parts.
__GHOST(group_split) {
  __requires("start: int, split: int, stop: int, items: int -> HProp, low: start <= split, high: split <= stop");
  __consumes("for i in start..stop -> items(i)");
  __produces("for i in start..split -> items(i)");
  __produces("for i in split..stop -> items(i)");
}
// The end of group_split.
__GHOST(group_join) { __reverts(group_split); }
// A group that is only read, in two parts.
__GHOST(ro_group_split) {
  __requires("start: int, split: int, stop: int, items: int -> HProp, low: start <= split, high: split <= stop, f: _Fraction");
  __consumes("_RO(f, for i in start..stop -> items(i))");
  __produces("_RO(f, for i in start..split -> items(i)), _RO(f, for i in split..stop -> items(i))");
}
// The end of ro_group_split.
__GHOST(ro_group_join) { __reverts(ro_group_split); }

// # Threads

// Cells that the whole group owns, given to the threads one by one.
__GHOST(group_to_desyncgroup) {
  __requires("N: int, items: int -> HProp");
  __consumes("for i in 0..N -> items(i)");
  __produces("desync_for i in ..N -> items(i)");
}
// Cells of threads, in tiles: thread bi * tile_size + i is thread i of part bi.
__GHOST(desync_tile_divides) {
  __requires("tile_count: int, tile_size: int, size: int, items: int -> HProp, div_check: size == tile_count * tile_size");
  __requires("positive_tile_size: tile_size >= 0");
  __consumes("desync_for i in ..size -> items(i)");
  __produces("desync_for bi in ..tile_count -> desync_for i in ..tile_size -> items(bi * tile_size + i)");
}
// The end of desync_tile_divides.
__GHOST(desync_untile_divides) { __reverts(desync_tile_divides); }
