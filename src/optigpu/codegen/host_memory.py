"""Host memory in emitted C: an allocator that unwinds to an error return when memory runs out."""

from __future__ import annotations

from optigpu.codegen.integer_polynomials import poly
from optigpu.codegen.parameters import MEMORY
from optigpu.syntax.exprs import Array
from optigpu.syntax.polynomials import constant_polynomial

STACK = 1 << 20  # bytes of the largest local array


def on_stack(t: Array) -> int | None:
    """The bytes of a local array if its size is constant and small enough for the stack, else None."""
    cells = constant_polynomial(1)
    for d in t.dims:
        cells *= constant_polynomial(0) if d is None else poly(d)
    return None if cells.constant is None or cells.constant * t.elem.size > STACK else cells.constant * t.elem.size


ALLOCATOR = r"""
// Memory for arrays. Where there is none, or none of such a size, the innermost frame ends: what was allocated in it is freed,
// and an optigpu_try_ function returns what went wrong. Outside of all frames nobody can be told, and the program stops.
struct optigpu_frame {
  jmp_buf end;
  jmp_buf* outer;
  int depth;
};
struct optigpu_memory {
  struct optigpu_memory* older;
  void* array;
  const int* thread;
  int depth;
};
static _Thread_local jmp_buf* optigpu_end;
static _Thread_local int optigpu_depth;  // its address is the thread's name
static struct optigpu_memory* optigpu_held;
static atomic_flag optigpu_busy = ATOMIC_FLAG_INIT;
static inline void optigpu_enter(struct optigpu_frame* frame) {
  frame->outer = optigpu_end;
  frame->depth = optigpu_depth++;
  optigpu_end = &frame->end;
}
static inline void optigpu_leave(const struct optigpu_frame* frame) {
  optigpu_end = frame->outer;
  optigpu_depth = frame->depth;
}
static inline void optigpu_fail(void) {
  if (optigpu_end == NULL) abort();
  longjmp(*optigpu_end, 1);
}
static inline size_t optigpu_bytes(size_t bytes, int rank, const size_t* sizes) {
  const size_t most = (size_t)1 << MEMORY_BITS;  // no array is larger
  for (int i = 0; i < rank; i++) {
    if (sizes[i] != 0 && bytes > most / sizes[i]) optigpu_fail();
    bytes *= sizes[i];
  }
  return bytes;
}
static inline void optigpu_room(size_t bytes) {
  if (bytes > (size_t)1 << STACK_BITS) optigpu_fail();  // on the stack
}
static inline void* optigpu_malloc(size_t bytes) {
  struct optigpu_memory* const memory = malloc(sizeof *memory);
  void* const array = malloc(bytes);
  if (memory == NULL || (array == NULL && bytes != 0)) {
    free(memory);
    free(array);
    optigpu_fail();
  }
  while (atomic_flag_test_and_set(&optigpu_busy)) {}
  *memory = (struct optigpu_memory){optigpu_held, array, &optigpu_depth, optigpu_depth};
  optigpu_held = memory;
  atomic_flag_clear(&optigpu_busy);
  return array;
}
static inline struct optigpu_memory* optigpu_taken(const void* array, const int* thread, int depth) {
  while (atomic_flag_test_and_set(&optigpu_busy)) {}
  struct optigpu_memory** at = &optigpu_held;
  while (*at != NULL && !(thread == NULL ? (*at)->array == array : (*at)->thread == thread && (*at)->depth > depth))
    at = &(*at)->older;
  struct optigpu_memory* const found = *at;
  if (found != NULL) *at = found->older;
  atomic_flag_clear(&optigpu_busy);
  return found;
}
static inline void optigpu_free(void* array) {
  free(optigpu_taken(array, NULL, 0));
  free(array);
}
static inline void optigpu_failed(const struct optigpu_frame* frame) {
  optigpu_leave(frame);
  for (struct optigpu_memory* m; (m = optigpu_taken(NULL, &optigpu_depth, frame->depth)) != NULL; free(m)) free(m->array);
}
#define OPTIGPU_BYTES(type, ...) \
  optigpu_bytes(sizeof(type), sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), (size_t[]){__VA_ARGS__})
#define OPTIGPU_MALLOC(type, ...) optigpu_malloc(OPTIGPU_BYTES(type, __VA_ARGS__))
#define OPTIGPU_ROOM(type, ...) optigpu_room(OPTIGPU_BYTES(type, __VA_ARGS__))
""".replace("MEMORY_BITS", str(MEMORY.bit_length() - 1)).replace("STACK_BITS", str(STACK.bit_length() - 1))
