// The stand-in's scheduler, memory and race detector. See cuda_runtime.h.
#include "cuda_runtime.h"
#include "tiles.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

extern "C" {
extern char __start_optigpu_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_optigpu_shared[] __attribute__((weak, visibility("hidden")));
}

namespace standin {

Builtins builtins;
unsigned char* dynamic_shared = nullptr;
bool watching = false;

namespace {

constexpr size_t STACK = 1024 * 1024;  // bytes; a GPU thread has at most 512 KiB of local memory
constexpr size_t MOST_THREADS = 1024, GUARD = 256, MOST_SHARED = 232448, STATIC_SHARED = 48 * 1024;
constexpr size_t TILE = 1024;  // shared memory begins at a multiple of it
constexpr int FAILED = 700;
enum class State { READY, BARRIER, WARP, NAMED, PHASE, REGISTERS, DONE };

// An asynchronous copy of up to 16 bytes by a thread, with zeros behind them.
struct AsyncCopy {
  unsigned char* to;
  const unsigned char* from;
  int bytes;
};

struct Fiber {
  ucontext_t context;
  jmp_buf at;
  bool started = false;
  State state = State::DONE;
  uint3 thread;
  int number = 0, line = 0, parity = 0;
  bool orders = false;  // whether the barrier or shuffle it waits at orders memory
  uint64_t* barrier = nullptr;  // in shared memory, whose phase of this parity it waits for
  unsigned phase = 0;
  int wanted = 0;         // registers
  bool products = false;  // of tensor cores are under way
  std::vector<AsyncCopy> open;               // copies of no batch yet
  std::vector<std::vector<AsyncCopy>> batches;  // under way
};

std::vector<std::unique_ptr<Fiber>> fibers;
unsigned char* stacks = nullptr;
size_t stacks_size = 0;
jmp_buf scheduler;
Fiber* current = nullptr;
const std::function<void()>* body = nullptr;
uint64_t slots[2][MOST_THREADS];
int failed = 0;
std::string failure;
std::vector<unsigned char> dynamic_buffer;
std::map<uintptr_t, size_t> allocations;
size_t shared_size = 0;  // of the dynamic shared memory of a block
int block_number = 0;

void fail(const std::string& text) {
  if (failed == 0) {
    failed = FAILED;
    failure = text;
  }
}

void yield() {
  if (_setjmp(current->at) == 0) _longjmp(scheduler, 1);
}

void fiber_main() {
  for (;;) {
    (*body)();
    current->state = State::DONE;
    yield();
  }
}

void resume(Fiber& f) {
  current = &f;
  builtins.thread = f.thread;
  if (_setjmp(scheduler) == 0) {
    if (f.started) _longjmp(f.at, 1);
    f.started = true;
    setcontext(&f.context);
  }
  current = nullptr;
}

void make_fibers(size_t count) {
  if (stacks_size < STACK * count) {
    if (stacks != nullptr) munmap(stacks, stacks_size);
    stacks_size = STACK * count;
    void* p = mmap(nullptr, stacks_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
      stacks = nullptr, stacks_size = 0;
      return fail("no memory for the stacks of threads");
    }
    stacks = (unsigned char*)p;
    for (auto& f : fibers) f->started = false;
  }
  while (fibers.size() < count) fibers.push_back(std::make_unique<Fiber>());
  for (size_t i = 0; i < count; i++) {
    Fiber& f = *fibers[i];
    if (f.started) continue;
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = stacks + STACK * i;
    f.context.uc_stack.ss_size = STACK;
    f.context.uc_link = nullptr;
    makecontext(&f.context, fiber_main, 0);
  }
}

std::string name(int thread) {
  const dim3 d = builtins.block_dim;
  const unsigned t = (unsigned)thread;
  char text[64];
  snprintf(text, sizeof text, "thread (%u, %u, %u)", t % d.x, t / d.x % d.y, t / d.x / d.y);
  return text;
}

}  // namespace
}  // namespace standin

#include "races.h"
#include "copies.h"

