// The syntax tree: what look-ups write in the entries of a table. They are the
// last fields of its record (support/EntryCounters.h).

#ifndef KARAKAL_BAKER_LANG_TREE_TABLECOUNTERS_H
#define KARAKAL_BAKER_LANG_TREE_TABLECOUNTERS_H

#include "baker-lang/tree/TableDecl.h"
#include "support/EntryCounters.h"
#include "support/EntryMeters.h"

#include <vector>

namespace karakal::lang {

/// Whether look-ups write the field, which no program can name.
inline bool isHidden(const StructField &field) {
  return isHiddenField(field.name.name);
}

/// The names of the counters, as they are written.
inline std::vector<std::string> countersOf(const TableDecl &table) {
  const std::string low = counterLow;
  std::vector<std::string> names;
  for (const StructField &field : table.record->fields) {
    const std::string &name = field.name.name;
    if (name.size() > low.size() &&
        name.compare(name.size() - low.size(), low.size(), low) == 0)
      names.push_back(name.substr(0, name.size() - low.size()));
  }
  return names;
}

inline bool countsBytes(const TableDecl &table) {
  for (const std::string &counter : countersOf(table))
    if (counter == bytesCounter)
      return true;
  return false;
}

inline bool hasIdleMark(const TableDecl &table) {
  return !table.record->fields.empty() &&
         table.record->fields.back().name.name == idleMark;
}

/// Whether look-ups change the entry that they find.
inline bool countsHits(const TableDecl &table) {
  return hasIdleMark(table) || !countersOf(table).empty();
}

/// The kind of the entries' meters; empty: they have none.
inline std::string meterOf(const TableDecl &table) {
  for (const StructField &field : table.record->fields)
    for (const char *kind : {singleRateMeter, twoRateMeter})
      if (field.name.name == std::string(kind) + meterSuffix)
        return kind;
  return "";
}

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_TABLECOUNTERS_H
