// Asynchronous copies, barriers in shared memory, and the registers of a block, as the PTX manual describes them. A part of standin.cpp.
#pragma once

namespace standin {
namespace {

constexpr int64_t MOST_BYTES = (1 << 20) - 1;  // that a barrier counts
constexpr int REGISTERS = 65536;               // of a multiprocessor

// A barrier in shared memory: threads arrive, and bytes of copies.
struct PhaseBarrier {
  int number = 0, creator = -1;
  uint64_t created = 0, phases = 0;  // when it was prepared; how many phases are over
  unsigned count = 0, pending = 0;
  int64_t bytes = 0, under_way = 0;  // expected and not yet copied; of copies that have begun
  bool fenced = false;
  Knowledge arriving, completed;
};

struct BoxCopy {
  unsigned char* to;
  CUtensorMap map;
  uint64_t* barrier;
  std::vector<int> at;
  int64_t bytes() const { return (int64_t)map.box[0] * map.box[1] * map.bytes; }
};

std::unordered_map<uint64_t*, PhaseBarrier> phase_barriers;
std::vector<BoxCopy> boxes;  // under way
uint64_t drawn = 1;          // random numbers, for when copies end
int registers[MOST_THREADS], free_registers = 0;

bool one_in_four() {
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return drawn >> 62 == 0;
}

bool in_shared(const void* p, size_t size) { return is_shared((uintptr_t)p) && is_shared((uintptr_t)p + size - 1); }

void finish(const AsyncCopy& c) {
  memcpy(c.to, c.from, c.bytes);
  memset(c.to + c.bytes, 0, 16 - c.bytes);
}

void settle(PhaseBarrier& b) {
  if (b.pending != 0 || b.bytes != 0) return;
  if (b.under_way != 0) fail("a phase of a barrier ended before the copies that complete it");
  b.phases++;
  b.pending = b.count;
  b.completed = b.arriving;
  learn(b.completed, WARPS + b.number, b.phases);
}

// Copy a box of an array to shared memory, with zeros outside of the array, swizzled.
void finish(const BoxCopy& c) {
  const CUtensorMap& m = c.map;
  const int cols = (int)m.box[0], rows = (int)m.box[1], row_bytes = cols * m.bytes;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      bool inside = true;
      const unsigned char* from = m.array;
      for (int n = 0; n < m.rank; n++) {
        const int64_t x = c.at[n] + (int64_t)(n == 0 ? j : n == 1 ? i : 0);
        inside = inside && x >= 0 && x < (int64_t)m.dims[n];
        from += x * (int64_t)(n == 0 ? m.bytes : m.strides[n - 1]);
      }
      unsigned char* const to = (unsigned char*)swizzled(c.to + i * row_bytes + j * m.bytes, row_bytes);
      if (inside)
        memcpy(to, from, m.bytes);
      else
        memset(to, 0, m.bytes);
    }
  PhaseBarrier& b = phase_barriers[c.barrier];
  b.bytes -= c.bytes();
  b.under_way -= c.bytes();
  settle(b);
}

// Let a copy end, if one is under way.
bool finish_a_box() {
  if (boxes.empty()) return false;
  one_in_four();
  const size_t n = (drawn >> 33) % boxes.size();
  const BoxCopy c = boxes[n];
  boxes.erase(boxes.begin() + n);
  finish(c);
  return true;
}

// A barrier that the current thread uses; null, and a failure, if it cannot.
PhaseBarrier* barrier_at(uint64_t* p) {
  const auto found = phase_barriers.find(p);
  if (found == phase_barriers.end()) return fail("a barrier in shared memory was not prepared"), nullptr;
  PhaseBarrier& b = found->second;
  if (b.creator != current->number && b.created == epoch)
    return fail("a barrier in shared memory is used before a barrier of the block makes it known"), nullptr;
  return &b;
}

void begin_block_of_copies(int threads) {
  phase_barriers.clear();
  boxes.clear();
  free_registers = 0;
  const int each = REGISTERS / threads / 8 * 8;
  for (int i = 0; i < threads; i++) registers[i] = each < 256 ? each : 256;
}

// Whether fibers that wait for a phase of a barrier, for registers, or at a barrier for some of the threads, can continue.
bool release_some(int count) {
  bool progress = false;
  std::map<int, std::vector<int>> arrived;
  for (int i = 0; i < count; i++) {
    Fiber& f = *fibers[i];
    const bool over = f.state == State::PHASE && (phase_barriers[f.barrier].phases & 1) != f.phase;
    if (over || (f.state == State::REGISTERS && free_registers >= f.wanted)) f.state = State::READY, progress = true;
    if (f.state == State::NAMED) arrived[f.line].push_back(i);
  }
  for (const auto& [threads, waiting] : arrived) {
    if ((int)waiting.size() != threads) continue;
    for (int i : waiting) fibers[i]->state = State::READY;
    meet(waiting);
    progress = true;
  }
  return progress || finish_a_box();
}

}  // namespace

void copy_async(void* to, const void* from, int bytes) {
  if ((uintptr_t)to % 16 != 0 || (bytes != 0 && (uintptr_t)from % 16 != 0)) return fail("an asynchronous copy that is not aligned");
  if (!in_shared(to, 16) || bytes < 0 || bytes > 16) return fail("an asynchronous copy of other memory");
  note(from, bytes, READ);
  note(to, 16, WRITE);
  memset(to, 0xff, 16);  // nobody can know what it is until the copy is over
  current->open.push_back({(unsigned char*)to, (const unsigned char*)from, bytes});
}

void commit_copies() {
  if (one_in_four())  // sometimes they end at once
    for (const AsyncCopy& c : std::exchange(current->open, {})) finish(c);
  current->batches.push_back(std::exchange(current->open, {}));
}

