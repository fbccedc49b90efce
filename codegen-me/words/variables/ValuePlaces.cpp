#include "codegen-me/words/variables/ValuePlaces.h"

#include "target-ixp/table/InstructionTable.h"

#include <optional>

namespace karakal::codegen {

using target::Instruction;
using target::Operand;
using target::ValuePart;

namespace {

using Place = ValuePart::Kind;

GprSet gprBit(const ValuePart &place) {
  KARAKAL_ASSERT(isGpr(place), "the place is a GPR");
  return codegen::gprBit(place.kind == Place::GprA ? target::gprA(place.value)
                                                   : target::gprB(place.value));
}

/// The word of the context's stack that an item writes.
std::optional<unsigned> stackWordOf(const Item &item) {
  const Operand &to = item.instruction.dest;
  if (to.kind == Operand::Kind::LocalMemory0)
    return to.value;
  if (to.kind == Operand::Kind::LocalMemory1 && item.window)
    return item.window * WindowWords + to.value;
  return std::nullopt;
}

} // namespace

ValuePart placeOf(const Operand &source) {
  switch (source.kind) {
  case Operand::Kind::GprA:
    return {Place::GprA, source.value, 0};
  case Operand::Kind::GprB:
    return {Place::GprB, source.value, 0};
  case Operand::Kind::SXfer:
    return {Place::SXfer, source.value, 0};
  case Operand::Kind::DXfer:
    return {Place::DXfer, source.value, 0};
  default:
    return {};
  }
}

bool isGpr(const ValuePart &place) {
  return place.kind == Place::GprA || place.kind == Place::GprB;
}

XferSet xferBit(const ValuePart &place) {
  if (place.kind == Place::SXfer)
    return 1u << place.value;
  if (place.kind == Place::DXfer)
    return 1u << (16 + place.value);
  return 0;
}

bool makes(const Item &item, const ValuePart &place) {
  const Instruction &i = item.instruction;
  if (place.kind == Place::None)
    return i.dest.isGpr();
  if (place.kind == Place::Stack)
    return stackWordOf(item) == place.value;
  if (isGpr(place))
    return codegen::gprBit(i.dest) == gprBit(place);
  return target::row(i.op).isCommand() &&
         (effectOf(i).fills & xferBit(place)) != 0;
}

void PlaceWrites::add(const Item &word) {
  gprs |= codegen::gprBit(word.instruction.dest);
  if (target::row(word.instruction.op).isCommand())
    xfers |= effectOf(word.instruction).fills;
  if (auto stack = stackWordOf(word))
    stackWords.insert(*stack);
}

void PlaceWrites::add(const PlaceWrites &writes) {
  gprs |= writes.gprs;
  xfers |= writes.xfers;
  stackWords.insert(writes.stackWords.begin(), writes.stackWords.end());
}

bool PlaceWrites::include(const ValuePart &place) const {
  if (place.kind == Place::Stack)
    return stackWords.count(place.value) != 0;
  return isGpr(place) ? (gprs & gprBit(place)) != 0
                      : (xfers & xferBit(place)) != 0;
}

const PlaceWrites &FunctionWrites::of(uint32_t first) {
  auto [at, isNew] = written.try_emplace(first);
  PlaceWrites &all = at->second;
  if (!isNew)
    return all;
  for (uint32_t index : graph.reachedFrom(first)) {
    if (isWord(items[index]))
      all.add(items[index]);
    for (const target::FlowEdge &edge : graph.edgesOf(index))
      if (edge.callee)
        all.add(of(*edge.callee));
  }
  return all;
}

std::vector<bool> headsOf(const target::FlowGraph &graph) {
  std::vector<unsigned> entries(graph.size(), 0);
  std::vector<bool> isHead(graph.size(), true);
  for (uint32_t i = 0; i < graph.size(); ++i)
    for (const target::FlowEdge &edge : graph.edgesOf(i))
      ++entries[edge.to];
  for (uint32_t i = 0; i + 1 < graph.size(); ++i) {
    const auto &edges = graph.edgesOf(i);
    isHead[i + 1] =
        edges.size() != 1 || edges[0].to != i + 1 || entries[i + 1] != 1;
  }
  return isHead;
}

} // namespace karakal::codegen
