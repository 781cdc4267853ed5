// Makes the entry points of a kernel file callable without knowing their signatures: included
// behind it, followed by one EMULATED_ENTRY(name) for each.
#pragma once
#pragma GCC system_header  // warnings are for the kernels

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace emulator {

// What an argument must be: "p" and the pointee's size, or i, u, f and the size.
template <class T>
void describe(char*& text) {
  using Bare = std::remove_cv_t<T>;
  std::size_t size = sizeof(T);
  if constexpr (std::is_pointer_v<Bare>) {
    using Pointee = std::remove_pointer_t<Bare>;
    *text++ = std::is_const_v<Pointee> ? 'c' : 'p';
    if constexpr (std::is_void_v<Pointee>) size = 0;
    else size = sizeof(Pointee);
  } else {
    static_assert(std::is_trivially_copyable_v<Bare>, "arguments are copied byte by byte");
    *text++ = std::is_floating_point_v<Bare> ? 'f'
              : std::is_class_v<Bare>        ? 's'
              : std::is_signed_v<Bare>       ? 'i'
                                             : 'u';
  }
  char digits[20];
  int count = 0;
  do digits[count++] = char('0' + size % 10);
  while ((size /= 10) != 0);
  while (count > 0) *text++ = digits[--count];
  *text++ = ' ';
}

template <class... Parameters>
void describe_all(void (*)(Parameters...), char* text) {
  (describe<Parameters>(text), ...);
  *text = 0;
}

// The host's side of a launch; the runtime judges what kernels do, not this.
#define EMULATOR_HOST __attribute__((no_sanitize("thread")))

template <class T>
EMULATOR_HOST T argument(void* from) {
  std::remove_cv_t<T> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class... Parameters, std::size_t... numbers>
EMULATOR_HOST void call_with(void (*entry)(Parameters...), [[maybe_unused]] void** arguments,
               std::index_sequence<numbers...>) {
  entry(argument<Parameters>(arguments[numbers])...);
}

template <class... Parameters>
EMULATOR_HOST void call(void (*entry)(Parameters...), void** arguments) {
  call_with(entry, arguments, std::index_sequence_for<Parameters...>{});
}

}  // namespace emulator

// Shared memory is thread-local storage; touching this makes the calling thread's copy.
static thread_local char emulator_anchor;
extern "C" __attribute__((visibility("default"))) EMULATOR_HOST void*
emulator_touch_shared() {
  emulator_anchor = 0;
  return &emulator_anchor;
}

#define EMULATED_ENTRY(name)                                                              \
  extern "C" __attribute__((visibility("default"))) void emulator_describe_##name(char* text) { \
    emulator::describe_all(&name, text);                                                  \
  }                                                                                       \
  extern "C" __attribute__((visibility("default"))) EMULATOR_HOST void                    \
      emulator_call_##name(void** arguments) {                                            \
    emulator::call(&name, arguments);                                                     \
  }
