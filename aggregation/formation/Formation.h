// Which PPFs share an engine.
//
// Aggregate formation as Figure 7 of the paper, on plain numbers: no IR. PPFs
// are vertices with a cost for each packet that enters, channels are edges
// with their traffic. What comes out is a list of aggregates, how many engines
// run each, and every decision with its reason.
//
//   while something improves:
//     if the slowest aggregate is much slower than the next: duplicate it
//     else merge the pair with the most costly channels between them, if that
//       does not lower the throughput of equation 1 and fits an engine
//     else, with more aggregates than engines: relax the target
//
// A merge that would make two aggregates send to each other is refused:
// packets then only ever move forward from aggregate to aggregate, so that no
// two can wait for each other's full rings. PPFs on a cycle of channels start
// in one aggregate for the same reason.
//
// Cost: for P PPFs and C channels O(P · C · (P + C)).

#ifndef KARAKAL_AGGREGATION_FORMATION_FORMATION_H
#define KARAKAL_AGGREGATION_FORMATION_FORMATION_H

#include "aggregation/model/ThroughputModel.h"
#include <string>
#include <vector>

namespace karakal::agg {

struct FormationPpf {
  std::string name;
  /// For one packet that enters, without its channels.
  MessageCost cost;
  /// Packets that enter for each packet received.
  double packets = 1;
  /// Estimated size in the control store.
  double words = 0;
  /// PPFs with the same number, not negative, start in one aggregate, which
  /// is never merged with another number's.
  int pin = -1;
};

struct FormationChannel {
  size_t from = 0, to = 0; ///< indices of PPFs
  /// Packets for each packet received.
  double packets = 0;
};

struct FormationInput {
  std::vector<FormationPpf> ppfs;
  std::vector<FormationChannel> channels;
  /// Index of the PPF that takes the received packets; its aggregate is first.
  size_t entry = 0;
  unsigned engines = 6;
  /// Control store, and what every aggregate needs of it besides its PPFs.
  double wordsMax = 4096, wordsFixed = 100;
  /// A packet over a ring: put and get, for sender and receiver together.
  MessageCost ring;
  /// Rings that are free for channels between aggregates.
  unsigned ringsMax = 8;
  target::ChipParameters chip;
  /// Names and engines of pinned aggregates, by pin; 0 engines: any.
  struct Pin {
    std::string name;
    unsigned engines = 0;
  };
  std::vector<Pin> pins;
};

/// One decision: what was done to whom, and why.
struct FormationStep {
  std::string kind; ///< "merge", "duplicate", "refuse", "relax", "map"
  std::string subject;
  std::string reason;
};

struct FormedAggregate {
  std::vector<size_t> ppfs; ///< indices, in order
  unsigned engines = 1;
  double words = 0;
  int pin = -1;
};

struct Formation {
  std::vector<FormedAggregate> aggregates;
  std::vector<FormationStep> steps;
  Prediction prediction;
  /// Why there is no mapping; empty if there is one.
  std::string failure;
};

/// Forms aggregates and gives them engines.
Formation formAggregates(const FormationInput &input);

/// The stages of a formation, for the throughput model.
std::vector<Stage> stagesOf(const FormationInput &input,
                            const std::vector<FormedAggregate> &aggregates);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_FORMATION_FORMATION_H
