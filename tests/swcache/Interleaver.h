// All interleavings of an engine's contexts.
//
// Runs the code that baker-make-caches makes, as it stands in the IR, in every
// order in which contexts and memories can act. A context runs undisturbed from
// one memory command to the next, as on a microengine. A read takes effect at
// some later moment, and its context goes on at one later still; other contexts
// and the writer may act in between. Writes and raised versions of a context
// take effect in their order and before its next read, but it does not wait.

#ifndef KARAKAL_TESTS_SWCACHE_INTERLEAVER_H
#define KARAKAL_TESTS_SWCACHE_INTERLEAVER_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace karakal::swcache {

/// The CAM among the local memory of an engine.
inline constexpr const char *camName = "cam";

/// Everything that can differ between two moments.
struct ModelState {
  /// Words on the way to the home of a global; no global: versions go up.
  struct Write {
    std::string global;
    uint64_t word = 0;
    std::vector<uint32_t> values;
    bool operator<(const Write &o) const {
      return std::tie(global, word, values) <
             std::tie(o.global, o.word, o.values);
    }
  };
  struct Context {
    std::vector<uint32_t> calls;  ///< operations: innermost last; empty: ended
    std::vector<uint32_t> values; ///< by number of the SSA value
    bool isPerformed = false;     ///< the command at hand has taken effect
    uint32_t uses = 0;            ///< packets so far
    std::vector<Write> writes;    ///< on their way, the first first
    bool operator<(const Context &o) const {
      return std::tie(calls, values, isPerformed, uses, writes) <
             std::tie(o.calls, o.values, o.isPerformed, o.uses, o.writes);
    }
  };
  /// Whether a write of an engine has no version behind it yet.
  bool isWriting() const {
    return std::any_of(contexts.begin(), contexts.end(),
                       [](const Context &c) { return !c.writes.empty(); });
  }
  std::map<std::string, std::vector<uint32_t>> home;
  std::vector<std::map<std::string, std::vector<uint32_t>>> local; ///< engines
  std::vector<Context> contexts;
  uint32_t writerStep = 0;
  bool operator<(const ModelState &o) const {
    return std::tie(writerStep, home, local, contexts) <
           std::tie(o.writerStep, o.home, o.local, o.contexts);
  }
};

struct ModelSetting {
  unsigned engines = 1, contextsPerEngine = 2;
  uint32_t usesMax = 3; ///< packets of each context
  /// The writer's steps on the home memory, one after the other.
  std::vector<std::function<void(ModelState &)>> writer;
  /// Holds in every state; a text says what is wrong.
  std::function<std::string(const ModelState &)> invariant;
  /// Holds of the words that a packet of an engine uses.
  std::function<std::string(const ModelState &, unsigned engine,
                            const std::vector<uint32_t> &)>
      atUse;
};

struct ModelResult {
  uint64_t states = 0, ends = 0;
  /// States from which no order leads to an end.
  uint64_t stuck = 0;
  std::string violation; ///< the first
};

/// Explores all states that `me_main` of `module` reaches.
ModelResult explore(mlir::ModuleOp module, const ModelSetting &setting);

} // namespace karakal::swcache

#endif // KARAKAL_TESTS_SWCACHE_INTERLEAVER_H
