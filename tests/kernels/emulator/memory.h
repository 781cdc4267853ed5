// Device and shared memory of the emulator: bytes, and beside them whether each was ever written and
// who accessed it last.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace emulator {

using Byte = unsigned char;
using std::size_t;

constexpr size_t page_bytes = 4096, guard_bytes = 256;
constexpr size_t arena_bytes = size_t(1) << 36;
constexpr Byte guard_pattern = 0xE7;

struct Access {
  unsigned launch;  // that did it; 0: nobody yet
  unsigned block;
  unsigned barrier;  // how many barriers the block had passed
  unsigned place;  // in the code, from the library's start
  unsigned short thread;
  unsigned short clock : 15, atomic : 1;
};

struct Cell {
  Access write, reads[2];
};

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

template <class T>
using Zeroed = std::unique_ptr<T[], FreeMemory>;

template <class T>
Zeroed<T> zeroed(size_t count) {
  // large callocs are pages that appear when they are touched
  return Zeroed<T>(static_cast<T*>(std::calloc(std::max<size_t>(count, 1), sizeof(T))));
}

struct Memory {
  std::string kind;
  Byte* base = nullptr;
  size_t size = 0;
  size_t pages_base = 0, pages_size = 0;
  long number = 0;  // of a device buffer, from 1
  Zeroed<Byte> written;
  Zeroed<Cell> cells;  // one for each granule of bytes
  unsigned granule_shift = 2;

  const char* name() const { return kind.c_str(); }

  void track(std::string name, Byte* start, size_t bytes) {
    kind = std::move(name);
    base = start;
    size = bytes;
    written = zeroed<Byte>(bytes);
    cells = zeroed<Cell>((bytes >> granule_shift) + 1);
  }

  // Smaller granules, for accesses that touch parts of them.
  void refine(unsigned shift) {
    auto finer = zeroed<Cell>((size >> shift) + 1);
    for (size_t place = 0; place <= size >> shift; ++place)
      finer[place] = cells[place << shift >> granule_shift];
    cells = std::move(finer);
    granule_shift = shift;
  }
};

class Arena {
 public:
  Memory* allocate(size_t size, Byte poison) {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (base_ == nullptr) reserve();
    const size_t pages = (size + 2 * guard_bytes + page_bytes - 1) / page_bytes;
    // one page that nobody may touch between any two buffers
    const size_t offset = next_;
    next_ += (pages + 1) * page_bytes;
    if (base_ == nullptr || next_ > arena_bytes) return nullptr;
    Byte* start = base_ + offset;
    if (mprotect(start, pages * page_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
    auto memory = std::make_unique<Memory>();
    memory->number = ++count_;
    memory->track("device buffer " + std::to_string(count_), start + guard_bytes, size);
    memory->pages_base = offset;
    memory->pages_size = pages * page_bytes;
    std::memset(start, guard_pattern, guard_bytes);
    std::memset(start + guard_bytes, poison, size);
    std::memset(start + guard_bytes + size, guard_pattern,
                pages * page_bytes - guard_bytes - size);
    Memory* plain = memory.get();
    for (size_t page = 0; page < pages; ++page) owners_[offset / page_bytes + page] = plain;
    buffers_[offset] = std::move(memory);
    return plain;
  }

  void release(Memory* memory) {
    const std::lock_guard<std::mutex> hold(mutex_);
    const size_t offset = memory->pages_base, size = memory->pages_size;
    for (size_t page = 0; page < size / page_bytes; ++page) owners_[offset / page_bytes + page] = nullptr;
    // gives the pages back; the addresses are never used again, so later accesses are found
    mmap(base_ + offset, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    buffers_.erase(offset);
  }

  bool contains(const void* address) const {
    return base_ != nullptr && address >= base_ && address < base_ + arena_bytes;
  }

  Memory* owner(const void* address) const {
    return owners_[size_t(static_cast<const Byte*>(address) - base_) / page_bytes];
  }

  // A buffer whose guards were written on; only needed where accesses are not instrumented. The
  // guards are put right again: one mistake is told once.
  Memory* overrun() {
    const std::lock_guard<std::mutex> hold(mutex_);
    Memory* found = nullptr;
    for (auto& [offset, memory] : buffers_) {
      Byte* const behind = memory->base + memory->size;
      for (Byte* guard : {memory->base - guard_bytes, behind}) {
        const auto changed = [](Byte byte) { return byte != guard_pattern; };
        if (!std::any_of(guard, guard + guard_bytes, changed)) continue;
        std::memset(guard, guard_pattern, guard_bytes);
        found = memory.get();
      }
    }
    return found;
  }

 private:
  void reserve() {
    void* memory = mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void* table = mmap(nullptr, arena_bytes / page_bytes * sizeof(Memory*), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || table == MAP_FAILED) return;
    owners_ = static_cast<Memory**>(table);
    base_ = static_cast<Byte*>(memory);
  }

  std::mutex mutex_;
  Byte* base_ = nullptr;
  Memory** owners_ = nullptr;
  size_t next_ = page_bytes;
  long count_ = 0;
  std::map<size_t, std::unique_ptr<Memory>> buffers_;
};

inline Arena arena;

}  // namespace emulator
