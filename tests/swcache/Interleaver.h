// A model checker for all interleavings of an engine's contexts.
//
// Executes the IR that baker-make-caches makes in every order in which contexts
// and memories can act. A context runs undisturbed from one memory command to
// the next, as on a microengine. A read takes effect at some later moment, and
// its context goes on at an even later one. Other contexts and the writer may
// act in between. Writes and raised versions of a context take effect in order
// and before its next read, but the context does not wait for them.

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

/// The name under which an engine's local memory holds its CAM.
inline constexpr const char *camName = "cam";

/// A state of the model.
struct ModelState {
  /// A pending write to a global. Without a global it raises the versions.
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
    std::vector<uint32_t> calls;  ///< operations, innermost last; empty: ended
    std::vector<uint32_t> values; ///< by number of the SSA value
    bool isPerformed = false;     ///< its command has taken effect
    uint32_t uses = 0;            ///< packets so far
    std::vector<Write> writes;    ///< pending, oldest first
    bool operator<(const Context &o) const {
      return std::tie(calls, values, isPerformed, uses, writes) <
             std::tie(o.calls, o.values, o.isPerformed, o.uses, o.writes);
    }
  };
  /// Whether an engine has written but not raised the version yet.
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
  /// The steps of the writer, in order.
  std::vector<std::function<void(ModelState &)>> writer;
  /// Checks a state: returns an error message, or an empty string.
  std::function<std::string(const ModelState &)> invariant;
  /// Checks the words that a packet of an engine uses, in the same way.
  std::function<std::string(const ModelState &, unsigned engine,
                            const std::vector<uint32_t> &)>
      atUse;
};

struct ModelResult {
  uint64_t states = 0, ends = 0;
  /// States from which no order leads to the end of all contexts.
  uint64_t stuck = 0;
  std::string violation; ///< the first
};

/// Explores all states that `me_main` of `module` reaches.
ModelResult explore(mlir::ModuleOp module, const ModelSetting &setting);

} // namespace karakal::swcache

#endif // KARAKAL_TESTS_SWCACHE_INTERLEAVER_H
