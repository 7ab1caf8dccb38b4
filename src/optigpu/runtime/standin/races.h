// The stand-in's race detector: which accesses of a cell are ordered. A part of standin.cpp.
//
// A barrier of the block starts a new epoch. Inside of one, a thread knows how many barriers of each warp are over; what the warp has
// done before these is ordered before what the thread does next. It learns that at barriers of its warp, of some of the warps, and of
// shared memory. Of the bulk copies that complete a barrier in shared memory it knows the phases that it has awaited.
#pragma once

namespace standin {
namespace {

constexpr size_t WARPS = MOST_THREADS / 32;

struct Access {
  int block = -1, thread = -1;  // of a bulk copy: the number of its barrier
  uint64_t epoch = 0, warp_epoch = 0;  // of a bulk copy: the phase that it completes, counted from 1
  unsigned fences = 0;  // of the thread up to the access
  bool by_bulk_copy = false;
};
struct Cell {
  Access writer, reader, other_reader, foreign_reader, atomic, other_atomic, foreign_atomic;
  int op = 0;  // of the last atomic operation; those of one operator do not race
};
enum { READ = -1, WRITE = -2 };  // accesses that are no atomic operation
typedef std::vector<uint64_t> Knowledge;  // of the barriers of warps, then of the phases of barriers in shared memory
std::unordered_map<uintptr_t, Cell> cells;
uint64_t epoch = 0, warp_epochs[WARPS];
unsigned fences[MOST_THREADS];
Knowledge known_by[MOST_THREADS];
uint64_t known_since[MOST_THREADS];

Knowledge& known(int thread) {
  if (known_since[thread] != epoch) known_by[thread].clear();
  known_since[thread] = epoch;
  return known_by[thread];
}

uint64_t part(const Knowledge& k, size_t n) { return n < k.size() ? k[n] : 0; }

void learn(Knowledge& k, size_t n, uint64_t value) {
  if (k.size() <= n) k.resize(n + 1);
  if (k[n] < value) k[n] = value;
}

void learn(Knowledge& k, const Knowledge& other) {
  for (size_t n = 0; n < other.size(); n++) learn(k, n, other[n]);
}

// What others know after this thread has arrived where they wait.
Knowledge passed_on(int thread) {
  Knowledge out = known(thread);
  learn(out, thread / 32, warp_epochs[thread / 32]);
  return out;
}

// These threads have met.
void meet(const std::vector<int>& threads) {
  if (!watching) return;
  Knowledge all;
  for (int t : threads) warp_epochs[t / 32] += t % 32 == 0;
  for (int t : threads) learn(all, passed_on(t));
  for (int t : threads) known(t) = all;
}

void meet_warp(int first) {
  std::vector<int> threads;
  for (int t = first; t < first + 32; t++) threads.push_back(t);
  meet(threads);
}

bool is_shared(uintptr_t p) {
  const uintptr_t low = (uintptr_t)__start_optigpu_shared, high = (uintptr_t)__stop_optigpu_shared;
  return (p >= low && p < high) || (p >= (uintptr_t)dynamic_shared && p < (uintptr_t)dynamic_shared + shared_size);
}

bool unordered(const Access& a) {
  if (a.block < 0) return false;
  if (a.block != block_number) return true;
  if (a.epoch != epoch) return false;
  if (a.by_bulk_copy) return part(known(current->number), WARPS + a.thread) < a.warp_epoch;
  if (a.thread == current->number) return false;
  if (a.thread / 32 == current->number / 32) return a.warp_epoch == warp_epochs[current->number / 32];
  return part(known(current->number), a.thread / 32) <= a.warp_epoch;
}

void race(const char* what, const Access& a, uintptr_t address) {
  char text[256];
  const std::string other = a.by_bulk_copy ? "a bulk copy" : name(a.thread);
  snprintf(text, sizeof text, "data race (%s) in %s memory: %s of block %d and %s of block %d", what,
      is_shared(address) ? "shared" : "global", other.c_str(), a.block, name(current->number).c_str(), block_number);
  fail(text);
}

Access access_now() {
  Access now;
  now.block = block_number;
  now.thread = current->number;
  now.epoch = epoch;
  now.warp_epoch = warp_epochs[current->number / 32];
  now.fences = fences[current->number];
  return now;
}

Cell& cell_at(uintptr_t address) {
  Cell& c = cells[address];
  if (is_shared(address) && c.writer.block != block_number && c.reader.block != block_number && c.atomic.block != block_number)
    c = Cell();  // left over from another block
  return c;
}

void touch(uintptr_t address, int op) {
  const bool write = op != READ;
  Cell& c = cell_at(address);
  const Access now = access_now();
  if (unordered(c.writer)) race(write ? "write after write" : "read after write", c.writer, address);
  if (op != c.op)
    for (const Access* r : {&c.atomic, &c.other_atomic, &c.foreign_atomic})
      if (unordered(*r)) race("access after atomic operation", *r, address);
  if (write)
    for (const Access* r : {&c.reader, &c.other_reader, &c.foreign_reader})
      if (unordered(*r)) race("write after read", *r, address);
  if (op == WRITE) {
    c.writer = now;
    return;
  }
  if (op != READ) c.op = op;
  Access& last = op == READ ? c.reader : c.atomic;
  if (last.block >= 0 && last.block != block_number) (op == READ ? c.foreign_reader : c.foreign_atomic) = last;
  if (last.thread != now.thread) (op == READ ? c.other_reader : c.other_atomic) = last;
  last = now;
}

// Tensor cores and bulk copies see what threads have written only behind a fence of these threads.
void require_fence(uintptr_t address) {
  const Access& w = cell_at(address).writer;
  if (w.block == block_number && !w.by_bulk_copy && fences[w.thread] <= w.fences)
    fail("tensor cores or bulk copies use shared memory that " + name(w.thread) + " has written without a fence");
}

template <typename F>
void for_cells(uintptr_t address, size_t size, F f) {
  const size_t step = size < 4 ? size : 4;
  try {
    for (size_t i = 0; i < size; i += step) f(address + i);
  } catch (const std::bad_alloc&) {
    fail("no memory to watch accesses with");
  }
}

void access(uintptr_t address, size_t size, int op) {
  if (current == nullptr || failed != 0) return;
  if (address >= (uintptr_t)stacks && address < (uintptr_t)stacks + stacks_size) return;
  if (address >= (uintptr_t)&builtins && address < (uintptr_t)(&builtins + 1)) return;
  if (address >= (uintptr_t)&dynamic_shared && address < (uintptr_t)(&dynamic_shared + 1)) return;
  auto next = allocations.upper_bound(address);
  if (next != allocations.end() && address >= next->first - GUARD) fail("an access before the start of an array");
  if (next != allocations.begin()) {
    const auto& [start, bytes] = *std::prev(next);
    if (address + size > start + bytes && address < start + bytes + GUARD) fail("an access beyond the end of an array");
  }
  for_cells(address, size, [&](uintptr_t a) { touch(a, op); });
}

void note(const void* p, size_t size, int op) {
  if (watching) access((uintptr_t)p, size, op);
}

// A bulk copy begins to write: all threads have left these cells. It is the phase of a barrier that tells when it has ended.
void note_bulk_copy(const void* p, size_t size, int barrier, uint64_t phase) {
  if (!watching || failed != 0) return;
  for_cells((uintptr_t)p, size, [&](uintptr_t a) {
    require_fence(a);
    touch(a, WRITE);
    Access& w = cells[a].writer;
    w.by_bulk_copy = true, w.thread = barrier, w.warp_epoch = phase;
  });
}

}  // namespace

// Tensor cores read an operand for the current thread.
void note_operand(const void* p, size_t size) {
  if (current == nullptr || failed != 0) return;
  if (!is_shared((uintptr_t)p) || !is_shared((uintptr_t)p + size - 1)) return fail("an operand outside of shared memory");
  for_cells((uintptr_t)p, size, [&](uintptr_t a) {
    require_fence(a);
    touch(a, READ);
  });
}

void fence_async() { fences[current->number]++; }

}  // namespace standin
