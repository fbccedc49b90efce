// Entries that are found so often that comparing them first pays.

#include "codegen-x86/specialize/HotEntries.h"
#include "codegen-x86/specialize/MaskSets.h"
#include "support/Assert.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace karakal::x86 {

/// Cycles of a wrong guess at a branch, and of one part of a compare.
static constexpr double wrongGuess = 14, compare = 1;

/// Cycles of a look-up that compares nothing first: estimates, which need only
/// tell a search from a compare.
static double searchCycles(const TableShape &table,
                           const std::vector<Rule> &rules, FindForm form) {
  KARAKAL_ASSERT(form == FindForm::Own || form == FindForm::Indexed,
                 "a table that is searched");
  double sets = double(maskSetsOf(rules).size());
  if (form == FindForm::Indexed)
    return 8 + 10 * sets;
  if (table.structure == "list")
    return 4 + 3 * double(rules.size()) / 2;
  // The words of a vector for each byte of the key.
  if (table.structure == "bit_vectors")
    return 10 + 12 * double(table.keyWords());
  if (table.structure == "tuples")
    return 8 + 14 * sets;
  if (table.structure == "trie" || table.structure == "compressed_trie")
    return 14;
  return table.structure == "hash" ? 14 : 2;
}

/// Compares of a rule: one for each word and two for each range.
static double compares(const Rule &rule) {
  double words = std::count_if(rule.masks.begin(), rule.masks.end(),
                               [](uint64_t mask) { return mask != 0; });
  return std::max(1.0, words + 2 * double(rule.bounds.size()));
}

/// The values that a rule allows for the word of a range.
static std::pair<uint64_t, uint64_t> span(const Rule &rule, unsigned word) {
  for (const Bounds &bounds : rule.bounds)
    if (bounds.word == word)
      return {bounds.first, bounds.last};
  // A block of aligned numbers, or anything at all.
  return {rule.values[word],
          rule.values[word] | (~rule.masks[word] & 0xffffffff)};
}

/// Whether no key matches both.
static bool areApart(const Rule &one, const Rule &other) {
  KARAKAL_ASSERT(one.masks.size() == other.masks.size(), "rules of one table");
  for (unsigned i = 0; i < one.masks.size(); ++i)
    if (((one.values[i] ^ other.values[i]) & one.masks[i] & other.masks[i]) !=
        0)
      return true;
  for (const auto *bounds : {&one.bounds, &other.bounds})
    for (const Bounds &each : *bounds) {
      auto [first, last] = span(one, each.word);
      auto [otherFirst, otherLast] = span(other, each.word);
      if (last < otherFirst || otherLast < first)
        return true;
    }
  return false;
}

namespace {

/// The expected cycles of a chain of compares before a search.
class ChainCost {
public:
  explicit ChainCost(double search) : search(search) {}

  void add(double share, double parts) {
    double here = left > 0 ? std::min(share / left, 1.0) : 0;
    spent += left * (parts * compare + std::min(here, 1 - here) * wrongGuess);
    left = std::max(left - share, 0.0);
  }
  double cycles() const { return spent + left * search; }

private:
  double search, spent = 0, left = 1;
};

} // namespace

/// Whether each better rule that overlaps rule `rank` is compared before.
static bool isFree(uint32_t rank, const std::vector<Rule> &rules,
                   const std::vector<HotEntry> &before) {
  for (uint32_t better = 0; better < rank; ++better)
    if (!areApart(rules[better], rules[rank]) &&
        std::none_of(before.begin(), before.end(),
                     [&](const HotEntry &each) { return each.rank == better; }))
      return false;
  return true;
}

/// The rank of the rule of a slot; nothing if it has none.
static std::optional<uint32_t> rankOf(const std::vector<Rule> &rules,
                                      uint32_t slot) {
  for (uint32_t rank = 0; rank < rules.size(); ++rank)
    if (rules[rank].slot == slot)
      return rank;
  return std::nullopt;
}

