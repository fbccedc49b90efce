// The choice of PPFs that share an engine.
//
// Aggregate formation as in Figure 7 of the paper, on plain numbers without IR.
// PPFs are vertices with a cost per packet that enters, channels are edges with
// their traffic. The result is a list of aggregates, the number of engines that
// run each, and every decision with its reason.
//
//   while something improves:
//     if the slowest aggregate is much slower than the next: duplicate it
//     else merge the pair with the most costly channels between them, if that
//       does not lower the throughput of equation 1 and fits an engine
//     else, with more aggregates than engines: relax the target
//
// A merge that would make two aggregates send to each other is refused. Packets
// therefore only move forward from aggregate to aggregate, and no two
// aggregates can wait for each other's full rings. PPFs on a cycle of channels
// start in one aggregate for the same reason.
//
// Cost: for P PPFs and C channels O(P · C · (P + C)).

#ifndef KARAKAL_AGGREGATION_FORMATION_FORMATION_H
#define KARAKAL_AGGREGATION_FORMATION_FORMATION_H

#include "aggregation/model/ThroughputModel.h"
#include "ir/dialect/Enums.h"
#include <string>
#include <vector>

namespace karakal::agg {

struct FormationPpf {
  std::string name;
  /// The cost of one packet that enters, without channels.
  MessageCost cost;
  /// Packets that enter per packet received.
  double packets = 1;
  /// Estimated words in the control store.
  double words = 0;
  /// PPFs with the same number start in one aggregate, which is never merged
  /// with that of another number. -1: no number.
  int pin = -1;
};

struct FormationChannel {
  size_t from = 0, to = 0; ///< indices of PPFs
  /// Packets per packet received.
  double packets = 0;
};

struct FormationInput {
  std::vector<FormationPpf> ppfs;
  std::vector<FormationChannel> channels;
  /// Index of the PPF that takes the received packets; its aggregate is first.
  size_t entry = 0;
  unsigned engines = 0;
  /// Words of the control store, and words that every aggregate needs besides
  /// its PPFs.
  double wordsMax = 0, wordsFixed = 100;
  /// The cost of a packet over a ring: put and get together.
  MessageCost ring;
  /// Rings that are free for channels between aggregates.
  unsigned ringsMax = 8;
  target::ChipParameters chip;
  /// The frames that rates are predicted for.
  Frames frames;
  /// Names and engines of pinned aggregates, by pin; 0 engines: any.
  struct Pin {
    std::string name;
    unsigned engines = 0;
  };
  std::vector<Pin> pins;
};

/// A decision with its reason.
struct FormationStep {
  ir::FormationStepKind kind = ir::FormationStepKind::Map;
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
  /// The reason why there is no mapping; empty if there is one.
  std::string failure;
};

/// Forms aggregates and gives them engines.
Formation formAggregates(const FormationInput &input);

/// The stages of a formation, for the throughput model.
std::vector<Stage> stagesOf(const FormationInput &input,
                            const std::vector<FormedAggregate> &aggregates);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_FORMATION_FORMATION_H
