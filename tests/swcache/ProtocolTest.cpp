// The delayed-update protocol in every interleaving of the code that
// baker-make-caches makes with a writer that stores and raises at any moment.

#include "tests/swcache/Interleaver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "swcache/Passes.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace karakal::swcache {
namespace {

constexpr const char *program = R"(
module attributes {baker.cache.interval = 1 : i64, baker.cache.packets = 8 : i64} {
baker.global @copy : !baker.array<2 x i32> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 8>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @home : !baker.array<2 x i32> init [1, 1] {baker.cache.copy = @copy, baker.placement = #baker.placement<sram1 at 0>}
func.func @me_main() {
  cf.br ^loop
^loop:
  %ref = baker.global_ref @home : !baker.ref<!baker.array<2 x i32>>
  %w:2 = baker.load_words %ref at 0 : !baker.ref<!baker.array<2 x i32>> -> i32, i32
  func.call @use(%w#0, %w#1) : (i32, i32) -> ()
  cf.br ^loop
}
func.func private @use(i32, i32)
}
)";

/// The program with data of two bursts.
std::string longProgram() {
  std::string text = program;
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  };
  replaceAll("!baker.array<2 x i32>",
             "!baker.struct<\"t\", a : i32, b : i32, c : i32, d : i32, "
             "e : i32, f : i32, g : i32, h : i32, i : i32>");
  replaceAll("init [1, 1]", "init [1, 1, 1, 1, 1, 1, 1, 1, 1]");
  return text;
}

class Protocol : public testing::Test {
protected:
  explicit Protocol(const std::string &text = program) {
    context.loadDialect<ir::BakerDialect, arith::ArithDialect,
                        cf::ControlFlowDialect, func::FuncDialect,
                        LLVM::LLVMDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    PassManager passes(&context);
    passes.addPass(createMakeLookupCaches());
    passes.addPass(createMakeCaches());
    EXPECT_TRUE(succeeded(passes.run(*module)));
  }

  /// Update k sets the data to k + 1 and then the version to k + 1.
  ModelSetting setting(unsigned engines, unsigned contexts, uint32_t uses,
                       unsigned updates) {
    ModelSetting made;
    made.engines = engines;
    made.contextsPerEngine = contexts;
    made.usesMax = uses;
    for (unsigned i = 0; i < updates; ++i) {
      made.writer.push_back([](ModelState &state) {
        for (uint32_t &word : state.home.at("home"))
          ++word;
      });
      made.writer.push_back([](ModelState &state) {
        ++state.home.at("karakal.version.sram1")[0];
      });
    }
    made.invariant = [](const ModelState &state) -> std::string {
      for (const auto &local : state.local) {
        uint32_t seen = local.at("karakal.seen.sram1")[0];
        if (local.at("karakal.lock")[0] != 0 || seen == 0)
          continue;
        if (local.at("copy")[0] < seen)
          return "an update that was seen is lost";
        bool isWriting = state.writerStep % 2 != 0;
        if (!isWriting && seen == state.home.at("karakal.version.sram1")[0] &&
            local.at("copy") != state.home.at("home"))
          return "the version was seen, but the copy is stale";
      }
      return "";
    };
    made.atUse = [](const ModelState &state, unsigned,
                    const std::vector<uint32_t> &words) -> std::string {
      if (words[0] == 0)
        return "a packet used a copy that was never filled";
      if (words[0] != words[1])
        return "a packet used a torn copy";
      return words[0] <= state.home.at("home")[0]
                 ? ""
                 : "a packet used a value that was never written";
    };
    return made;
  }

  void expectSound(const ModelSetting &setting) {
    ModelResult result = explore(*module, setting);
    EXPECT_EQ(result.violation, "");
    EXPECT_GT(result.ends, 0u);
    EXPECT_EQ(result.stuck, 0u);
    EXPECT_GT(result.states, 100u);
    RecordProperty("states", int(result.states));
  }

