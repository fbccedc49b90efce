// The prefixes that a table is expected to hold: counted, or those of a real
// routing table.

#include "baker-lang/tables/PrefixCounts.h"

#include "baker-lang/tables/SlotLayout.h"
#include "support/Assert.h"

#include "llvm/ADT/APInt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace karakal::lang {

using ir::MatchKind;

namespace {

/// A length in a real routing table.
struct RealCount {
  unsigned family; ///< 4 or 6
  unsigned length;
  double prefixes, nodes;
};
/// From traces/npftrace/tables/prefix_counts.txt, which names the tables.
constexpr RealCount realCounts[] = {
#include "baker-lang/tables/PrefixCountRows.inc"
};

/// The counts of the entries tell a table's strides from this share of its
/// size on.
constexpr double observedShareMin = 0.25;

/// A prefix of the packed key.
struct Prefix {
  llvm::APInt bits; ///< the first one is the most significant
  unsigned length = 0;
};

/// The packed prefix that `add` with these arguments gives.
Prefix prefixOf(const std::vector<ir::TableKey> &keys, const KeyLayout &layout,
                const EntryArguments &arguments) {
  Prefix prefix{llvm::APInt(layout.packedBits, 0)};
  std::vector<llvm::APInt> values;
  size_t next = 0;
  for (const ir::TableKey &key : keys) {
    llvm::APInt value(layout.packedBits, 0);
    for (unsigned part = 0; part < (key.bits > 64 ? 2 : 1); ++part)
      value = value.shl(part == 0 ? 0 : 64) |
              llvm::APInt(64, arguments[next++]).zextOrTrunc(layout.packedBits);
    values.push_back(value);
    if (key.kind == MatchKind::Lpm)
      prefix.length = layout.bitsBeforePrefix + unsigned(arguments[next++]);
  }
  for (const KeyLayout::Field &field : layout.packed)
    prefix.bits |=
        values[field.number].shl(layout.packedBits - field.bits - field.offset);
  return prefix;
}

/// The lengths and nodes of sorted prefixes.
void count(const std::vector<Prefix> &prefixes, std::vector<int64_t> &lengths,
           std::vector<int64_t> &nodes) {
  const Prefix *previous = nullptr;
  for (const Prefix &prefix : prefixes) {
    // The first bits that an earlier, longer prefix has had before. Of the
    // prefixes with the same first bits the sorted ones begin with the
    // shortest.
    unsigned shared = 0;
    if (previous)
      shared = std::min((previous->bits ^ prefix.bits).countl_zero() + 1,
                        previous->length);
    if (previous && previous->length == prefix.length &&
        previous->bits == prefix.bits)
      continue;
    ++lengths[prefix.length];
    for (unsigned bits = shared; bits < prefix.length; ++bits)
      ++nodes[bits];
    previous = &prefix;
  }
}

PrefixCounts realTable(unsigned family, unsigned bitsBefore, unsigned bits) {
  PrefixCounts counts;
  unsigned all = bitsBefore + bits;
  counts.prefixes.resize(all + 1);
  counts.nodes.resize(all);
  for (const RealCount &row : realCounts) {
    if (row.family != family)
      continue;
    unsigned length = std::min(row.length, bits);
    counts.prefixes[bitsBefore + length] += row.prefixes;
    if (row.length < bits)
      counts.nodes[bitsBefore + row.length] = row.nodes;
  }
  for (unsigned before = 0; before < bitsBefore; ++before)
    counts.nodes[before] =
        std::min(std::ldexp(1.0, int(before)), counts.count());
  counts.source = family == 4 ? "a real IPv4 table" : "a real IPv6 table";
  return counts;
}

PrefixCounts fullLength(unsigned bits, uint64_t limit) {
  PrefixCounts counts;
  counts.prefixes.resize(bits + 1);
  counts.prefixes[bits] = double(limit);
  for (unsigned before = 0; before < bits; ++before)
    counts.nodes.push_back(
        std::min(std::ldexp(1.0, int(before)), double(limit)));
  counts.source = "entries that share nothing";
  return counts;
}

} // namespace

double PrefixCounts::count() const {
  return std::accumulate(prefixes.begin(), prefixes.end(), 0.0);
}

double PrefixCounts::shareLonger(unsigned bits) const {
  return std::accumulate(prefixes.begin() + bits + 1, prefixes.end(), 0.0) /
         count();
}

double PrefixCounts::nodesFor(unsigned bits, uint64_t entries) const {
  KARAKAL_ASSERT(bits < nodes.size(), "a node is above the end of the key");
  double scale = double(entries) / count();
  double longer = shareLonger(bits) * count();
  if (longer == 0)
    return 0;
  // A larger table of this kind has more blocks. Of a smaller one, drawn at
  // random, each node is there unless all its prefixes are left out.
  double expected =
      scale >= 1
          ? nodes[bits] * scale
          : nodes[bits] * (1 - std::pow(1 - scale, longer / nodes[bits]));
  return std::min({std::ldexp(1.0, int(bits)), expected,
                   std::max(1.0, longer * scale), double(entries)});
}

PrefixCounts prefixCountsOf(ir::TableOp table) {
  std::vector<ir::TableKey> keys = ir::keysOf(table);
  KeyLayout layout(keys);
  KARAKAL_ASSERT(layout.hasLength, "a field of the key is lpm");
  if (auto lengths = table.getPrefixLengths()) {
    PrefixCounts counts;
    counts.prefixes.assign(lengths->begin(), lengths->end());
    auto nodes = *table.getPrefixNodes();
    counts.nodes.assign(nodes.begin(), nodes.end());
    counts.source = "the table's entries";
    counts.isObserved = true;
    return counts;
  }
  unsigned bits = layout.packedBits - layout.bitsBeforePrefix;
  if (bits == 32 || bits == 64 || bits == 128)
    return realTable(bits == 32 ? 4 : 6, layout.bitsBeforePrefix, bits);
  return fullLength(layout.packedBits, table.getLimit());
}

void countPrefixes(ir::TableOp table,
                   const std::vector<EntryArguments> &added) {
  std::vector<ir::TableKey> keys = ir::keysOf(table);
  KeyLayout layout(keys);
  if (!layout.hasLength || table.getPrefixLengths())
    return;
  std::vector<Prefix> prefixes;
  for (const EntryArguments &arguments : added)
    prefixes.push_back(prefixOf(keys, layout, arguments));
  if (auto rows = table.getEntries())
    for (auto row : rows->getAsRange<DenseI64ArrayAttr>())
      prefixes.push_back(prefixOf(
          keys, layout,
          EntryArguments(row.asArrayRef().begin(), row.asArrayRef().end())));
  // The run tells what is wrong with a length that is too long.
  llvm::erase_if(prefixes, [&](const Prefix &prefix) {
    return prefix.length > layout.packedBits;
  });
  if (prefixes.empty() ||
      double(prefixes.size()) < observedShareMin * double(table.getSize()))
    return;
  llvm::sort(prefixes, [](const Prefix &a, const Prefix &b) {
    return a.bits != b.bits ? a.bits.ult(b.bits) : a.length < b.length;
  });
  std::vector<int64_t> lengths(layout.packedBits + 1), nodes(layout.packedBits);
  count(prefixes, lengths, nodes);
  table.setPrefixLengths(lengths);
  table.setPrefixNodes(nodes);
}

} // namespace karakal::lang
