// A stage of a mapping, for the throughput model.

#ifndef KARAKAL_AGGREGATION_MODEL_STAGE_H
#define KARAKAL_AGGREGATION_MODEL_STAGE_H

#include "target-ixp/microcode/MessageCost.h"
#include <string>

namespace karakal::agg {

using target::MessageCost;
using target::SharedUnit;
using target::sharedUnitCount;

/// A stage of a mapping: an aggregate and its engines.
struct Stage {
  std::string name;
  MessageCost cost;
  /// Messages that it handles per packet received.
  double messages = 1;
  unsigned engines = 1;
  /// Contexts of each engine that run it, 0 = all.
  unsigned contexts = 0;
};

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_STAGE_H
