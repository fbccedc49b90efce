// Code that cores run in bursts while another thread exchanges it.
//
//   core      begin ── burst ── end    begin ── burst ── end
//   owner              offer(new)                take unused: old
//
// A core says which code it is about to run and then looks whether that is
// still the one that is offered; the owner withdraws code first and then looks
// whether a core runs it. Both steps are in one order that all threads see, so
// no core begins with code that the owner has found unused. That is the grace
// period: code stays until the bursts that began with it have ended.

#ifndef KARAKAL_CODEGEN_X86_CODEEXCHANGE_H
#define KARAKAL_CODEGEN_X86_CODEEXCHANGE_H

#include "support/Assert.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace karakal::x86 {

template <typename Code> class CodeExchange {
public:
  explicit CodeExchange(uint32_t cores)
      : count(cores), running(new Running[cores]) {}

  // For the thread of a core.
  /// The code for a burst, which stays until `end`; null if there is none.
  const Code *begin(uint32_t core) {
    std::atomic<const Code *> &mine = running[core].code;
    KARAKAL_ASSERT(!mine.load(std::memory_order_relaxed), "bursts do not nest");
    const Code *code = offered.load();
    while (code) {
      mine.store(code);
      const Code *now = offered.load();
      if (now == code)
        return code;
      code = now;
    }
    mine.store(nullptr, std::memory_order_release);
    return nullptr;
  }
  void end(uint32_t core) {
    running[core].code.store(nullptr, std::memory_order_release);
  }

  // For one thread at a time.
  /// Offers `code` instead of what was offered; null: nothing.
  void offer(std::unique_ptr<const Code> code) {
    offered.store(code.get());
    if (current)
      old.push_back(std::move(current));
    current = std::move(code);
  }
  const Code *get() const { return current.get(); }
  /// What was offered and no core runs any more.
  std::vector<std::unique_ptr<const Code>> takeUnused() {
    auto isUsed = [&](const std::unique_ptr<const Code> &code) {
      return std::any_of(
          running.get(), running.get() + count,
          [&](const auto &core) { return core.code.load() == code.get(); });
    };
    auto first = std::partition(old.begin(), old.end(), isUsed);
    std::vector<std::unique_ptr<const Code>> unused(
        std::make_move_iterator(first), std::make_move_iterator(old.end()));
    old.erase(first, old.end());
    return unused;
  }
  bool hasOld() const { return !old.empty(); }

private:
  struct alignas(64) Running {
    std::atomic<const Code *> code{nullptr};
  };
  uint32_t count;
  std::unique_ptr<Running[]> running;
  std::atomic<const Code *> offered{nullptr};
  std::unique_ptr<const Code> current;
  std::vector<std::unique_ptr<const Code>> old;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_CODEEXCHANGE_H
