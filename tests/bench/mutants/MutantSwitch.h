// The run-time switches of mutants; included by each instrumented file.
//
// KARAKAL_MUTANT=N turns mutant N on. With KARAKAL_MUTANT_LOG=FILE none is on,
// and byte N of the file, which is mapped into the process, records what became
// of mutant N: it was executed, and its change made a difference. The mapping
// also keeps what a process that crashes recorded.

#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace karakal_mutants {

constexpr unsigned countMax = 1u << 20;
constexpr unsigned recording = ~0u;
constexpr unsigned char executed = 1;
constexpr unsigned char differed = 2;

// Whole pages, so that a file can be mapped over them.
alignas(4096) inline unsigned char seen[countMax];

inline unsigned start() {
  if (const char *log = std::getenv("KARAKAL_MUTANT_LOG")) {
    int file = ::open(log, O_RDWR);
    if (file < 0)
      return 0;
    void *mapped = ::mmap(seen, sizeof(seen), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED, file, 0);
    ::close(file);
    return mapped == MAP_FAILED ? 0 : recording;
  }
  const char *number = std::getenv("KARAKAL_MUTANT");
  return number ? unsigned(std::strtoul(number, nullptr, 10)) : 0;
}

inline unsigned active = start();

[[gnu::noinline, gnu::cold]] inline void record(unsigned number,
                                                unsigned char what) {
  if ((seen[number] & what) != what)
    seen[number] |= what;
}

/// Whether mutant N is on.
template <unsigned N> inline bool on() {
  if (__builtin_expect(active == recording, 0))
    record(N, executed | differed);
  return active == N;
}

/// A condition that mutant N negates.
template <unsigned N, class T> inline bool flip(T &&value) {
  return static_cast<bool>(std::forward<T>(value)) != on<N>();
}

template <class T>
constexpr bool isNumber =
    std::is_arithmetic_v<std::decay_t<T>> || std::is_enum_v<std::decay_t<T>>;

/// An operation on two operands for which mutant N takes another. Operands that
/// are numbers can be evaluated both ways, which tells whether it matters.
template <unsigned N, class L, class R, class Was, class Is>
[[gnu::always_inline]] inline std::decay_t<std::invoke_result_t<Was, L &, R &>>
change(L &&left, R &&right, Was was, Is is) {
  if (active == N)
    return is(left, right);
  if constexpr (isNumber<L> && isNumber<R>) {
    if (__builtin_expect(active == recording, 0)) {
      std::decay_t<std::invoke_result_t<Was, L &, R &>> other = is(left, right);
      record(N, other == was(left, right) ? executed : executed | differed);
    }
  } else if (__builtin_expect(active == recording, 0)) {
    record(N, executed | differed);
  }
  return was(left, right);
}

} // namespace karakal_mutants
