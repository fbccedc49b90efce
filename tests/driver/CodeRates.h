// Programs of the tests of rates. Their code is written in assembly, so that
// its cost is counted by hand.

#ifndef KARAKAL_TESTS_DRIVER_CODERATES_H
#define KARAKAL_TESTS_DRIVER_CODERATES_H

#include "driver/cores/EngineAssignment.h"
#include "driver/report/MinimumRate.h"

#include "ir/dialect/Attributes.h"
#include "target-ixp/assembler/Assembler.h"
#include "tests/ir/ModuleText.h"

#include <gmock/gmock.h>

namespace karakal::driver {

inline const target::ChipParameters chip;

/// Words of the dispatch loop around the instructions of a test, and the slots
/// that are lost at its swap and its branch.
inline constexpr double loopCycles = 3 + 2;
inline double emptyIssue() { return loopCycles + double(chip.meSwapSlots); }

/// A dispatch loop that polls scratch ring 4, then executes `body`.
inline target::Microcode codeOf(const std::string &body) {
  std::vector<target::Diagnostic> problems;
  auto program = target::assembleText(
      ".reg a b\n.reg read $r0 $r1\n.xfer_order $r0 $r1\n.sig s\n"
      "turn#:\n    immed[a, 0x10]\n"
      "    scratch[get, $r0, a, 0, 2], ctx_swap[s]\n" +
          body + "    br[turn#]\n",
      "dir/test.uc", {}, problems);
  for (const target::Diagnostic &problem : problems)
    ADD_FAILURE() << problem.str();
  target::Microcode code = *program;
  code.loops.push_back({program->labels.at("turn"), 1, 0});
  code.frequencies.assign(code.words.size(), 1);
  code.taken.assign(code.words.size(), 0);
  code.taken.back() = 1;
  return code;
}

/// So many instructions of one cycle.
inline std::string cycles(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += "    alu[b, b, +, 1]\n";
  return text;
}

/// A program of two aggregates: Rx, @f on "front", a ring, @g on "back".
/// Every packet goes on, unless the profile of @c says otherwise.
inline const char *const twoAggregates = R"(
module attributes {MODULE} {
  baker.global @guard : i32 {baker.placement = #baker.placement<MEMORY at 0>}
  baker.channel @rx : "p" from "rx" to @f {baker.via = #baker.via<ring>, baker.ring = 0 : i32, baker.id = 1 : i32 RX}
  baker.channel @c : "p" from "f" to @g {baker.via = #baker.via<ring>, baker.ring = 4 : i32, baker.id = 2 : i32 C}
  baker.channel @called : "p" from "f" to @g {baker.via = #baker.via<call>, baker.id = 3 : i32 C}
  baker.channel @out : "p" from "g" to @tx {baker.via = #baker.via<ring>, baker.ring = 1 : i32, baker.id = 4 : i32 C}
  func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "front"} {
    baker.channel_put @c, %ph : !baker.packet<"p">
    return
  }
  func.func @g(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "back"} {
    LOCK
    baker.channel_put @out, %ph : !baker.packet<"p">
    return
  }
})";

/// Replaces each `from` by `to`.
inline std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class CodeRates : public ir::ModuleText {
protected:
  CodeRates() { read(twoAggregates); }

  struct Profile {
    unsigned received, passed;
  };

  void read(std::string text, std::optional<Profile> profile = std::nullopt,
            const std::string &lockIn = "") {
    auto packets = [](unsigned count) {
      return ", baker.profile = {packets = " + std::to_string(count) +
             " : i64}";
    };
    text = replaced(text, "MODULE",
                    profile ? "baker.profile = {received = " +
                                  std::to_string(profile->received) +
                                  " : i64, traces = 1 : i64}"
                            : "");
    text = replaced(text, " RX}",
                    (profile ? packets(profile->received) : "") + "}");
    text =
        replaced(text, " C}", (profile ? packets(profile->passed) : "") + "}");
    text = replaced(text, "MEMORY", lockIn.empty() ? "scratch" : lockIn);
    text = replaced(text, "LOCK",
                    lockIn.empty()
                        ? ""
                        : "%guard = baker.global_ref @guard : !baker.ref<i32>\n"
                          "baker.lock %guard : !baker.ref<i32>\n"
                          "baker.unlock %guard : !baker.ref<i32>");
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }

  /// Aggregates with these engines and so many cycles for a message.
  std::vector<AggregateCode> aggregates(std::vector<uint32_t> front,
                                        unsigned frontCycles,
                                        std::vector<uint32_t> back,
                                        unsigned backCycles) {
    std::vector<AggregateCode> engines(2);
    engines[0].plan = {"front", std::move(front)};
    engines[0].code = codeOf(cycles(frontCycles));
    engines[1].plan = {"back", std::move(back)};
    engines[1].code = codeOf(cycles(backCycles));
    return engines;
  }

  std::vector<agg::Stage> stages(const std::vector<AggregateCode> &engines) {
    return stagesOf(*module, engines);
  }
  MinimumRate minimum(const std::vector<AggregateCode> &engines) {
    auto rate = computeMinimumRate(*module, engines);
    EXPECT_TRUE(bool(rate)) << rate.error().str();
    return *rate;
  }
  void reassign(std::vector<AggregateCode> &engines) {
    reassignEngines(*module, engines);
  }
};

/// The class whose rate is promised.
inline const ClassRate &promised(const MinimumRate &rate) {
  return rate.classes[rate.slowest];
}

} // namespace karakal::driver

#endif // KARAKAL_TESTS_DRIVER_CODERATES_H
