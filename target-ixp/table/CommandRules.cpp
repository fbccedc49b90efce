// Checks on every path that words respect the commands in flight, without the
// flow graph of target-ixp/microcode.
//
// A forward dataflow analysis over addresses. The state before a word holds,
// for each signal, whether a command that raises it is in flight and which
// registers it moves, and for each latch how many words ago it was changed. A
// word with delay slots is one step: its own effect, the slots, then the jump
// or swap.

#include "target-ixp/table/CommandRules.h"

#include "support/Error.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CountOverride.h"
#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace karakal::target {
namespace {

/// $0..$31 are bits 0..31, $$0..$$31 bits 32..63.
using Registers = uint64_t;
constexpr Registers AllRegisters = ~Registers(0);
constexpr unsigned SignalEnd = 16;
static_assert(SignalEnd == SignalCount + 1, "signal 0 does not exist");

struct SignalState {
  bool isOut = false; ///< a command that raises it is in flight
  bool isKnown = true;
  Registers fills = 0, pulls = 0;

  bool operator==(const SignalState &o) const {
    return isOut == o.isOut && isKnown == o.isKnown && fills == o.fills &&
           pulls == o.pulls;
  }
};

/// Latches whose changes take effect late: the local CSRs, by word offset, then
/// the remainder that a crc computes.
constexpr unsigned CrcUnit = Csr_LOCAL_CSR_STATUS / 4 + 1;
constexpr unsigned LatchCount = CrcUnit + 1;
constexpr unsigned latchOf(LocalCsr csr) { return csr / 4; }

/// Age of a latch whose last change is visible to every instruction.
constexpr uint8_t Settled = 99;
static_assert(Settled > CrcToCsrSlots && Settled > NeighbourSelfSlots &&
                  Settled > OtherCsrSlots && Settled > LmAddrSlots,
              "a settled latch is older than any delay");

struct State {
  State() { age.fill(Settled); }

  std::array<SignalState, SignalEnd> signals;
  /// Words since the last change of each latch.
  std::array<uint8_t, LatchCount> age;

  bool operator==(const State &o) const {
    return signals == o.signals && age == o.age;
  }
};

Registers registersOf(const Operand &o, unsigned words = 1) {
  if (o.kind == Operand::Kind::SXferIndex ||
      o.kind == Operand::Kind::DXferIndex)
    return AllRegisters;
  if (o.kind != Operand::Kind::SXfer && o.kind != Operand::Kind::DXfer)
    return 0;
  unsigned first = o.value + (o.kind == Operand::Kind::DXfer ? 32 : 0);
  Registers set = 0;
  for (unsigned n = first; n < first + words && n < 64; ++n)
    set |= Registers(1) << n;
  return set;
}

/// Signals that a command raises.
uint32_t raisedBy(const Instruction &i) {
  const InstructionRow &r = row(i.op);
  if (!r.isCommand() || !i.signal || !r.signals)
    return 0;
  return (r.signals == 2 ? 3u : 1u) << i.signal;
}

bool endsPath(const Instruction &i) {
  return i.op == Op::CtxArb && (i.breakpoint || (i.any && !i.signalMask));
}

class PathChecker {
public:
  explicit PathChecker(const std::vector<uint64_t> &words) {
    for (uint64_t word : words) {
      Result<Instruction> instruction = decode(word);
      program.push_back(instruction ? *instruction : Instruction{});
    }
    decoded.assign(program.begin(), program.end());
  }
  std::vector<RuleBreach> run();

private:
  std::vector<Instruction> program;
  DecodedProgram decoded; ///< the same
  std::vector<std::optional<State>> before;
  std::vector<uint32_t> work;
  std::set<uint32_t> returnPoints;
  std::set<std::pair<uint32_t, std::string>> seen;
  std::vector<RuleBreach> breaches;
  uint32_t ours = 0; ///< signals that commands raise
  /// Breaches are recorded in a second pass, when all states are final.
  bool isRecording = false;