void await_copies(int left) {
  auto& batches = current->batches;
  const size_t ended = batches.size() > (size_t)left ? batches.size() - left : 0;
  for (size_t n = 0; n < ended; n++)
    for (const AsyncCopy& c : batches[n]) {
      finish(c);
      note(c.to, 16, WRITE);
    }
  batches.erase(batches.begin(), batches.begin() + ended);
}

void start_barrier(uint64_t* barrier, unsigned arrivals) {
  if ((uintptr_t)barrier % 8 != 0 || !in_shared(barrier, 8)) return fail("a barrier that is not aligned, or not in shared memory");
  PhaseBarrier b;
  b.number = (int)phase_barriers.size();
  b.creator = current->number;
  b.created = epoch;
  b.count = b.pending = arrivals;
  phase_barriers[barrier] = b;
}

void barriers_started() {
  for (auto& [p, b] : phase_barriers) b.fenced = b.fenced || b.creator == current->number;
}

void arrive(uint64_t* barrier, int count, int64_t bytes) {
  PhaseBarrier* const b = barrier_at(barrier);
  if (b == nullptr) return;
  if ((int)b->pending < count) return fail("more arrivals at a barrier than it was prepared for");
  b->pending -= count;
  b->bytes += bytes;
  if (b->bytes > MOST_BYTES) return fail("a barrier expects more bytes than it can count");
  if (watching && count != 0) learn(b->arriving, passed_on(current->number));
  if (count != 0) settle(*b);
}

void await_phase(uint64_t* barrier, unsigned parity, int line) {
  current->barrier = barrier;
  current->phase = parity;
  current->line = line;
  while (barrier_at(barrier) != nullptr && (phase_barriers[barrier].phases & 1) == parity) {
    current->state = State::PHASE;
    yield();
  }
  if (watching && failed == 0) learn(known(current->number), phase_barriers[barrier].completed);
}

void copy_box(void* to, const CUtensorMap& map, uint64_t* barrier, const int* at, int rank) {
  const BoxCopy c = {(unsigned char*)to, map, barrier, std::vector<int>(at, at + rank)};
  PhaseBarrier* const b = barrier_at(barrier);
  if (b == nullptr) return;
  if (!b->fenced) return fail("a bulk copy completes a barrier that no fence has made known to it");
  if (rank != map.rank) return fail("a copy of a tile with a description of another rank");
  if ((uintptr_t)to % (map.box[0] * map.bytes * 8) != 0) return fail("a tile that is not aligned to its swizzle");
  if (!in_shared(to, c.bytes())) return fail("a bulk copy to other memory");
  b->under_way += c.bytes();
  if (b->under_way > b->bytes) return fail("a bulk copy of more bytes than its barrier expects");
  note_bulk_copy(to, c.bytes(), b->number, b->phases + 1);
  memset(to, 0xff, c.bytes());  // nobody can know what it is until the copy is over
  boxes.push_back(c);
  if (one_in_four()) finish_a_box();
}

void named_barrier(int threads, int line) {
  if (threads % 32 != 0) return fail("a barrier for a part of a warp");
  current->line = line;
  current->state = State::NAMED;
  yield();
}

void change_registers(int count) {
  if (count < 24 || count > 256 || count % 8 != 0) return fail("not a number of registers that a thread can have");
  int& own = registers[current->number];
  current->wanted = count - own;
  while (free_registers < count - own && failed == 0) {
    current->state = State::REGISTERS;
    yield();
  }
  free_registers -= count - own;
  own = count;
}

void products(int step) {
  if ((step != BEGIN) != current->products) return fail("wgmma outside of wgmma_begin and wgmma_end, or twice inside");
  current->products = step != END;
}

void require_operand(const unsigned char* start, int lead, int stride, int row_bytes) {
  const uintptr_t repeat = 8 * (uintptr_t)row_bytes, p = (uintptr_t)start;
  if (p % 16 != 0 || lead % 16 != 0 || stride % 16 != 0 || lead >= 1 << 18 || stride >= 1 << 18 || !in_shared(start, 16))
    return fail("an operand that no descriptor can describe");
  if (p % repeat >= (uintptr_t)row_bytes) return fail("an operand that does not begin where the swizzle repeats");
}

void require_row(const void* row) {
  if ((uintptr_t)row % 16 != 0 || !in_shared(row, 16)) return fail("a row of a matrix that is not aligned, or not in shared memory");
  note(row, 16, READ);
}

int capability() {
  const char* const text = getenv("OPTIGPU_STANDIN_CAPABILITY");
  return text == nullptr ? 9 : atoi(text);
}

CUresult encode_tiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* array, const cuuint64_t* dims,
    const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  *map = {};
  map->array = (const unsigned char*)array;
  map->rank = (int)rank;
  map->bytes = type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 || type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 ? 4 : 2;
  map->swizzle = swizzle;
  bool fits = rank >= 1 && rank <= 5 && (uintptr_t)array % 16 == 0 && (uintptr_t)map % 64 == 0;
  for (cuuint32_t n = 0; n < rank && rank <= 5; n++) {
    map->dims[n] = dims[n];
    map->box[n] = box[n];
    fits = fits && dims[n] > 0 && dims[n] <= (1ull << 32) && box[n] > 0 && box[n] <= 256 && steps[n] == 1;
    if (n + 1 < rank) {
      map->strides[n] = strides[n];
      fits = fits && strides[n] % 16 == 0 && strides[n] < (1ull << 40);
    }
  }
  const int widths[] = {0, 32, 64, 128};
  return fits && (int)box[0] * map->bytes == widths[swizzle] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace standin
