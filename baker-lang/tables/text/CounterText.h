// The pieces of Baker text of what look-ups write in entries.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_COUNTERTEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_COUNTERTEXT_H

#include "baker-lang/tables/text/BucketText.h"
#include "baker-lang/tables/text/ShowText.h"

#include <optional>

namespace karakal::lang {

class CounterText {
public:
  /// `buckets`: of a table of buckets, and filled in before the first use.
  CounterText(ir::TableOp table, const std::optional<BucketText> &buckets)
      : table(table), buckets(buckets) {}

  /// The replacement of a placeholder of the templates `counters`, `reset` and
  /// `expire`; std::nullopt if it is in none of them.
  std::optional<std::string> valueOf(llvm::StringRef placeholder) const;
  /// Appends the counters of the entry `n`, and whether it is idle.
  void show(ShowText &show) const;
  /// What `entry_word` returns beyond the words of an entry; `others`: bits for
  /// words that follow the counters'.
  std::string countersWord(unsigned others) const;

  /// A word of the entry that a look-up found, or of the entry `n`.
  std::string foundWord(const std::string &name) const;
  std::string wordOfEntry(const std::string &name) const;

private:
  unsigned fieldOf(const std::string &name) const;
  bool hasCounter(const std::string &name) const;
  std::string countHit() const;
  std::string reset() const;

  ir::TableOp table;
  const std::optional<BucketText> &buckets;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_COUNTERTEXT_H
