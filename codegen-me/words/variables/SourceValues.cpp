#include "codegen-me/words/variables/SourceValues.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace karakal::codegen {

using target::ValuePart;
using Kind = SourceValue::Kind;

namespace {

/// The paths that meet have different values at the same place.
constexpr uint32_t differs = std::numeric_limits<uint32_t>::max();

/// Whether words write to the place: it is no constant.
bool isRegister(const ValuePart &place) {
  return place.kind != ValuePart::Kind::None &&
         place.kind != ValuePart::Kind::Constant;
}

} // namespace

SourceValues::SourceValues(WordProgram &program)
    : program(program), items(program.items), graph(flowGraphOf(program)),
      written(items, graph) {
  for (size_t i = 0; i < program.items.size(); ++i)
    program.items[i].origin = unsigned(i + 1);
  if (program.variables.empty())
    return;
  findBlocks();
  takeMarks();
  findStates();
  findOrder();
}

void SourceValues::takeMarks() {
  std::vector<uint32_t> values;
  for (const ValueMark &mark : program.values)
    values.push_back(valueOf(mark));
  // A place may have a variable's value where paths meet.
  for (const ValueMark &mark : program.values)
    if (isRegister(mark.place))
      for (uint32_t block = 0; block < blockList.size(); ++block)
        atEntry(mark.place, block);
  simplify();
  std::map<Part, std::set<uint32_t>> ofParts;
  std::map<std::pair<uint32_t, uint32_t>, size_t> counts;
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueMark &mark = program.values[i];
    values[i] = simple(values[i]);
    auto &different = ofParts[{mark.variable, mark.instance, mark.part}];
    different.insert(values[i]);
    size_t &count = counts[{mark.variable, mark.instance}];
    count = std::max(count, different.size());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueMark &mark = program.values[i];
    auto known = program.valueCounts.find({mark.variable, mark.instance});
    if (known != program.valueCounts.end() &&
        counts[known->first] < known->second)
      continue; // LLVM's code generator has lost one
    const Part part{mark.variable, mark.instance, mark.part};
    const Given given{values[i], mark.place};
    marks.insert({mark.after, {part, given}});
    marksOfParts[part].push_back({mark.after, given});
  }
}

//===-- Blocks ------------------------------------------------------------===//

void SourceValues::findBlocks() {
  const std::vector<bool> isHead = headsOf(graph);
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (isHead[i])
      blockList.push_back({i + 1, i + 1, {}, i == 0});
    blockList.back().last = i + 1;
    blocksOfItems.push_back(uint32_t(blockList.size() - 1));
  }
  for (uint32_t i = 0; i < items.size(); ++i)
    for (const target::FlowEdge &edge : graph.edgesOf(i)) {
      if (isHead[edge.to])
        blockList[blocksOfItems[edge.to]].before.insert(blocksOfItems[i]);
      if (edge.callee)
        blockList[blocksOfItems[*edge.callee]].beginsFunction = true;
    }
}

uint32_t SourceValues::blockOf(unsigned origin) const {
  return origin == 0 || origin > blocksOfItems.size()
             ? noBlock
             : blocksOfItems[origin - 1];
}

//===-- Values ------------------------------------------------------------===//

uint32_t SourceValues::add(SourceValue value) {
  all.push_back(std::move(value));
  return uint32_t(all.size() - 1);
}

uint32_t SourceValues::valueOf(const ValueMark &mark) {
  if (mark.place.kind == ValuePart::Kind::None || mark.after == 0)
    return 0;
  if (mark.place.kind == ValuePart::Kind::Constant)
    return add({Kind::Constant, mark.place, 0, 0, {}});
  return find(mark.place, blockOf(mark.after), mark.after);
}

uint32_t SourceValues::madeBy(unsigned origin, const ValuePart &place) {
  uint32_t &number = made[{origin, {place.kind, place.value}}];
  // Passes may send the result of a word to another GPR.
  if (!number)
    number = add({Kind::Made,
                  isGpr(place) ? ValuePart() : place,
                  blockOf(origin),
                  origin,
                  {}});
  return number;
}

