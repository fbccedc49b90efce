// Declared tables: their operations and what they agree on.
//
// A table's key is one field or several, each matched in its own way. A control
// function takes for a field of the key, in this order: its value, in two
// parts if it is wider than 64 bits, and the length of its prefix, its mask or
// the end of its range. After the key follow the priority, if a field is
// `ternary` or `range`, and the entry's values:
//
//   routes.add(dst, dst.length, hop)
//   rules.add(src.high, src.low, src.mask.high, src.mask.low, priority, action)

#ifndef KARAKAL_IR_DIALECT_TABLES_H
#define KARAKAL_IR_DIALECT_TABLES_H

#include "ir/dialect/Baker.h"
#include "ir/dialect/MatchKind.h"
#include "support/EntryCounters.h"
#include "support/EntryMeters.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#define GET_OP_CLASSES
#include "ir/dialect/BakerTables.h.inc"

namespace karakal::ir {

/// Returns the kind called `name`, if there is one.
std::optional<MatchKind> matchKindNamed(llvm::StringRef name);
llvm::StringRef nameOf(MatchKind kind);

/// A field of a table's key.
struct TableKey {
  std::string name;
  MatchKind kind = MatchKind::Exact;
  unsigned bits = 0;
};
std::vector<TableKey> keysOf(TableOp table);
/// Whether entries have a priority: a field of the key is ternary or a range.
bool hasPriority(const std::vector<TableKey> &keys);

/// One argument of a table's control functions: `dst.length`, 1 to 64 bits.
struct TableArgument {
  std::string name;
  unsigned bits = 0;
};
/// The arguments that name an entry: those of the key, and the priority.
std::vector<TableArgument> entryArguments(const std::vector<TableKey> &keys);
/// Whether packets may write field number `field` of the record. Such a field
/// starts as zero and is no argument.
bool isMutable(TableOp table, unsigned field);

/// Whether programs cannot name field number `field`: look-ups write it.
bool isHidden(TableOp table, unsigned field);
/// The names of the table's counters.
std::vector<std::string> countersOf(TableOp table);
bool countsBytes(TableOp table);
/// Whether look-ups change the entry that they find.
bool countsHits(TableOp table);

/// The limit of the table that a control function belongs to, or 0.
uint64_t tableLimitOf(mlir::func::FuncOp control);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_TABLES_H
