// The pieces of Baker text of what look-ups write in entries.

#ifndef KARAKAL_BAKER_LANG_TABLES_TALLYTEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TALLYTEXT_H

#include "baker-lang/tables/BucketText.h"
#include "baker-lang/tables/ShowText.h"

#include <optional>

namespace karakal::lang {

class TallyText {
public:
  /// `buckets`: of a table of buckets, and filled in before the first use.
  TallyText(ir::TableOp table, const std::optional<BucketText> &buckets)
      : table(table), buckets(buckets) {}

  /// The replacement of a placeholder of `tally`, `reset` or `expire`; nothing
  /// if it is another's.
  std::optional<std::string> valueOf(llvm::StringRef placeholder) const;
  /// Appends the counters of the entry `n`, and whether it is idle.
  void show(ShowText &show) const;

private:
  unsigned fieldOf(const std::string &name) const;
  /// A word of the entry that a look-up found, or of the entry `n`.
  std::string foundWord(const std::string &name) const;
  std::string wordOfEntry(const std::string &name) const;
  bool hasCounter(const std::string &name) const;
  std::string tally() const;
  std::string told() const;
  std::string reset() const;

  ir::TableOp table;
  const std::optional<BucketText> &buckets;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TALLYTEXT_H
