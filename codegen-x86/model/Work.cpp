// What a packet takes of a processor: the inputs of the model of rates.

#include "codegen-x86/model/Work.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace karakal::x86 {

uint32_t DistanceHistogram::classOf(double lines) {
  double at = std::log2(std::max(lines, 1.0)) * classesPerOctave;
  return std::min(uint32_t(at), classesPerOctave * octaves - 1);
}

/// The middle of a class.
double DistanceHistogram::linesOf(uint32_t index) {
  return std::exp2((index + 0.5) / classesPerOctave);
}

void DistanceHistogram::add(double lines, double weight) {
  counts[classOf(lines)] += weight;
}

double DistanceHistogram::count() const {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

double DistanceHistogram::beyond(double lines) const {
  return std::accumulate(counts.begin() + classOf(lines), counts.end(), 0.0);
}

void DistanceHistogram::add(const DistanceHistogram &other) {
  for (uint32_t i = 0; i < counts.size(); ++i)
    counts[i] += other.counts[i];
}

void DistanceHistogram::scale(double factor) {
  for (double &count : counts)
    count *= factor;
}

} // namespace karakal::x86
