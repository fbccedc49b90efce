// The pieces of Baker text of the meters of entries.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_METERTEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_METERTEXT_H

#include "baker-lang/tables/TableStructure.h"
#include "baker-lang/tables/text/BucketText.h"
#include "baker-lang/tables/text/CounterText.h"
#include "baker-lang/tables/text/ShowText.h"

#include <optional>

namespace karakal::lang {

class MeterText {
public:
  /// `buckets`: of a table of buckets, and filled in before the first use.
  MeterText(ir::TableOp table, StructureKind kind,
            const std::optional<BucketText> &buckets,
            const CounterText &counters)
      : table(table), kind(kind), buckets(buckets), counters(counters) {}

  /// The replacement of a placeholder of the templates `meters` and `meter`;
  /// std::nullopt if it is in none of them.
  std::optional<std::string> valueOf(llvm::StringRef placeholder) const;
  /// Appends the rates of the entry at place `n`.
  void show(ShowText &show) const;
  /// What readers of entries learn of the meter (support/EntryMeters.h).
  unsigned readerBits() const;
  /// The statement for an entry which moves from the slot `old` to the slot
  /// `n`. Empty without a meter.
  std::string copy() const;

private:
  size_t rateCount() const;
  /// The pieces of all rates, made of their numbers.
  std::string
  ofRates(llvm::function_ref<std::string(const std::string &)> piece) const;
  std::string check() const;
  std::string numbers() const;
  bool isSingle() const;
  /// The word of an entry that says if its rates are set.
  std::string wordName() const;

  ir::TableOp table;
  StructureKind kind;
  const std::optional<BucketText> &buckets;
  const CounterText &counters;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_METERTEXT_H