HotChoice chooseHot(const TableShape &table, const std::vector<Rule> &rules,
                    FindForm form, const Traffic::OfTable &traffic,
                    const SpecializeLimits &limits) {
  HotChoice choice;
  ChainCost cost(searchCycles(table, rules, form));
  choice.cyclesBefore = choice.cycles = cost.cycles();
  std::vector<HotEntry> chain;
  for (const Traffic::Found &found : traffic.slots) {
    if (chain.size() == limits.hotMax || found.share < limits.hotShareMin)
      break;
    std::optional<uint32_t> rank = rankOf(rules, found.slot);
    if (!rank || (!limits.ignoresOverlaps && !isFree(*rank, rules, chain)))
      continue;
    chain.push_back({*rank, found.share});
    cost.add(found.share, compares(rules[*rank]));
    if (cost.cycles() < choice.cycles) {
      choice.cycles = cost.cycles();
      choice.entries = chain;
    }
  }
  if (choice.cyclesBefore - choice.cycles <
      limits.hotGainMin * choice.cyclesBefore) {
    choice.entries.clear();
    choice.cycles = choice.cyclesBefore;
  }
  return choice;
}

static std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

/// The key as the table declares it: numbers in hexadecimal, masks after `&`.
static std::string keyText(const Rule &rule, const TableShape &table) {
  auto number = [](uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    return std::string(text);
  };
  /// Bits of the packed words, at most the lowest 64 of a field.
  auto bitsOf = [&](const std::vector<uint64_t> &words, unsigned first,
                    unsigned count) {
    uint64_t value = 0;
    for (unsigned bit = first; bit < first + count; ++bit)
      value = value << 1 | (words[bit / 64] >> (63 - bit % 64) & 1);
    return value;
  };
  std::vector<std::pair<unsigned, std::string>> fields;
  for (const TableShape::Field &field : table.packed) {
    uint64_t ones =
        field.bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << field.bits) - 1;
    uint64_t mask = bitsOf(rule.masks, field.offset, field.bits);
    std::string text =
        mask == 0 ? "any"
                  : number(bitsOf(rule.values, field.offset, field.bits));
    if (mask != 0 && mask != ones)
      text += " & " + number(mask);
    fields.emplace_back(field.parameter, text);
  }
  for (size_t i = 0; i < table.ranges.size(); ++i) {
    auto [first, last] =
        span(rule, keyWordsOf(table) - unsigned(table.ranges.size() - i));
    fields.emplace_back(table.ranges[i].parameter,
                        number(first) + ".." + number(last));
  }
  std::sort(fields.begin(), fields.end());
  std::string text;
  for (const auto &[parameter, field] : fields)
    text += (text.empty() ? "" : ", ") + field;
  return text;
}

std::string describe(const HotChoice &hot, const TableShape &table,
                     const std::vector<Rule> &rules) {
  KARAKAL_ASSERT(!hot.entries.empty(), "something to describe");
  std::string text;
  double share = 0;
  for (const HotEntry &each : hot.entries) {
    text += (text.empty() ? "" : ", ") +
            ("(" + keyText(rules[each.rank], table)) + ") " +
            percent(each.share);
    share += each.share;
  }
  char saved[80];
  std::snprintf(saved, sizeof saved, "; about %.0f of %.0f cycles saved",
                hot.cyclesBefore - hot.cycles, hot.cyclesBefore);
  return std::to_string(hot.entries.size()) + " hot entries compared first, " +
         percent(share) + " of its look-ups: " + text + saved;
}

bool orderByTraffic(std::vector<Rule> &rules, const Traffic::OfTable &traffic) {
  bool hasMoved = false;
  for (size_t i = 1; i < rules.size(); ++i)
    for (size_t at = i; at != 0 &&
                        traffic.shareOf(rules[at].slot) >
                            traffic.shareOf(rules[at - 1].slot) &&
                        areApart(rules[at], rules[at - 1]);
         --at) {
      std::swap(rules[at], rules[at - 1]);
      hasMoved = true;
    }
  return hasMoved;
}

} // namespace karakal::x86