namespace standin {
namespace {

// Whether waiting fibers can continue: all of a block are at one barrier, or all of a warp at one barrier or shuffle.
bool release_waiting(int count) {
  int done = 0, waiting = 0, line = -1;
  bool same = true, progress = false;
  for (int i = 0; i < count; i++) {
    Fiber& f = *fibers[i];
    if (f.state == State::DONE) done++;
    if (f.state == State::BARRIER) {
      waiting++;
      same = same && (line == -1 || line == f.line);
      line = f.line;
    }
  }
  if (done == count) return false;
  if (waiting == count && same) {
    for (int i = 0; i < count; i++) fibers[i]->state = State::READY;
    epoch++;
    return true;
  }
  for (int w = 0; w < count; w += 32) {
    bool together = true;
    for (int i = w; i < w + 32; i++)
      together = together && i < count && fibers[i]->state == State::WARP && fibers[i]->line == fibers[w]->line;
    if (!together) continue;
    for (int i = w; i < w + 32; i++) fibers[i]->state = State::READY;
    if (fibers[w]->orders) meet_warp(w);
    progress = true;
  }
  progress = release_some(count) || progress;
  if (!progress) {
    for (int i = 0; i < count; i++)
      if (fibers[i]->state != State::DONE) {
        char where[160];
        snprintf(where, sizeof where, "divergent barrier: %s of block %d waits at line %d, and not all threads, copies or registers come",
                 name(i).c_str(), block_number, fibers[i]->line);
        fail(where);
        break;
      }
  }
  return progress;
}

void run_block(int count) {
  const dim3 d = builtins.block_dim;
  for (int i = 0; i < count; i++) {
    fibers[i]->state = State::READY;
    fibers[i]->number = i;
    fibers[i]->thread = {i % d.x, i / d.x % d.y, i / d.x / d.y};
    fibers[i]->open.clear();
    fibers[i]->batches.clear();
    fibers[i]->products = false;
  }
  begin_block_of_copies(count);
  do {
    // Alternate the direction of rounds, to expose code that relies on an order of threads.
    const bool backwards = epoch % 2 == 1;
    for (int k = 0; k < count && failed == 0; k++) {
      Fiber& f = *fibers[backwards ? count - 1 - k : k];
      if (f.state == State::READY) resume(f);
    }
  } while (failed == 0 && release_waiting(count));
  if (failed != 0)
    for (auto& f : fibers) f->started = false;  // interrupted by an error: the next launch creates them again
}

}  // namespace

namespace {

void run(dim3 grid, dim3 block, size_t shared_bytes, const std::function<void()>& kernel) {
  const unsigned long long count = (unsigned long long)block.x * block.y * block.z;
  const unsigned long long blocks = (unsigned long long)grid.x * grid.y * grid.z;
  if (count == 0 || count > MOST_THREADS || block.z > 64 || blocks == 0 || grid.y > 65535 || grid.z > 65535 ||
      grid.x > 2147483647u || shared_bytes > MOST_SHARED)
    return fail("invalid launch configuration");
  make_fibers(count);
  if (failed != 0) return;
  shared_size = shared_bytes;
  dynamic_buffer.assign(shared_bytes + TILE + GUARD, 0xff);
  dynamic_shared = dynamic_buffer.data() + (TILE - (uintptr_t)dynamic_buffer.data() % TILE) % TILE;
  body = &kernel;
  cells.clear();
  builtins.block_dim = block;
  builtins.grid_dim = grid;
  block_number = 0;
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      for (unsigned x = 0; x < grid.x && failed == 0; x++) {
        builtins.block = {x, y, z};
        if (__start_optigpu_shared) memset(__start_optigpu_shared, 0xff, __stop_optigpu_shared - __start_optigpu_shared);
        memset(dynamic_shared, 0xff, shared_bytes);
        epoch++;
        run_block((int)count);
        for (size_t i = 0; i < GUARD; i++)
          if (dynamic_shared[shared_bytes + i] != 0xff) fail("memory behind the shared arrays was written");
        block_number++;
      }
}

}  // namespace

void launch(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t, const std::function<void()>& kernel) {
  try {
    run(grid, block, shared_bytes, kernel);
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
}

int lane() { return current->number % 32; }

void barrier(int line) {
  current->line = line;
  current->state = State::BARRIER;
  yield();
}

void warp_barrier(int line) {
  current->line = line;
  current->state = State::WARP;
  current->orders = true;
  yield();
}

const uint64_t* exchanged(uint64_t value, int line) {
  Fiber* const me = current;
  me->parity ^= 1;
  slots[me->parity][me->number] = value;
  me->line = line;
  me->state = State::WARP;
  me->orders = false;
  yield();
  return &slots[me->parity][me->number / 32 * 32];
}

cudaError_t allocate(void** p, size_t bytes) {
  if (bytes > SIZE_MAX / 2) return cudaErrorMemoryAllocation;
  unsigned char* const raw = (unsigned char*)aligned_alloc(256, (bytes + 2 * GUARD + 255) / 256 * 256);
  if (raw == nullptr) return cudaErrorMemoryAllocation;
  memset(raw, 0xff, bytes + 2 * GUARD);
  try {
    allocations[(uintptr_t)(raw + GUARD)] = bytes;
  } catch (const std::bad_alloc&) {
    free(raw);
    return cudaErrorMemoryAllocation;
  }
  *p = raw + GUARD;
  return cudaSuccess;
}

cudaError_t release(void* p) {
  if (p == nullptr) return cudaSuccess;
  const auto found = allocations.find((uintptr_t)p);
  if (found == allocations.end()) return 1;
  const unsigned char* const end = (unsigned char*)p + found->second;
  for (size_t i = 0; i < GUARD; i++)
    if (end[i] != 0xff || ((unsigned char*)p)[-1 - (long)i] != 0xff) fail("memory beside an array was written");
  free((unsigned char*)p - GUARD);
  allocations.erase(found);
  return failed;
}

cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  if (failed != 0) return failed;
  memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t last_error() { return failed; }

const char* error_text(cudaError_t status) {
  static std::string text;
  text = status == FAILED                          ? failure
         : status == cudaErrorInvalidConfiguration ? "invalid launch configuration"
         : status == cudaErrorMemoryAllocation     ? "out of memory"
                                                   : "error";
  if (status == FAILED) failed = 0;  // reported once; the next call starts clean
  return text.c_str();
}

void note_atomic(void* p, size_t bytes, int op) {
  if (watching) access((uintptr_t)p, bytes, op);
}
}  // namespace standin

// The compiler's instrumentation (-fsanitize=thread) calls these; its own runtime is not linked.
extern "C" {
void __tsan_init() { standin::watching = true; }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
#define OPTIGPU_ACCESS(N) \
  void __tsan_read##N(void* p) { standin::access((uintptr_t)p, N, standin::READ); } \
  void __tsan_write##N(void* p) { standin::access((uintptr_t)p, N, standin::WRITE); } \
  void __tsan_unaligned_read##N(void* p) { standin::access((uintptr_t)p, N, standin::READ); } \
  void __tsan_unaligned_write##N(void* p) { standin::access((uintptr_t)p, N, standin::WRITE); }
OPTIGPU_ACCESS(1)
OPTIGPU_ACCESS(2)
OPTIGPU_ACCESS(4)
OPTIGPU_ACCESS(8)
OPTIGPU_ACCESS(16)
// Only host code has atomic accesses.
#define OPTIGPU_ATOMIC(N) \
  uint##N##_t __tsan_atomic##N##_load(const volatile uint##N##_t* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
  void __tsan_atomic##N##_store(volatile uint##N##_t* p, uint##N##_t v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); } \
  int __tsan_atomic##N##_compare_exchange_strong(volatile uint##N##_t* p, uint##N##_t* old, uint##N##_t v, int, int) { \
    return __atomic_compare_exchange_n(p, old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
OPTIGPU_ATOMIC(8)
OPTIGPU_ATOMIC(64)
void __tsan_read_range(void* p, size_t n) { standin::access((uintptr_t)p, n, standin::READ); }
void __tsan_write_range(void* p, size_t n) { standin::access((uintptr_t)p, n, standin::WRITE); }
}
