// Runs kernels on the CPU as a GPU would have to: see runtime.h. Built once, without
// instrumentation; the kernels are libraries of their own that call into this one.
//
//   memory    every device buffer lies in pages of its own with guards around it. Beside it: for
//             each byte whether it was ever written, and who accessed it last (a race is two
//             threads on one byte, at least one of them writing, and no barrier between them)
//   threads   fibers. A thread runs until it ends or meets a barrier or a warp operation; who runs
//             next is up to the schedule (0 forwards, 1 backwards, more: drawn from that seed)
//   order     __syncthreads orders all threads of a block, __syncwarp those of its mask. Votes and
//             shuffles carry values but order no memory accesses, as the CUDA guide has it. Blocks
//             of one launch are not ordered at all; atomic operations do not race each other
#include <link.h>

#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "fibers.h"
#include "memory.h"
#include "runtime.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using namespace emulator;
using std::size_t;
using std::uintptr_t;

constexpr size_t most_dynamic_shared = 227 * 1024;
// what Launch::checks asks for; bounds always come with it
constexpr unsigned unwritten_check = 2, race_check = 4;

using Call = void (*)(void**);

}  // namespace

// As the Python side lays it out (ctypes).
struct Launch {
  Call call;
  void* (*touch_shared)();
  void** arguments;
  unsigned grid[3], block[3];
  unsigned dynamic_shared, shared_limit;
  unsigned schedule, poison, checks;
  // launches are numbered from 1; those of other streams that may run at the same time
  unsigned number, unordered_count;
  const unsigned* unordered;
  double limit_seconds;
  char* error;
  size_t error_size;
};

namespace {

class Machine {
 public:
  Launch* launch = nullptr;
  Fiber* current = nullptr;
  emulator::Index block{};
  unsigned block_number = 0, barriers = 0;
  bool failed = false;

