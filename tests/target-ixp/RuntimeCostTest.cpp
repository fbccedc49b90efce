// The paths of Rx and Tx of RuntimeCost.cpp against the assembled runtime.

#include "target-ixp/microcode/RuntimeCost.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/microcode/FlowGraph.h"
#include "target-ixp/microcode/InstructionCost.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace karakal::target {
namespace {

/// A path through the runtime: it begins at a label, takes the branches to some
/// labels and no other conditional branch, and ends at a label.
struct Walk {
  RuntimePath path;
  const char *file, *from, *to;
  std::vector<std::string> taken;
};

const std::vector<Walk> walks = {
    {RuntimePath::RxWhole, "rx.uc", "arrived#", "arrived#", {}},
    {RuntimePath::RxBlock, "rx.uc", "block#", "numbered#", {"numbered#"}},
    {RuntimePath::RxFirst, "rx.uc", "arrived#", "arrived#", {"not_whole#"}},
    {RuntimePath::RxMiddle,
     "rx.uc",
     "arrived#",
     "arrived#",
     {"not_whole#", "continued#"}},
    {RuntimePath::RxLast,
     "rx.uc",
     "arrived#",
     "arrived#",
     {"not_whole#", "continued#", "last#", "finish_last#"}},
    {RuntimePath::TxWhole, "tx.uc", "get#", "get#", {}},
    {RuntimePath::TxSeveral,
     "tx.uc",
     "get#",
     "get#",
     {"several#", "last_element#"}},
    {RuntimePath::TxMore, "tx.uc", "element_done#", "element_done#", {}},
    {RuntimePath::TxEarly, "tx.uc", "get#", "get#", {"early#"}},
    {RuntimePath::TxBlock, "tx.uc", "block#", "elements#", {}},
};

std::string labelOf(const std::string &name) {
  return name.substr(0, name.size() - 1);
}

/// Follows a path through the words and counts what they do.
RuntimeWords follow(const Walk &walk, const AssembledProgram &program) {
  RuntimeWords row = {};
  row.path = walk.path;
  WordFlow flow(program);
  auto wordOf = [&](const std::string &name) {
    auto at = program.labels.find(name);
    if (at == program.labels.end())
      at = program.labels.find(labelOf(name));
    EXPECT_NE(at, program.labels.end()) << name;
    return at == program.labels.end() ? 0 : at->second;
  };
  std::set<uint32_t> taken;
  for (const std::string &name : walk.taken)
    taken.insert(wordOf(name));
  uint32_t end = wordOf(walk.to);
  ChipParameters chip;
  uint32_t at = wordOf(walk.from);
  do {
    const Instruction &instruction = flow.instructions[at];
    ++row.words;
    if (isSwap(instruction))
      ++row.swaps[std::min<unsigned>(instruction.defer, 2)];
    if (auto command = commandOf(instruction, chip)) {
      bool isQueue = instruction.op == Op::SramDequeue ||
                     instruction.op == Op::SramEnqueue;
      row.messages +=
          instruction.op == Op::ScratchGet || instruction.op == Op::ScratchPut;
      row.counters += instruction.op == Op::ScratchIncr ||
                      instruction.op == Op::ScratchRead;
      row.moves += command->unit == SharedUnit::Dram;
      row.queues += isQueue;
      row.descriptors += instruction.op == Op::SramWrite;
    }
    const auto &edges = flow.graph.edgesOf(at);
    EXPECT_FALSE(edges.empty());
    const FlowEdge &edge =
        edges.size() > 1 && !taken.count(edges[0].to) ? edges[1] : edges[0];
    row.deadCycles += unsigned(edge.deadCycles);
    at = edge.to;
  } while (at != end && row.words < 200);
  EXPECT_LT(row.words, 200u) << walk.from;
  return row;
}

std::string textOf(const RuntimeWords &row) {
  std::string text;
  for (unsigned figure :
       {row.words, row.swaps[0], row.swaps[1], row.swaps[2], row.deadCycles,
        row.messages, row.counters, row.moves, row.queues, row.descriptors})
    text += (text.empty() ? "" : ", ") + std::to_string(figure);
  return text;
}

TEST(RuntimeCost, ThePathsAreThoseOfTheWords) {
  for (bool keepsOrder : {false, true}) {
    std::map<std::string, std::string> defines;
    if (keepsOrder)
      defines["ORDER"] = "";
    for (const Walk &walk : walks) {
      bool isOfOrder = walk.path == RuntimePath::RxBlock ||
                       walk.path == RuntimePath::TxEarly ||
                       walk.path == RuntimePath::TxBlock;
      if (isOfOrder && !keepsOrder)
        continue;
      auto program = assembleFile(
          std::string(KARAKAL_RUNTIME_DIR) + "/" + walk.file, defines);
      ASSERT_TRUE(program) << program.error().str();
      const RuntimeWords &row = runtimeWords(walk.path, keepsOrder);
      EXPECT_EQ(textOf(follow(walk, *program)), textOf(row))
          << walk.file << " from " << walk.from
          << (keepsOrder ? " with order" : " without order");
    }
  }
}

TEST(RuntimeCost, MpacketsAddUp) {
  ChipParameters chip;
  auto issue = [&](unsigned mpackets, bool keepsOrder) {
    return transmitCost({mpackets, keepsOrder}, chip).issue;
  };
  // 49 words and three swaps with a cycle each.
  EXPECT_EQ(issue(1, false), 52);
  EXPECT_EQ(issue(3, false) - issue(2, false), 21);
  EXPECT_EQ(issue(9, true) - issue(8, true), 21);
  // `ixpsim --profile` shows 112 cycles of Tx for a packet of kernel
  // mpls_push2, whose frames leave in two mpackets.
  EXPECT_NEAR(issue(2, true), 112, 1);
  MessageCost received = receiveCost({3, true}, chip);
  EXPECT_EQ(received.commands[size_t(SharedUnit::Dram)], 3);
  EXPECT_EQ(received.commands[size_t(SharedUnit::Sram0)], 1); // the dequeue
  EXPECT_EQ(received.commands[size_t(SharedUnit::Sram0Write)], 1);
}

TEST(RuntimeCost, CyclesFollowTheChip) {
  ChipParameters slow;
  slow.meSwapSlots = 8;
  // Four swaps, each with six more cycles.
  EXPECT_EQ(transmitCost({1, false}, slow).issue, 52 + 24);
  slow.msfLatency += 100;
  EXPECT_EQ(transmitCost({1, false}, slow).latency,
            transmitCost({1, false}, {}).latency + 100);
}

} // namespace
} // namespace karakal::target