  /// Makes the refresh leave the generation as it is.
  void freezeGeneration() {
    auto refresh = module->lookupSymbol<func::FuncOp>("karakal.refresh");
    auto counted = *refresh.getOps<arith::AddIOp>().begin();
    counted.getResult().replaceAllUsesWith(counted.getLhs());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Protocol, HoldsForTwoContextsOfAnEngine) {
  expectSound(setting(1, 2, 3, 2));
}

TEST_F(Protocol, HoldsForThreeContextsOfAnEngine) {
  expectSound(setting(1, 3, 2, 1));
}

TEST_F(Protocol, HoldsForTwoEngines) { expectSound(setting(2, 1, 2, 2)); }

TEST_F(Protocol, AVersionReadAfterTheDataLosesUpdates) {
  auto refresh = module->lookupSymbol<func::FuncOp>("karakal.refresh");
  Operation *load = *refresh.getOps<ir::LoadOp>().begin();
  Operation *last = *refresh.getOps<ir::StoreWordsOp>().begin();
  load->getOperand(0).getDefiningOp()->moveAfter(last);
  load->moveAfter(last->getNextNode());
  EXPECT_NE(explore(*module, setting(1, 2, 3, 2)).violation, "");
}

/// The program with packets that write the cached global and raise the version.
std::string writingProgram() {
  std::string text = program;
  auto insert = [&](const std::string &before, const std::string &what) {
    text.insert(text.find(before), what);
  };
  insert("  cf.br ^loop\n}", R"(
  %one = arith.constant 1 : i32
  %new = arith.addi %w#0, %one : i32
  baker.store_words [%new, %new] to %ref at 0 : !baker.ref<!baker.array<2 x i32>>
  %version = arith.constant 8 : i32
  func.call @__ixp_sram_incr(%version) : (i32) -> ()
)");
  insert("func.func private @use", "func.func private @__ixp_sram_incr(i32)\n");
  return text;
}

/// Engines that write: a copy at the current version equals the global.
class WritingEngines : public Protocol {
protected:
  WritingEngines() : Protocol(writingProgram()) {}

  ModelSetting writingSetting(unsigned engines, unsigned contexts,
                              uint32_t uses) {
    ModelSetting made = setting(engines, contexts, uses, 0);
    made.invariant = [](const ModelState &state) -> std::string {
      for (const auto &local : state.local)
        if (local.at("karakal.lock")[0] == 0 && !state.isWriting() &&
            local.at("karakal.seen.sram1") ==
                state.home.at("karakal.version.sram1") &&
            local.at("copy") != state.home.at("home"))
          return "the version was seen, but the copy is stale";
      return "";
    };
    made.atUse = [](const ModelState &, unsigned,
                    const std::vector<uint32_t> &words) -> std::string {
      if (words[0] == 0)
        return "a packet used a copy that was never filled";
      return words[0] == words[1] ? "" : "a packet used a torn copy";
    };
    return made;
  }
};

TEST_F(WritingEngines, HoldsForTwoContextsOfAnEngine) {
  expectSound(writingSetting(1, 2, 3));
}

TEST_F(WritingEngines, HoldsForTwoEngines) {
  expectSound(writingSetting(2, 1, 3));
}

TEST_F(WritingEngines, AVersionRaisedBeforeTheDataLosesUpdates) {
  auto entry = module->lookupSymbol<func::FuncOp>("me_main");
  Operation *store = nullptr, *raise = nullptr;
  entry.walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    if (call && call.getCallee() == "__ixp_sram_incr")
      raise = op;
    else if (isa<ir::StoreWordsOp>(op))
      store = op;
  });
  store->moveAfter(raise);
  ModelSetting setting = writingSetting(2, 1, 3);
  EXPECT_NE(explore(*module, setting).violation, "");
}