uint32_t SourceValues::find(const ValuePart &place, uint32_t block,
                            unsigned origin) {
  for (; origin >= blockList[block].first; --origin) {
    const Item &item = items[origin - 1];
    if (!isWord(item))
      continue;
    for (const target::FlowEdge &edge : graph.edgesOf(origin - 1))
      if (edge.callee && written.of(*edge.callee).include(place))
        return 0;
    if (makes(item, place))
      return madeBy(origin, place);
  }
  return atEntry(place, block);
}

uint32_t SourceValues::atEntry(const ValuePart &place, uint32_t block) {
  auto [at, isNew] = entered.try_emplace({block, {place.kind, place.value}}, 0);
  uint32_t &number = at->second;
  if (!isNew)
    return number;
  const Block &entry = blockList[block];
  if (entry.before.empty())
    return number = entry.beginsFunction && isGpr(place)
                        ? add({Kind::Argument, place, block, 0, {}})
                        : 0;
  if (entry.beginsFunction)
    return 0; // an argument or another value
  if (entry.before.size() == 1)
    return number = atEnd(place, *entry.before.begin());
  const uint32_t joined = number = add({Kind::Joined, place, block, 0, {}});
  for (uint32_t before : entry.before) {
    uint32_t from = atEnd(place, before);
    all[joined].from[before] = from;
  }
  return joined;
}

void SourceValues::simplify() {
  std::vector<uint32_t> same(all.size());
  for (uint32_t i = 0; i < same.size(); ++i)
    same[i] = i;
  auto resolve = [&](uint32_t number) {
    while (same[number] != number)
      number = same[number];
    return number;
  };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (uint32_t i = 1; i < all.size(); ++i) {
      if (all[i].kind != Kind::Joined || same[i] != i)
        continue;
      std::set<uint32_t> others;
      for (auto [before, from] : all[i].from)
        others.insert(resolve(from));
      others.erase(i);
      if (others.size() != 1)
        continue;
      same[i] = *others.begin();
      isChanged = true;
    }
  }
  for (uint32_t i = 0; i < same.size(); ++i)
    same[i] = resolve(i);
  for (SourceValue &value : all)
    for (auto &[before, from] : value.from)
      from = same[from];
  simplified = std::move(same);
}

//===-- States ------------------------------------------------------------===//

void SourceValues::step(State &state, unsigned origin) const {
  // A variable has the value that the word made before.
  for (auto at = state.begin(); at != state.end();)
    at =
        all[at->second.value].maker == origin ? state.erase(at) : std::next(at);
  auto [begin, end] = marks.equal_range(origin);
  for (auto at = begin; at != end; ++at) {
    auto [part, given] = at->second;
    if (given.value)
      state[part] = given;
    else
      state.erase(part);
  }
}

/// Nothing of a caller is known where a function begins. What is at a place is
/// what the block finds there; otherwise a join makes its values anew.
SourceValues::State SourceValues::enter(uint32_t block,
                                        const State &state) const {
  State known;
  if (blockList[block].beginsFunction)
    return known;
  for (auto [part, given] : state) {
    auto at = entered.find({block, {given.place.kind, given.place.value}});
    const bool isThere = at != entered.end();
    if (isThere)
      given.value = simple(at->second);
    const SourceValue &value = all[given.value];
    if (given.value &&
        (isThere || value.kind != Kind::Joined || value.block != block))
      known[part] = given;
  }
  return known;
}

