// The predicted rate of generated code.

#include "driver/cores/CodePrediction.h"
#include "aggregation/model/PpfCost.h"
#include "driver/cores/Variants.h"
#include "ir/analysis/KeptOrder.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Target.h"
#include "target-ixp/microcode/AverageCost.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// The least number of messages of a stage, above 0 so that rates stay finite.
constexpr double messagesMin = 1e-6;

/// Messages that an aggregate takes from rings per packet received. Without a
/// profile each packet is taken once, which is also what aggregation assumes. A
/// channel that the profile does not count has no messages.
double messagesOf(ModuleOp planned, const std::string &aggregate,
                  double received) {
  if (received == 0)
    return 1;
  double messages = 0;
  for (auto channel : planned.getOps<ir::ChannelOp>()) {
    if (channel.goesToTx() || ir::viaOf(channel) != ir::Via::Ring)
      continue;
    auto consumer = planned.lookupSymbol<func::FuncOp>(channel.getConsumer());
    if (ir::aggregateOf(consumer) == aggregate)
      messages += channel.comesFromRx()
                      ? 1
                      : double(ir::profileOf(channel).value_or(0)) / received;
  }
  return messages;
}

} // namespace

std::vector<agg::Stage> stagesOf(ModuleOp planned,
                                 const std::vector<AggregateCode> &engines) {
  target::ChipParameters chip = ir::chipOf(planned);
  auto profile = ir::profileOf(planned);
  double received = profile ? double(profile->received) : 0;
  double lockShare = agg::PpfCosts(planned, chip).busiestLockShare();
  KARAKAL_ASSERT(lockShare >= 0 && lockShare <= 1,
                 "the busiest lock is held for a part of the time");
  std::vector<agg::Stage> stages;
  for (size_t i = 0; i < engines.size(); ++i) {
    const AggregateCode &engine = engines[i];
    agg::Stage stage;
    stage.name = engine.plan.name;
    stage.engines = engine.plan.engines.size();
    stage.contexts = engine.contexts;
    stage.messages =
        std::max(messagesOf(planned, stage.name, received), messagesMin);
    stage.cost = target::averageCost(loadedCode(engines, i), chip);
    stage.cost.shareLocks(lockShare);
    stages.push_back(std::move(stage));
  }
  return stages;
}

agg::Frames framesOf(ModuleOp planned) {
  agg::Frames frames;
  frames.keepsOrder = ir::keepsOrder(planned);
  return frames;
}

agg::Prediction predictionOf(ModuleOp planned,
                             const std::vector<AggregateCode> &engines) {
  return agg::predict(stagesOf(planned, engines), ir::chipOf(planned),
                      framesOf(planned));
}

} // namespace karakal::driver
