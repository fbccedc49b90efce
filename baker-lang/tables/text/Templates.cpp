#include "baker-lang/tables/text/Templates.h"

#include "baker-lang/tables/BitVectors.h"
#include "baker-lang/tables/BucketLayout.h"

namespace karakal::lang {

std::vector<std::string> templatesOf(ir::TableOp table,
                                     const TableStructure &structure) {
  const bool hasMeter = table.getMeter().has_value();
  std::vector<std::string> parts;
  if (hasMeter)
    parts = {"meters"};
  parts.insert(parts.end(), {"header", "key"});
  if (structure.kind == StructureKind::Buckets) {
    parts.push_back("grace");
    if (BucketLayout(table).usesNumbers())
      parts.push_back("numbers");
  } else if (!structure.values) {
    parts.push_back("slot");
  }
  const bool waits = structure.kind == StructureKind::Trie ||
                     structure.kind == StructureKind::CompressedTrie ||
                     structure.kind == StructureKind::BitVectors ||
                     structure.kind == StructureKind::Tuples;
  if (waits)
    parts.push_back("grace");
  if (structure.values)
    parts.push_back("words");
  else if (hasDenseSlots(structure.kind))
    parts.push_back("dense");
  parts.push_back(nameOf(structure.kind));
  if (structure.kind == StructureKind::BitVectors &&
      BitVectors(table).ranges != 0)
    parts.push_back("classes");
  if (structure.kind != StructureKind::Buckets)
    parts.push_back("entries");
  if (structure.kind != StructureKind::Buckets &&
      structure.kind != StructureKind::List)
    parts.push_back("walk");
  if (ir::countsHits(table) || hasMeter)
    parts.push_back("places");
  if (ir::countsHits(table))
    parts.push_back("counters");
  if (table.getCounters())
    parts.push_back("reset");
  if (table.getIdle())
    parts.push_back("expire");
  if (hasMeter)
    parts.push_back("meter");
  parts.push_back("control");
  return parts;
}

} // namespace karakal::lang