void SourceValues::findStates() {
  struct Known {
    bool isReached = false;
    State state;
  };
  std::vector<std::vector<uint32_t>> next(blockList.size());
  for (uint32_t block = 0; block < blockList.size(); ++block)
    for (uint32_t before : blockList[block].before)
      next[before].push_back(block);
  for (uint32_t i = 0; i < items.size(); ++i)
    for (const target::FlowEdge &edge : graph.edgesOf(i))
      if (edge.callee)
        next[blocksOfItems[i]].push_back(blocksOfItems[*edge.callee]);
  auto leave = [&](uint32_t block, const Known &known) {
    Known after{true, enter(block, known.state)};
    for (unsigned i = blockList[block].first; i <= blockList[block].last; ++i)
      step(after.state, i);
    for (auto &[part, given] : after.state)
      if (isRegister(given.place) &&
          simple(atEnd(given.place, block)) != given.value)
        given.place = {};
    return after;
  };
  auto meet = [](Known &into, const Known &from) {
    if (!std::exchange(into.isReached, true)) {
      into.state = from.state;
      return true;
    }
    bool isChanged = false;
    for (auto at = into.state.begin(); at != into.state.end();) {
      auto other = from.state.find(at->first);
      Given &given = at->second;
      const Given found = other == from.state.end() ? Given() : other->second;
      const bool isSame = found.value == given.value && found.value != differs;
      const bool isThere =
          isRegister(given.place) && found.value && found.place == given.place;
      const Given was = given;
      if (!isThere)
        given.place = {};
      if (!isSame)
        given.value = differs;
      isChanged |= given.value != was.value || !(given.place == was.place);
      at = isSame || isThere ? std::next(at) : into.state.erase(at);
    }
    return isChanged;
  };
  std::vector<Known> found =
      target::solveForward<Known>(next, {}, {true, {}}, leave, meet);
  for (uint32_t block = 0; block < found.size(); ++block)
    entryStates.push_back(enter(block, found[block].state));
}

SourceValues::State SourceValues::before(unsigned origin) const {
  uint32_t block = blockOf(origin);
  KARAKAL_ASSERT(block != noBlock, "the item is of the source");
  State state = entryStates[block];
  for (unsigned i = blockList[block].first; i < origin; ++i)
    step(state, i);
  return state;
}

//===-- Order -------------------------------------------------------------===//

void SourceValues::findOrder() {
  ahead.resize(blockList.size());
  for (uint32_t block = uint32_t(blockList.size()); block-- > 0;) {
    for (uint32_t before : blockList[block].before) {
      if (before < block) {
        ahead[before].insert(block);
        continue;
      }
      Loop loop{block, before, {}};
      for (unsigned i = blockList[block].first; i <= blockList[before].last;
           ++i) {
        const Item &item = items[i - 1];
        if (!isWord(item) || !lineOf(item))
          continue;
        uint32_t &begin =
            loop.begins.try_emplace(item.instance, lineOf(item)).first->second;
        begin = std::min(begin, lineOf(item));
      }
      loops.push_back(std::move(loop));
    }
    // All that follow are complete: they have greater numbers.
    for (uint32_t next : std::set<uint32_t>(ahead[block]))
      ahead[block].insert(ahead[next].begin(), ahead[next].end());
  }
}

bool SourceValues::isStep(uint32_t line, uint32_t instance, uint32_t from,
                          uint32_t to) const {
  return std::any_of(loops.begin(), loops.end(), [&](const Loop &loop) {
    auto begin = loop.begins.find(instance);
    return loop.first <= from && to <= loop.last &&
           begin != loop.begins.end() && begin->second == line;
  });
}

uint32_t SourceValues::lineOf(const SourceValue &value) const {
  uint32_t last = value.maker ? lineOf(items[value.maker - 1]) : 0;
  for (auto [before, from] : value.from)
    if (all[from].maker)
      last = std::max(last, lineOf(items[all[from].maker - 1]));
  return last;
}

bool SourceValues::isOutOfOrder(unsigned origin, const Part &part,
                                uint32_t value) const {
  const uint32_t line = lineOf(items[origin - 1]), block = blockOf(origin);
  const SourceValue &now = all[value];
  if (now.maker && now.block == block && lineOf(now) > line)
    return true;
  for (auto [follows, given] : marksOfParts.at(part)) {
    const SourceValue &other = all[given.value];
    if (given.value == value ||
        (now.kind == Kind::Constant && other.kind == Kind::Constant &&
         given.value && now.place == other.place))
      continue;
    // No word has the line of a constant's assignment.
    if (now.kind == Kind::Constant)
      return true;
    const uint32_t made = lineOf(other), at = blockOf(follows);
    const bool isAhead =
        at == block ? follows >= origin : ahead[block].count(at) != 0;
    if (isAhead && made < line && !isStep(made, part.instance, block, at))
      return true;
  }
  return false;
}

} // namespace karakal::codegen
