// Threads of a block as fibers: each has a stack, runs until it meets others, and knows which
// accesses of the other lanes of its warp lie behind it.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include "memory.h"
#include "runtime.h"

namespace emulator {

constexpr size_t stack_bytes = 128 * 1024;
constexpr unsigned most_threads = 1024, warp_lanes = 32;

enum class Status { ready, meeting, done };

struct Fiber {
  jmp_buf context;
  ucontext_t start;
  Byte* stack = nullptr;
  bool started = false;
  Status status = Status::done;
  Index index{};
  unsigned number = 0;
  // what it waits at
  Operation operation{};
  unsigned mask = 0, source = 0;
  unsigned long long value = 0, answer = 0;
  const char* file = "";
  int line = 0;
  // what it knows of the other lanes' progress
  unsigned short clocks[warp_lanes] = {};

  unsigned lane() const { return number % warp_lanes; }
};

inline const char* name_of(Operation operation) {
  switch (operation) {
    case barrier: return "__syncthreads";
    case barrier_count: return "__syncthreads_count";
    case barrier_and: return "__syncthreads_and";
    case barrier_or: return "__syncthreads_or";
    case warp_barrier: return "__syncwarp";
    case ballot: return "__ballot_sync";
    case any: return "__any_sync";
    case all: return "__all_sync";
    case shuffle: return "__shfl_sync";
    case match: return "__match_any_sync";
    case reduce_add: return "__reduce_add_sync";
    case reduce_min: return "__reduce_min_sync";
    case reduce_max: return "__reduce_max_sync";
    case reduce_and: return "__reduce_and_sync";
    case reduce_or: return "__reduce_or_sync";
    case reduce_xor: return "__reduce_xor_sync";
  }
  return "?";
}

inline bool is_block_wide(Operation operation) { return operation <= barrier_or; }

}  // namespace emulator