constexpr const char *lookupProgram = R"(
module attributes {baker.cache.interval = 1 : i64, baker.cache.packets = 8 : i64} {
baker.global @karakal.generation : i32 {baker.placement = #baker.placement<local at 8>}
baker.global @answers : !baker.array<16 x i32> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 8>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @home : i32 init [1] {baker.placement = #baker.placement<sram1 at 0>}
func.func @me_main() {
  cf.br ^loop
^loop:
  %key = arith.constant 0 : i32
  %found = func.call @find(%key) : (i32) -> i32
  func.call @use(%found) : (i32) -> ()
  cf.br ^loop
}
func.func private @find(%key: i32) -> i32 attributes {baker.kind = #baker.kind<function>, baker.cache.results = @answers} {
  %ref = baker.global_ref @home : !baker.ref<i32>
  %found = baker.load %ref : !baker.ref<i32>
  return %found : i32
}
func.func private @use(i32)
}
)";

/// Cached results: none stays in the CAM after the refresh for a newer update.
class CachedResults : public Protocol {
protected:
  CachedResults() : Protocol(lookupProgram) {}

  ModelSetting resultSetting(unsigned engines, unsigned contexts, uint32_t uses,
                             unsigned updates) {
    ModelSetting made = setting(engines, contexts, uses, updates);
    made.invariant = [](const ModelState &state) -> std::string {
      bool isWriting = state.writerStep % 2 != 0;
      for (const auto &local : state.local) {
        auto cam = local.find(camName);
        if (isWriting || cam == local.end() ||
            local.at("karakal.seen.sram1") !=
                state.home.at("karakal.version.sram1"))
          continue;
        for (size_t at = 0; at < cam->second.size(); at += 3)
          if (cam->second[at + 2] != 0 &&
              local.at("answers")[cam->second[at]] != state.home.at("home")[0])
            return "the version was seen, but a result is stale";
      }
      return "";
    };
    made.atUse = [](const ModelState &state, unsigned,
                    const std::vector<uint32_t> &words) -> std::string {
      return words[0] != 0 && words[0] <= state.home.at("home")[0]
                 ? ""
                 : "a packet used a value that was never written";
    };
    return made;
  }
};

TEST_F(CachedResults, HoldsForTwoContextsOfAnEngine) {
  expectSound(resultSetting(1, 2, 2, 2));
}

TEST_F(CachedResults, HoldsForTwoEngines) {
  expectSound(resultSetting(2, 1, 2, 2));
}

TEST_F(CachedResults, AResultOfAnEarlierGenerationStaysStale) {
  freezeGeneration();
  EXPECT_NE(explore(*module, resultSetting(1, 2, 3, 2)).violation, "");
}

/// A program whose packets read a pair of words from a cache line of `fields`.
std::string lineProgram(const std::string &fields) {
  return R"(
module attributes {baker.cache.interval = 1 : i64, baker.cache.packets = 8 : i64} {
baker.global @karakal.generation : i32 {baker.placement = #baker.placement<local at 8>}
baker.global @lines : !baker.array<16 x !baker.struct<"cache_line", )" +
         fields + R"(>> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 8>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @home : !baker.array<1 x !baker.array<2 x i32>> init [1, 1] {baker.cache.lines = @lines, baker.placement = #baker.placement<sram1 at 0>}
func.func @me_main() {
  cf.br ^loop
^loop:
  %zero = arith.constant 0 : i32
  %ref = baker.global_ref @home : !baker.ref<!baker.array<1 x !baker.array<2 x i32>>>
  %pair = baker.element %ref[%zero] : !baker.ref<!baker.array<1 x !baker.array<2 x i32>>>
  %w:2 = baker.load_words %pair at 0 : !baker.ref<!baker.array<2 x i32>> -> i32, i32
  func.call @use(%w#0, %w#1) : (i32, i32) -> ()
  cf.br ^loop
}
func.func private @use(i32, i32)
}
)";
}

/// Cached elements: none is torn, none stays after the refresh for a newer
/// update.
class CachedElements : public Protocol {
protected:
  explicit CachedElements(
      const std::string &fields = "entry : !baker.array<2 x i32>")
      : Protocol(lineProgram(fields)) {}