  void breach(uint32_t address, const char *id, const std::string &message) {
    if (isRecording && seen.insert({address, id + message}).second)
      breaches.push_back({address, id, message});
  }
  void findReturnPoints();
  void flowTo(uint32_t address, const State &state, uint32_t from);
  void execute(uint32_t address, State &state);
  void useLatches(uint32_t address, const State &state);
  void writeLatches(const Instruction &instruction, State &state);
  void issue(uint32_t address, State &state);
  void wake(uint32_t address, State &state, uint32_t mask, bool any);
  void step(uint32_t address);
};

/// Finds return points: the word after a branch, if an immed near the branch
/// loads its address into a register that some jump returns through.
void PathChecker::findReturnPoints() {
  constexpr uint32_t Beside = 4;
  auto isReturnedBy = [&](const Operand &loaded) {
    return std::any_of(program.begin(), program.end(), [&](auto &i) {
      return i.op == Op::Jump && i.target == 0 && i.a == loaded;
    });
  };
  for (uint32_t a = 0; a < program.size(); ++a) {
    uint32_t after = a + program[a].defer + 1;
    if (program[a].op != Op::Br)
      continue;
    for (uint32_t n = a < Beside ? 0 : a - Beside;
         n < std::min<size_t>(after, program.size()); ++n) {
      const Instruction &i = program[n];
      if (i.op == Op::Immed && i.shift.kind == Shift::Kind::None && !i.invert &&
          i.immediate == after && isReturnedBy(i.dest))
        returnPoints.insert(after);
    }
  }
}

/// The dataflow meet: joins `state` into the state before `address`.
void PathChecker::flowTo(uint32_t address, const State &state, uint32_t from) {
  if (address >= program.size())
    return; // rule 133
  std::optional<State> &into = before[address];
  if (!into) {
    into = state;
    work.push_back(address);
    return;
  }
  State old = *into;
  for (unsigned s = 1; s < SignalEnd; ++s) {
    SignalState &l = into->signals[s];
    const SignalState &r = state.signals[s];
    if (l.isOut != r.isOut && l.isKnown && r.isKnown)
      breach(from, "E-target-ixp-145",
             "signal " + std::to_string(s) + " is in flight at word " +
                 std::to_string(address) + " on one path but not on another");
    l.isOut |= r.isOut;
    l.isKnown &= r.isKnown;
    l.fills |= r.fills;
    l.pulls |= r.pulls;
  }
  for (unsigned n = 0; n < LatchCount; ++n) {
    into->age[n] = std::min(into->age[n], state.age[n]);
    KARAKAL_ASSERT(into->age[n] <= old.age[n] && into->age[n] <= state.age[n],
                   "the dataflow meet keeps the latest change");
  }
  if (!(old == *into))
    work.push_back(address);
}

/// A use of a latch, and the number of words required between its last change
/// and the use.
struct LatchUse {
  unsigned latch, slots;
  const char *what;
};

/// Adds the latches that address an operand.
void addUses(const Operand &operand, bool isDestination,
             std::vector<LatchUse> &uses) {
  constexpr const char *index = "an index register";
  switch (operand.kind) {
  case Operand::Kind::LocalMemory0:
    uses.push_back({latchOf(Csr_ACTIVE_LM_ADDR_0), LmAddrSlots, index});
    return;
  case Operand::Kind::LocalMemory1:
    uses.push_back({latchOf(Csr_ACTIVE_LM_ADDR_1), LmAddrSlots, index});
    return;
  case Operand::Kind::SXferIndex:
  case Operand::Kind::DXferIndex:
    uses.push_back({latchOf(Csr_T_INDEX), TIndexSlots, index});
    return;
  case Operand::Kind::NeighbourIndex:
    uses.push_back({latchOf(isDestination ? Csr_NN_PUT : Csr_NN_GET),
                    NeighbourIndexSlots, index});
    return;
  default:
    return;
  }
}

std::vector<LatchUse> usesOf(const Instruction &i) {
  std::vector<LatchUse> uses;
  addUses(i.dest, true, uses);
  addUses(i.a, false, uses);
  addUses(i.b, false, uses);
  constexpr const char *remainder = "the crc's remainder";
  if (i.op == Op::Crc) {
    uses.push_back({CrcUnit, CrcToCrcSlots, remainder});
    uses.push_back({latchOf(Csr_CRC_REMAINDER), OtherCsrSlots, remainder});
  } else if (i.op == Op::ByteAlignBe || i.op == Op::ByteAlignLe) {
    uses.push_back({latchOf(Csr_BYTE_INDEX), ByteIndexSlots, "BYTE_INDEX"});
  } else if (i.op == Op::CsrRead) {
    if (i.csr == Csr_CRC_REMAINDER)
      uses.push_back({CrcUnit, CrcToCsrSlots, remainder});
    uses.push_back({unsigned(i.csr) / 4, OtherCsrSlots, "the CSR"});
  }
  return uses;
}

/// The CSRs that a write of `csr` changes.
std::vector<unsigned> changedBy(uint16_t csr) {
  switch (csr) {
  case Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX:
    return {latchOf(Csr_ACTIVE_LM_ADDR_0), latchOf(Csr_BYTE_INDEX)};
  case Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX:
    return {latchOf(Csr_ACTIVE_LM_ADDR_1), latchOf(Csr_BYTE_INDEX)};
  case Csr_T_INDEX_BYTE_INDEX:
    return {latchOf(Csr_T_INDEX), latchOf(Csr_BYTE_INDEX)};
  default:
    return {csr / 4u};
  }
}

void PathChecker::useLatches(uint32_t address, const State &state) {
  for (const LatchUse &use : usesOf(program[address]))
    if (use.latch < LatchCount && state.age[use.latch] < use.slots)
      breach(address, "E-target-ixp-146",
             std::string("it uses ") + use.what + " changed " +
                 std::to_string(state.age[use.latch] + 1) + " words ago, but " +
                 std::to_string(use.slots) + " words are required in between");
}

void PathChecker::writeLatches(const Instruction &i, State &state) {
  for (uint8_t &age : state.age)
    age = std::min<uint8_t>(age + 1, Settled);
  if (i.op == Op::CsrWrite)
    for (unsigned latch : changedBy(i.csr))
      if (latch < LatchCount)
        state.age[latch] = 0;
  if (i.op == Op::CamLookup && i.loadLm0)
    state.age[latchOf(Csr_ACTIVE_LM_ADDR_0)] = 0;
  if (i.op == Op::CamLookup && i.loadLm1)
    state.age[latchOf(Csr_ACTIVE_LM_ADDR_1)] = 0;
  if (i.op == Op::Crc)
    state.age[CrcUnit] = 0;
}

/// Issues the command at `address`.
void PathChecker::issue(uint32_t address, State &state) {
  const Instruction &i = program[address];
  const InstructionRow &r = row(i.op);
  unsigned count = overriddenCount(decoded, address).value_or(i.count);
  unsigned words = std::max<unsigned>(count, 1) * r.unitBytes / 4;
  Registers moved = registersOf(i.xfer, words);
  Registers fills =
      r.xfer == XferUse::In || r.xfer == XferUse::InOut ? moved : 0;
  Registers pulls =
      r.xfer == XferUse::Out || r.xfer == XferUse::InOut ? moved : 0;
  uint32_t raised = raisedBy(i);
  if (r.signals && !raised && (fills | pulls))
    breach(address, "E-target-ixp-143",
           "the command has no signal, so its completion cannot be waited for");
  for (unsigned s = 1; s < SignalEnd; ++s) {
    SignalState &other = state.signals[s];
    if (other.isOut && (other.fills & fills))
      breach(address, "E-target-ixp-142",
             "it fills a register that a command in flight fills");
    if (!(raised >> s & 1))
      continue;
    if (other.isOut)
      breach(address, "E-target-ixp-142",
             "it raises signal " + std::to_string(s) +
                 ", which a command in flight raises");
    other = {true, true, fills, pulls};
  }
}

void PathChecker::execute(uint32_t address, State &state) {
  const Instruction &i = program[address];
  Registers reads = registersOf(i.a) | registersOf(i.b);
  Registers writes = registersOf(i.dest);
  for (unsigned s = 1; s < SignalEnd; ++s) {
    const SignalState &signal = state.signals[s];
    if (reads & signal.fills)
      breach(address, "E-target-ixp-140",
             "it reads a register that a command has not filled yet (signal " +
                 std::to_string(s) + ")");
    if (writes & signal.pulls)
      breach(address, "E-target-ixp-141",
             "it writes a register that a command has not read yet (signal " +
                 std::to_string(s) + ")");
  }
  useLatches(address, state);
  writeLatches(i, state);
  if (row(i.op).isCommand())
    issue(address, state);
}

/// Updates the state for a context that continues after waiting for `mask`.
void PathChecker::wake(uint32_t address, State &state, uint32_t mask,
                       bool any) {
  for (unsigned s = 1; s < SignalEnd; ++s) {
    if (!(mask >> s & 1))
      continue;
    SignalState &signal = state.signals[s];
    if (any) { // one or more of them; br_signal tests which
      signal.isKnown = false;
      continue;
    }
    if ((ours >> s & 1) && !signal.isOut && signal.isKnown)
      breach(address, "E-target-ixp-144",
             "it waits for signal " + std::to_string(s) +
                 ", which no command in flight raises");
    signal = {};
  }
  state.age.fill(Settled);
}

void PathChecker::step(uint32_t address) {
  KARAKAL_ASSERT(before[address], "only reached words are followed");
  const Instruction &i = program[address];
  State state = *before[address];
  execute(address, state);
  if (endsPath(i)) {
    for (unsigned s = 1; s < SignalEnd; ++s)
      if (state.signals[s].isOut && state.signals[s].isKnown)
        breach(address, "E-target-ixp-143",
               "the path ends while a command with signal " +
                   std::to_string(s) + " is in flight");
    return;
  }
  uint32_t next = address + 1;
  for (; next <= address + i.defer && next < program.size(); ++next)
    execute(next, state);
  bool isBranch = row(i.op).isBranch();
  State taken = state;
  if (i.op == Op::CtxArb) {
    wake(address, state, i.signalMask, i.any);
    return flowTo(i.hasTarget ? i.target : next, state, address);
  }
  if (i.ctxSwap)
    wake(address, state, raisedBy(i), false);
  if (i.op == Op::BrSignal || i.op == Op::BrNotSignal)
    (i.op == Op::BrSignal ? taken : state).signals[i.parameter] = {};
  if (i.op == Op::Jump && i.target == 0)
    for (uint32_t point : returnPoints)
      flowTo(point, taken, address);
  else if (i.op == Op::Jump) // a table of branches
    for (uint32_t entry = i.target;
         entry < program.size() && program[entry].op == Op::Br; ++entry)
      flowTo(entry, taken, address);
  else if (isBranch)
    flowTo(i.target, taken, address);
  if (i.op != Op::Br && i.op != Op::Jump)
    flowTo(next, state, address);
}

std::vector<RuleBreach> PathChecker::run() {
  if (program.empty())
    return {};
  for (const Instruction &i : program)
    ours |= raisedBy(i);
  findReturnPoints();
  before.assign(program.size(), std::nullopt);
  before[0].emplace();
  work.push_back(0);
  while (!work.empty()) {
    uint32_t address = work.back();
    work.pop_back();
    step(address);
  }
  isRecording = true;
  for (uint32_t address = 0; address < program.size(); ++address)
    if (before[address])
      step(address);
  std::sort(breaches.begin(), breaches.end(),
            [](const RuleBreach &l, const RuleBreach &r) {
              return l.address != r.address ? l.address < r.address
                                            : l.message < r.message;
            });
  return std::move(breaches);
}

} // namespace

std::vector<RuleBreach> checkCommands(const std::vector<uint64_t> &words) {
  return PathChecker(words).run();
}

} // namespace karakal::target
