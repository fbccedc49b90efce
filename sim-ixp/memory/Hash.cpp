// The hash unit.

#include "sim-ixp/memory/Hash.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>

namespace karakal::sim {
namespace {

constexpr uint32_t keysMax = 3;

uint32_t keyBits(target::Op op) {
  switch (target::hashCommand(op)) {
  case target::HashCommand::Key48:
    return 48;
  case target::HashCommand::Key64:
    return 64;
  case target::HashCommand::Key128:
    return 128;
  }
  KARAKAL_UNREACHABLE("not a command of the hash unit");
}

constexpr uint32_t wordsOf(uint32_t bits) { return bits == 128 ? 4 : 2; }

/// The latency without the cycles that the second word of a 48-bit key takes on
/// the pull and push buses.
uint64_t latencyOfAWord(const target::ChipParameters &params) {
  uint64_t words = 2 * params.busPushWordCycles;
  return params.hashLatency > words ? params.hashLatency - words : 0;
}

} // namespace

Hash::Hash(Chassis &chassis, ChipObserver &observer)
    : chassis(chassis), observer(observer),
      timing(chassis.timingOf(latencyOfAWord(chassis.parameters()))) {}

void Hash::accept(Command &command) {
  if (command.count > keysMax) {
    observer.onFault(command, "a hash command takes 1 to 3 keys");
    chassis.finish(command, chassis.scheduler().now());
    return;
  }
  uint32_t words = command.count * wordsOf(keyBits(command.op));
  uint64_t now = chassis.scheduler().now();
  uint64_t ready = std::max(now + timing.operandCycles,
                            chassis.pull(command, words, nullptr, false));
  uint64_t start = service.reserve(
      ready, command.count * chassis.parameters().hashKeyCycles);
  chassis.scheduler().schedule(start, this, 0, eventArgument(command));
}

void Hash::onEvent(uint64_t cycle, uint32_t, uint64_t argument) {
  Command &command = commandOf(argument);
  uint32_t bits = keyBits(command.op);
  uint32_t words = wordsOf(bits);
  for (uint32_t i = 0; i < command.count; ++i) {
    uint32_t *data = command.data.data() + i * words;
    target::HashKey key;
    key.low = uint64_t{data[1]} << 32 | data[0];
    if (words == 4)
      key.high = uint64_t{data[3]} << 32 | data[2];
    target::HashKey result = target::hashKey(key, bits, multiplier);
    data[0] = static_cast<uint32_t>(result.low);
    data[1] = static_cast<uint32_t>(result.low >> 32);
    if (words == 4) {
      data[2] = static_cast<uint32_t>(result.high);
      data[3] = static_cast<uint32_t>(result.high >> 32);
    }
  }
  uint64_t pipeline = (command.count - 1) * chassis.parameters().hashKeyCycles;
  chassis.push(command, command.count * words,
               cycle + timing.dataCycles + pipeline);
}

} // namespace karakal::sim