  /// Returns the first words of the cache lines that hold the element.
  virtual std::vector<size_t> linesInUse(const ModelState &state,
                                         unsigned engine) const {
    const auto &local = state.local[engine];
    std::vector<size_t> used;
    if (auto cam = local.find(camName); cam != local.end())
      for (size_t at = 0; at < cam->second.size(); at += 3)
        if (cam->second[at + 2] != 0)
          used.push_back(2 * cam->second[at]);
    return used;
  }

  ModelSetting lineSetting(unsigned engines, unsigned contexts, uint32_t uses,
                           unsigned updates) {
    ModelSetting made = setting(engines, contexts, uses, updates);
    made.invariant = [this](const ModelState &now) -> std::string {
      for (unsigned i = 0; i < now.local.size(); ++i) {
        const auto &local = now.local[i];
        if (now.writerStep % 2 != 0 || local.at("karakal.seen.sram1") !=
                                           now.home.at("karakal.version.sram1"))
          continue;
        for (size_t at : linesInUse(now, i))
          if (local.at("lines")[at] != now.home.at("home")[0])
            return "the version was seen, but a cache line is stale";
      }
      return "";
    };
    return made;
  }
};

TEST_F(CachedElements, HoldsForTwoContextsOfAnEngine) {
  expectSound(lineSetting(1, 2, 2, 2));
}

TEST_F(CachedElements, HoldsForTwoEngines) {
  expectSound(lineSetting(2, 1, 2, 2));
}

TEST_F(CachedElements, AnElementOfAnEarlierGenerationStaysStale) {
  freezeGeneration();
  EXPECT_NE(explore(*module, lineSetting(1, 2, 3, 2)).violation, "");
}

/// Elements in a direct-mapped cache.
class DirectMappedElements : public CachedElements {
protected:
  DirectMappedElements()
      : CachedElements("entry : !baker.array<2 x i32>, tag : i32, "
                       "unused : !baker.array<1 x i32>") {}

  std::vector<size_t> linesInUse(const ModelState &now,
                                 unsigned engine) const override {
    // Only cache line 0 can hold element 0.
    return now.local[engine].at("lines")[2] == 0 ? std::vector<size_t>{0}
                                                 : std::vector<size_t>{};
  }
};

TEST_F(DirectMappedElements, HoldsForTwoContextsOfAnEngine) {
  expectSound(lineSetting(1, 2, 2, 2));
}

TEST_F(DirectMappedElements, HoldsForTwoEngines) {
  expectSound(lineSetting(2, 1, 2, 2));
}

TEST_F(DirectMappedElements, AnElementOfAnEarlierGenerationStaysStale) {
  freezeGeneration();
  EXPECT_NE(explore(*module, lineSetting(1, 2, 3, 2)).violation, "");
}

class LongProtocol : public Protocol {
protected:
  LongProtocol() : Protocol(longProgram()) {}
};

TEST_F(LongProtocol, HoldsForTwoContextsOfAnEngine) {
  expectSound(setting(1, 2, 2, 1));
}

TEST_F(LongProtocol, AFillWithoutALockLosesUpdates) {
  // Without a lock contexts fill at the same time, and the older burst may be
  // stored last.
  auto entry = module->lookupSymbol<func::FuncOp>("me_main");
  SmallVector<ir::StoreOp> locks;
  entry.walk([&](ir::StoreOp store) {
    auto ref = store.getRef().getDefiningOp<ir::GlobalRefOp>();
    if (ref && ref.getGlobal() == "karakal.lock")
      locks.push_back(store);
  });
  for (ir::StoreOp store : locks)
    store.erase();
  EXPECT_NE(explore(*module, setting(1, 2, 2, 1)).violation, "");
}

} // namespace
} // namespace karakal::swcache
