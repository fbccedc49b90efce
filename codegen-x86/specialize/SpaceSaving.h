// The heavy hitters of a stream, in bounded memory.
//
// Space-saving (Metwally, Agrawal and El Abbadi, "Efficient computation of
// frequent and top-k elements in data streams", ICDT 2005): a new element takes
// the counter of the rarest one and inherits its count as its error. Every
// element with more than one in `Counters` of the stream has a counter.
//
// Counts are halved when the stream has become long, so that old heavy hitters
// fade.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_SPACESAVING_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_SPACESAVING_H

#include <array>
#include <cstdint>

namespace karakal::x86 {

class SpaceSaving {
public:
  static constexpr unsigned Counters = 32;

  struct Counter {
    uint32_t element = 0;
    /// The element came at most `count` times and at least `count - error`.
    uint32_t count = 0, error = 0;
  };

  /// Counts are halved after `length` elements.
  explicit SpaceSaving(uint32_t length) : length(length) {}

  void note(uint32_t element) {
    if (++noted >= length)
      halve();
    Counter *rarest = &all[0];
    for (Counter &each : all) {
      if (each.count != 0 && each.element == element) {
        ++each.count;
        return;
      }
      if (each.count < rarest->count)
        rarest = &each;
    }
    *rarest = {element, rarest->count + 1, rarest->count};
  }

  const std::array<Counter, Counters> &counters() const { return all; }
  /// The length of the stream, halved as the counts are.
  uint32_t total() const { return noted; }

private:
  void halve() {
    noted /= 2;
    for (Counter &each : all) {
      each.count /= 2;
      each.error /= 2;
    }
  }

  std::array<Counter, Counters> all{};
  uint32_t length, noted = 0;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_SPACESAVING_H