  int run(Launch& request);
  unsigned long long meet(emulator::Operation operation, unsigned mask, unsigned long long value,
                          unsigned source, const char* file, int line);
  void check(void* address, size_t size, bool writes, bool atomic, const void* code);
  void* dynamic_shared() { return dynamic_memory_.base; }
  [[noreturn]] void fail_here(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void begin() {
    for (;;) {
      launch->call(launch->arguments);
      current->status = Status::done;
      leave();
    }
  }

 private:
  void say(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void say_list(const char* format, va_list list);
  void prepare_shared();
  void run_block();
  void resume(Fiber& fiber);
  void leave();
  void start(Fiber& fiber);
  void arrange(std::vector<Fiber*>& fibers);
  bool resolve_warp(Fiber& last);
  bool resolve_barrier();
  void report_deadlock();
  bool is_ordered(const Access& earlier, const Memory& memory) const;
  void judge(const Cell& cell, const Access& now, bool writes, const Memory& memory, size_t offset);
  void report_race(const Access& earlier, const char* did, const Access& now, bool writes,
                   const Memory& memory, size_t offset);
  unsigned place(const void* code) const { return unsigned(uintptr_t(code) - library_base_); }

  unsigned threads_ = 0;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> now_, next_;
  jmp_buf scheduler_;
  std::mt19937 random_;
  Memory static_memory_, dynamic_memory_;
  Byte* dynamic_pages_ = nullptr;
  uintptr_t library_base_ = 0, library_end_ = 0;
  unsigned long checks_ = 0;
  std::chrono::steady_clock::time_point started_;
};

Machine& machine() {
  static thread_local Machine* instance = nullptr;
  // never destroyed: a thread's fibers may be referred to until the process ends
  if (instance == nullptr) instance = new Machine;
  return *instance;
}

void trampoline() { machine().begin(); }

void Machine::say_list(const char* format, va_list list) {
  if (!failed) std::vsnprintf(launch->error, launch->error_size, format, list);
  failed = true;
}

void Machine::say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  say_list(format, list);
  va_end(list);
}

void Machine::fail_here(const char* format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const emulator::Index& thread = current->index;
  say("thread (%u, %u, %u) of block (%u, %u, %u): %s", thread.x, thread.y, thread.z, block.x,
      block.y, block.z, text);
  // the fiber is given up where it stands and begun anew next time
  _longjmp(scheduler_, 1);
}

void Machine::leave() {
  if (_setjmp(current->context) == 0) _longjmp(scheduler_, 1);
}

void Machine::resume(Fiber& fiber) {
  current = &fiber;
  if (_setjmp(scheduler_) == 0) {
    if (fiber.started) _longjmp(fiber.context, 1);
    fiber.started = true;
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = fiber.stack + page_bytes;
    fiber.start.uc_stack.ss_size = stack_bytes;
    fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, trampoline, 0);
    setcontext(&fiber.start);
  }
}

void Machine::start(Fiber& fiber) {
  if (fiber.stack == nullptr) {
    void* memory = mmap(nullptr, page_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    fiber.stack = static_cast<Byte*>(memory);
    mprotect(fiber.stack, page_bytes, PROT_NONE);
  }
  fiber.status = Status::ready;
  std::fill(fiber.clocks, fiber.clocks + warp_lanes, 0);
  fiber.clocks[fiber.lane()] = 1;
}

void Machine::arrange(std::vector<Fiber*>& fibers) {
  const auto earlier = [](const Fiber* a, const Fiber* b) { return a->number < b->number; };
  std::sort(fibers.begin(), fibers.end(), earlier);
  if (launch->schedule == 1) std::reverse(fibers.begin(), fibers.end());
  if (launch->schedule > 1) std::shuffle(fibers.begin(), fibers.end(), random_);
}

void Machine::prepare_shared() {
  const auto poison = [&](Memory& memory, size_t size) {
    std::memset(memory.base, int(launch->poison), size);
    std::memset(memory.written.get(), 0, size);
  };
  if (static_memory_.size > 0) poison(static_memory_, static_memory_.size);
  if (dynamic_memory_.size > 0) poison(dynamic_memory_, dynamic_memory_.size);
}

void Machine::run_block() {
  barriers = 0;
  prepare_shared();
  now_.clear();
  next_.clear();
  for (unsigned number = 0; number < threads_; ++number) {
    start(*fibers_[number]);
    now_.push_back(fibers_[number].get());
  }
  for (;;) {
    arrange(now_);
    for (size_t turn = 0; turn < now_.size(); ++turn) {
      resume(*now_[turn]);
      if (failed) return;
    }
    now_.swap(next_);
    next_.clear();
    if (!now_.empty()) continue;
    const auto all_done = std::all_of(fibers_.begin(), fibers_.begin() + threads_,
                                      [](auto& fiber) { return fiber->status == Status::done; });
    if (all_done) return;
    if (!resolve_barrier()) return report_deadlock();
  }
}

bool Machine::resolve_barrier() {
  const Fiber& first = *fibers_[0];
  unsigned long long count = 0;
  for (unsigned number = 0; number < threads_; ++number) {
    const Fiber& fiber = *fibers_[number];
    if (fiber.status != Status::meeting || !is_block_wide(fiber.operation) ||
        fiber.operation != first.operation || fiber.line != first.line ||
        std::strcmp(fiber.file, first.file) != 0)
      return false;
    count += fiber.value;
  }
  ++barriers;
  for (unsigned number = 0; number < threads_; ++number) {
    Fiber& fiber = *fibers_[number];
    fiber.answer = first.operation == emulator::barrier_and  ? count == threads_
                   : first.operation == emulator::barrier_or ? count > 0
                                                             : count;
    start(fiber);
    now_.push_back(&fiber);
  }
  return true;
}

bool Machine::resolve_warp(Fiber& last) {
  const unsigned first = last.number - last.lane();
  const auto each = [&](auto visit) {
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
      if (last.mask >> lane & 1u) visit(*fibers_[first + lane]);
  };
  bool complete = true;
  each([&](Fiber& fiber) {
    complete = complete && fiber.status == Status::meeting && fiber.operation == last.operation &&
               fiber.mask == last.mask && fiber.line == last.line &&
               std::strcmp(fiber.file, last.file) == 0;
  });
  if (!complete) return false;
  unsigned votes = 0;
  unsigned long long reduced = last.value;
  unsigned short joined[warp_lanes] = {};
  each([&](Fiber& fiber) {
    votes |= unsigned(fiber.value != 0) << fiber.lane();
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
      joined[lane] = std::max(joined[lane], fiber.clocks[lane]);
    if (&fiber == &last) return;
    switch (last.operation) {
      case emulator::reduce_add: reduced += fiber.value; break;
      case emulator::reduce_min: reduced = std::min(reduced, fiber.value); break;
      case emulator::reduce_max: reduced = std::max(reduced, fiber.value); break;
      case emulator::reduce_and: reduced &= fiber.value; break;
      case emulator::reduce_or: reduced |= fiber.value; break;
      case emulator::reduce_xor: reduced ^= fiber.value; break;
      default: break;
    }
  });
  each([&](Fiber& fiber) {
    switch (last.operation) {
      case emulator::ballot: fiber.answer = votes; break;
      case emulator::any: fiber.answer = votes != 0; break;
      case emulator::all: fiber.answer = votes == last.mask; break;
      case emulator::shuffle: fiber.answer = fibers_[first + fiber.source]->value; break;
      case emulator::match:
        fiber.answer = 0;
        each([&](Fiber& other) {
          fiber.answer |= (unsigned long long)(other.value == fiber.value) << other.lane();
        });
        break;
      default: fiber.answer = reduced; break;
    }
  });
  each([&](Fiber& fiber) {
    if (last.operation == emulator::warp_barrier) {
      std::copy(joined, joined + warp_lanes, fiber.clocks);
      ++fiber.clocks[fiber.lane()];
    }
    fiber.status = Status::ready;
    if (&fiber != &last) next_.push_back(&fiber);
  });
  return true;
}

unsigned long long Machine::meet(emulator::Operation operation, unsigned mask,
                                 unsigned long long value, unsigned source, const char* file,
                                 int line) {
  Fiber& me = *current;
  me.operation = operation;
  me.mask = mask;
  me.value = value;
  me.source = source;
  me.file = file;
  me.line = line;
  me.status = Status::meeting;
  if (is_block_wide(operation)) {
    leave();
    return me.answer;
  }
  const char* name = name_of(operation);
  if ((mask >> me.lane() & 1u) == 0)
    fail_here("%s at %s:%d with mask 0x%08x, which does not name its own lane %u", name, file, line,
              mask, me.lane());
  const unsigned lanes = std::min(warp_lanes, threads_ - (me.number - me.lane()));
  if (lanes < warp_lanes && mask >> lanes != 0)
    fail_here("%s at %s:%d with mask 0x%08x, but the warp has %u lanes", name, file, line, mask,
              lanes);
  if (operation == emulator::shuffle && (mask >> source & 1u) == 0)
    fail_here("%s at %s:%d reads lane %u, which its mask 0x%08x leaves out", name, file, line,
              source, mask);
  if (!resolve_warp(me)) leave();
  return me.answer;
}

void Machine::report_deadlock() {
  // threads in runs of the same state
  char text[2048] = "";
  size_t used = 0;
  const auto same = [](const Fiber& a, const Fiber& b) {
    return a.status == b.status &&
           (a.status == Status::done || (a.operation == b.operation && a.mask == b.mask &&
                                         a.line == b.line && std::strcmp(a.file, b.file) == 0));
  };
  for (unsigned from = 0; from < threads_ && used < sizeof text - 300;) {
    const Fiber& fiber = *fibers_[from];
    unsigned to = from + 1;
    while (to < threads_ && same(fiber, *fibers_[to])) ++to;
    used += size_t(std::snprintf(text + used, sizeof text - used, "%sthreads %u-%u ",
                                 from > 0 ? "; " : "", from, to - 1));
    if (fiber.status == Status::done)
      used += size_t(std::snprintf(text + used, sizeof text - used, "have left"));
    else if (is_block_wide(fiber.operation))
      used += size_t(std::snprintf(text + used, sizeof text - used, "wait in %s at %.80s:%d",
                                   name_of(fiber.operation), fiber.file, fiber.line));
    else
      used += size_t(std::snprintf(text + used, sizeof text - used,
                                   "wait in %s at %.80s:%d, mask 0x%08x", name_of(fiber.operation),
                                   fiber.file, fiber.line, fiber.mask));
    from = to;
  }
  say("block (%u, %u, %u) is stuck: %s", block.x, block.y, block.z, text);
}

// ---- accesses -----------------------------------------------------------------------------------

bool Machine::is_ordered(const Access& earlier, const Memory& memory) const {
  if (earlier.launch != launch->number) {
    const unsigned* end = launch->unordered + launch->unordered_count;
    return std::find(launch->unordered, end, earlier.launch) == end;
  }
  // every block has shared memory of its own
  if (earlier.block != block_number) return memory.number == 0;
  if (earlier.barrier != barriers || earlier.thread == current->number) return true;
  const unsigned lane = earlier.thread % warp_lanes;
  return earlier.thread / warp_lanes == current->number / warp_lanes &&
         earlier.clock <= current->clocks[lane];
}

void Machine::report_race(const Access& earlier, const char* did, const Access& now, bool writes,
                          const Memory& memory, size_t offset) {
  const char* does = now.atomic ? "changes atomically" : writes ? "writes" : "reads";
  if (earlier.launch != launch->number)
    fail_here("race: it %s byte %zu of %s at {%x}, which a launch in another stream %s, and "
              "neither stream waits for the other", does, offset, memory.name(),
              now.place, earlier.atomic ? "changed atomically" : did);
  if (earlier.block == block_number)
    fail_here("race: it %s byte %zu of %s at {%x}, which thread %u %s at {%x} with no barrier "
              "between them", does, offset, memory.name(), now.place, earlier.thread,
              earlier.atomic ? "changed atomically" : did, earlier.place);
  fail_here("race: it %s byte %zu of %s at {%x}, which another block %s at {%x} in the same "
            "launch", does, offset, memory.name(), now.place,
            earlier.atomic ? "changed atomically" : did, earlier.place);
}

void Machine::judge(const Cell& cell, const Access& now, bool writes, const Memory& memory,
                    size_t offset) {
  if (!is_ordered(cell.write, memory) && !(now.atomic && cell.write.atomic))
    report_race(cell.write, "wrote", now, writes, memory, offset);
  if (!writes) return;
  for (const Access& read : cell.reads)
    if (!is_ordered(read, memory)) report_race(read, "read", now, writes, memory, offset);
}

void Machine::check(void* address, size_t size, bool writes, bool atomic, const void* code) {
  if (launch == nullptr || failed || launch->checks == 0) return;
  if ((++checks_ & 0xfffff) == 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    if (spent.count() > launch->limit_seconds)
      fail_here("still running after %.0f s at {%x}", spent.count(), place(code));
  }
  Byte* const byte = static_cast<Byte*>(address);
  const char* const verb = writes ? "writes" : "reads";
  Memory* memory = nullptr;
  if (arena.contains(address)) {
    memory = arena.owner(address);
    if (memory == nullptr)
      fail_here("%s %zu bytes at {%x} in a buffer that was freed, or in none", verb, size, place(code));
  } else if (byte + size > static_memory_.base && byte < static_memory_.base + static_memory_.size) {
    memory = &static_memory_;
  } else if (byte + size > dynamic_pages_ &&
             byte < dynamic_pages_ + most_dynamic_shared + 2 * guard_bytes) {
    memory = &dynamic_memory_;
  } else {
    // local variables whose address is taken
    if (byte >= current->stack && byte < current->stack + page_bytes + stack_bytes) return;
    // constant tables
    if (!writes && uintptr_t(byte) >= library_base_ && uintptr_t(byte) < library_end_) return;
    fail_here("%s %zu bytes at {%x} that are neither device memory, shared memory nor its own",
              verb, size, place(code));
  }
  if (byte < memory->base || byte + size > memory->base + memory->size)
    fail_here("%s %zu bytes at {%x} at %+td of %s, which has %zu", verb, size, place(code),
              byte - memory->base, memory->name(), memory->size);
  if (size <= 16 && (size & (size - 1)) == 0 && uintptr_t(byte) % size != 0)
    fail_here("%s %zu bytes at {%x} at an address that is no multiple of %zu", verb, size,
              place(code), size);
  const size_t offset = size_t(byte - memory->base);
  Access now{};
  now.launch = launch->number;
  now.block = block_number;
  now.barrier = barriers;
  now.place = place(code);
  now.thread = static_cast<unsigned short>(current->number);
  now.clock = current->clocks[current->lane()] & 0x7fff;
  now.atomic = atomic;
  if ((launch->checks & unwritten_check) != 0 && (!writes || atomic))
    if (const void* found = std::memchr(memory->written.get() + offset, 0, size))
      fail_here("%s byte %td of %s at {%x}, which nothing has written", verb,
                static_cast<const Byte*>(found) - memory->written.get(), memory->name(), now.place);
  if (writes) std::memset(memory->written.get() + offset, 1, size);
  if ((launch->checks & race_check) == 0) return;
  const auto splits = [&] { return ((offset | size) & ((size_t(1) << memory->granule_shift) - 1)) != 0; };
  if (splits()) memory->refine(((offset | size) & 1) != 0 ? 0 : 1);
  const unsigned shift = memory->granule_shift;
  for (size_t place_in = offset >> shift; place_in << shift < offset + size; ++place_in) {
    Cell& cell = memory->cells[place_in];
    judge(cell, now, writes, *memory, place_in << shift);
    if (writes) {
      cell.write = now;
    } else if (is_ordered(cell.reads[0], *memory)) {
      cell.reads[0] = now;
    } else if (is_ordered(cell.reads[1], *memory)) {
      cell.reads[1] = now;
    }
  }
}

// ---- launches -----------------------------------------------------------------------------------

struct Library {
  uintptr_t code = 0, base = 0, end = 0;
  Byte* shared = nullptr;
  size_t shared_size = 0;
};

int find_library(dl_phdr_info* info, size_t, void* wanted) {
  Library& library = *static_cast<Library*>(wanted);
  uintptr_t end = 0;
  bool found = false;
  for (int part = 0; part < info->dlpi_phnum; ++part) {
    const auto& header = info->dlpi_phdr[part];
    if (header.p_type != PT_LOAD) continue;
    const uintptr_t start = info->dlpi_addr + header.p_vaddr;
    end = std::max<uintptr_t>(end, start + header.p_memsz);
    found = found || (library.code >= start && library.code < start + header.p_memsz);
  }
  if (!found) return 0;
  library.base = info->dlpi_addr;
  library.end = end;
  for (int part = 0; part < info->dlpi_phnum; ++part)
    if (info->dlpi_phdr[part].p_type == PT_TLS) {
      library.shared = static_cast<Byte*>(info->dlpi_tls_data);
      library.shared_size = info->dlpi_phdr[part].p_memsz;
    }
  return 1;
}

int Machine::run(Launch& request) {
  launch = &request;
  failed = false;
  request.error[0] = 0;
  const auto* grid = request.grid;
  const auto* size = request.block;
  const unsigned long long threads = (unsigned long long)(size[0]) * size[1] * size[2];
  const unsigned long long blocks = (unsigned long long)(grid[0]) * grid[1] * grid[2];
  if (threads == 0 || threads > most_threads || size[2] > 64)
    say("a block of (%u, %u, %u) threads cannot be launched", size[0], size[1], size[2]);
  if (blocks == 0 || grid[0] > 0x7fffffffu || grid[1] > 65535 || grid[2] > 65535)
    say("a grid of (%u, %u, %u) blocks cannot be launched", grid[0], grid[1], grid[2]);
  Library library;
  // a thread's copy of the shared variables comes into being when it is first touched
  request.touch_shared();
  library.code = uintptr_t(request.call);
  dl_iterate_phdr(find_library, &library);
  library_base_ = library.base;
  library_end_ = library.end;
  if (library.shared_size + request.dynamic_shared > request.shared_limit ||
      request.dynamic_shared > most_dynamic_shared)
    say("a block has %u bytes of shared memory, the kernel asks for %zu and %u", request.shared_limit,
        library.shared_size, request.dynamic_shared);
  if (!failed) {
    if (static_memory_.base != library.shared || static_memory_.size != library.shared_size)
      static_memory_.track("static shared memory", library.shared, library.shared_size);
    if (dynamic_pages_ == nullptr)
      dynamic_pages_ = static_cast<Byte*>(std::aligned_alloc(256, most_dynamic_shared + 2 * guard_bytes));
    if (dynamic_memory_.base == nullptr || dynamic_memory_.size != request.dynamic_shared)
      dynamic_memory_.track("dynamic shared memory", dynamic_pages_ + guard_bytes, request.dynamic_shared);
    std::memset(dynamic_pages_, guard_pattern, guard_bytes);
    std::memset(dynamic_memory_.base + dynamic_memory_.size, guard_pattern, guard_bytes);
    threads_ = unsigned(threads);
    for (unsigned number = 0; number < threads_; ++number) {
      if (number >= fibers_.size()) fibers_.push_back(std::make_unique<Fiber>());
      Fiber& fiber = *fibers_[number];
      fiber.number = number;
      fiber.index = {number % size[0], number / size[0] % size[1], number / size[0] / size[1]};
    }
    random_.seed(request.schedule);
    started_ = std::chrono::steady_clock::now();
    std::vector<unsigned long long> order(blocks);
    for (unsigned long long number = 0; number < blocks; ++number) order[number] = number;
    if (request.schedule == 1) std::reverse(order.begin(), order.end());
    if (request.schedule > 1) std::shuffle(order.begin(), order.end(), random_);
    for (const unsigned long long number : order) {
      block_number = unsigned(number);
      block = {unsigned(number % grid[0]), unsigned(number / grid[0] % grid[1]),
               unsigned(number / grid[0] / grid[1])};
      run_block();
      if (failed) break;
      const Byte *before = dynamic_pages_, *behind = dynamic_memory_.base + dynamic_memory_.size;
      const auto untouched = [](Byte byte) { return byte == guard_pattern; };
      if (!std::all_of(before, before + guard_bytes, untouched) ||
          !std::all_of(behind, behind + guard_bytes, untouched))
        say("block (%u, %u, %u) wrote beyond its dynamic shared memory", block.x, block.y, block.z);
      if (failed) break;
    }
  }
  if (const Memory* memory = failed ? nullptr : arena.overrun())
    say("a write beyond device buffer %ld, which has %zu bytes", memory->number, memory->size);
  if (failed)
    for (auto& fiber : fibers_) fiber->started = fiber->started && fiber->status == Status::done;
  launch = nullptr;
  return failed ? 1 : 0;
}

}  // namespace

// ---- what kernels call --------------------------------------------------------------------------

namespace emulator {

Index thread_index() { return machine().current->index; }
Index block_index() { return machine().block; }
Index block_size() {
  const unsigned* size = machine().launch->block;
  return {size[0], size[1], size[2]};
}
Index grid_size() {
  const unsigned* size = machine().launch->grid;
  return {size[0], size[1], size[2]};
}
unsigned lane_number() { return machine().current->lane(); }
void* dynamic_shared() { return machine().dynamic_shared(); }

unsigned long long meet(Operation operation, unsigned mask, unsigned long long value,
                        unsigned source, const char* file, int line) {
  return machine().meet(operation, mask, value, source, file, line);
}

void atomic_access(void* address, unsigned size, const void* code) {
  machine().check(address, size, true, true, code);
}

void fail(const char* what, const char* file, int line) {
  machine().fail_here("%s at %s:%d", what, file, line);
}

}  // namespace emulator

// ---- what the compiler's instrumentation calls --------------------------------------------------

#define ACCESS(name, size, writes) \
  EXPORTED void name(void* address) { \
    machine().check(address, size, writes, false, __builtin_return_address(0)); \
  }
#define ACCESSES(size)                              \
  ACCESS(__tsan_read##size, size, false)            \
  ACCESS(__tsan_write##size, size, true)            \
  ACCESS(__tsan_volatile_read##size, size, false)   \
  ACCESS(__tsan_volatile_write##size, size, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
#define UNALIGNED(size)                             \
  ACCESS(__tsan_unaligned_read##size, size, false)  \
  ACCESS(__tsan_unaligned_write##size, size, true)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)
EXPORTED void __tsan_read_range(void* address, size_t size) {
  machine().check(address, size, false, false, __builtin_return_address(0));
}
EXPORTED void __tsan_write_range(void* address, size_t size) {
  machine().check(address, size, true, false, __builtin_return_address(0));
}
EXPORTED void __tsan_init() {}
EXPORTED void __tsan_func_entry(void*) {}
EXPORTED void __tsan_func_exit() {}

// ---- what the Python side calls -----------------------------------------------------------------

EXPORTED int emulator_launch(Launch* request) { return machine().run(*request); }

EXPORTED void* emulator_allocate(size_t size, int poison) {
  return arena.allocate(size, Byte(poison));
}
EXPORTED void* emulator_address(void* memory) { return static_cast<Memory*>(memory)->base; }
EXPORTED long emulator_number(void* memory) { return static_cast<Memory*>(memory)->number; }
EXPORTED void emulator_release(void* memory) { arena.release(static_cast<Memory*>(memory)); }
EXPORTED void emulator_mark_written(void* memory, size_t start, size_t size) {
  std::memset(static_cast<Memory*>(memory)->written.get() + start, 1, size);
}
// First byte of a part that nothing has written, or its length.
EXPORTED size_t emulator_first_unwritten(void* memory, size_t start, size_t size) {
  const Byte* written = static_cast<Memory*>(memory)->written.get() + start;
  const void* found = std::memchr(written, 0, size);
  return found == nullptr ? size : size_t(static_cast<const Byte*>(found) - written);
}
