// Ghosts about the threads that own cells.
// expect: VERIFIED
// also: annotated, replay
// mutate: '__ghost(group_to_desyncgroup, "N := 64, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_to_desyncgroup, "N := 65, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(group_to_desyncgroup, "N := 65, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(desync_tile_divides, "tile_count := 8, tile_size := 8, size := 64, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(desync_tile_divides, "tile_count := 8, tile_size := 8, size := 64, items := fun i -> &a[63 - i] ~~> A(63 - i)");' => UNPROVED[OG341] __ghost(desync_tile_divides, "tile_count := 8, tile_size := 8, size := 64, items := fun i -> &a[63 - i] ~~> A(63 - i)")
// mutate: '__ghost(desync_untile_divides, "tile_count := 8, tile_size := 8, size := 64, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(desync_untile_divides, "tile_count := 8, tile_size := 8, size := 64, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(desync_untile_divides, "tile_count := 8, tile_size := 8, size := 64, items := fun i -> &a[i] ~~> A(i) + 1")

#include <optigpu.h>

__device__ void to_threads(float a[64]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(64)");
  __consumes("a ~> Matrix1Of(64, GMem, A)");
  __produces("desync_for i in ..64 -> &a[i] ~~>[GMem] A(i)");
  __ghost(group_to_desyncgroup, "N := 64, items := fun i -> &a[i] ~~> A(i)");
}

__device__ void tiles(float a[64]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(64)");
  __consumes("desync_for i in ..64 -> &a[i] ~~>[GMem] A(i)");
  __produces("desync_for b in ..8 -> desync_for i in ..8 -> &a[8 * b + i] ~~>[GMem] A(8 * b + i)");
  __ghost(desync_tile_divides, "tile_count := 8, tile_size := 8, size := 64, items := fun i -> &a[i] ~~> A(i)");
}

__device__ void whole(float a[64]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(64)");
  __consumes("desync_for b in ..8 -> desync_for i in ..8 -> &a[8 * b + i] ~~>[GMem] A(8 * b + i)");
  __produces("desync_for i in ..64 -> &a[i] ~~>[GMem] A(i)");
  __ghost(desync_untile_divides, "tile_count := 8, tile_size := 8, size := 64, items := fun i -> &a[i] ~~> A(i)");
}
