// What a packet takes of a processor: the inputs of the model of rates.

#ifndef KARAKAL_CODEGEN_X86_MODEL_WORK_H
#define KARAKAL_CODEGEN_X86_MODEL_WORK_H

#include <array>
#include <cstdint>

namespace karakal::x86 {

/// Accesses by reuse distance, four classes for each factor of two.
class DistanceHistogram {
public:
  /// Counts `weight` accesses at a distance of so many lines.
  void add(double lines, double weight);
  double count() const;
  /// The accesses at a distance of at least `lines`.
  double beyond(double lines) const;
  void add(const DistanceHistogram &other);
  void scale(double factor);

  /// The sum of `cost(lines)` over all accesses.
  template <typename Cost> double sum(Cost cost) const {
    double total = 0;
    for (uint32_t i = 0; i < counts.size(); ++i)
      if (counts[i] != 0)
        total += counts[i] * cost(linesOf(i));
    return total;
  }

private:
  static constexpr uint32_t classesPerOctave = 4, octaves = 40;
  static uint32_t classOf(double lines);
  static double linesOf(uint32_t index);

  std::array<double, classesPerOctave * octaves> counts{};
};

/// Per packet.
struct Work {
  double instructions = 0, mispredictions = 0;
  /// Times that a packet waits at a cut.
  double cuts = 0;
  /// All accesses to what is not in the first cache anyway.
  DistanceHistogram lines;
  /// Those of `lines` that wait for each other: loads whose address a load
  /// gave, and for each packet the farthest of the others.
  DistanceHistogram chain;
  /// The prefetches at cuts.
  DistanceHistogram prefetched;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_MODEL_WORK_H
