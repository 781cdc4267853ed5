// What the emulated kernels and the runtime library tell each other. The runtime runs the threads
// of a block as fibers of one system thread, resolves barriers and warp operations, and judges
// every memory access that the compiler's instrumentation (-fsanitize=thread) reports.
#pragma once

namespace emulator __attribute__((visibility("default"))) {

struct Index {
  unsigned x, y, z;
};

enum Operation : int {
  barrier,
  barrier_count,
  barrier_and,
  barrier_or,
  warp_barrier,
  ballot,
  any,
  all,
  shuffle,
  match,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor,
};

// Where the running thread stands.
Index thread_index();
Index block_index();
Index block_size();
Index grid_size();

// The thread waits until the others of its block (or of its mask) are there too. For `shuffle`
// the source is a lane of the warp; the answer is what the operation gives to this thread.
unsigned long long meet(Operation operation, unsigned mask, unsigned long long value,
                        unsigned source, const char* file, int line);

unsigned lane_number();
void atomic_access(void* address, unsigned size, const void* code);
void* dynamic_shared();
[[noreturn]] void fail(const char* what, const char* file, int line);

}  // namespace emulator
