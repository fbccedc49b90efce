// The text of the meters of entries.
//
//   meter single_rate;  →  instance own_meters = single_rate_meters(t.METERS);
//                          u32 color(u32 found, u32 length) { … }
//                          control int set_meter(u32 a0, u32 r0, …) { … }

#include "baker-lang/tables/text/MeterText.h"

#include "support/Assert.h"

using namespace mlir;

namespace karakal::lang {

bool MeterText::isSingle() const {
  return *ir::TableOp(table).getMeter() == singleRateMeter;
}

std::string MeterText::wordName() const {
  return ir::TableOp(table).getMeter()->str() + meterSuffix;
}

size_t MeterText::rateCount() const {
  auto kind = ir::TableOp(table).getMeter();
  KARAKAL_ASSERT(kind && meterRates(*kind), "the table has a meter");
  return meterRates(*kind)->size();
}

std::string MeterText::ofRates(
    llvm::function_ref<std::string(const std::string &)> piece) const {
  std::string text;
  for (size_t i = 0; i < rateCount(); ++i)
    text += piece(std::to_string(i));
  return text;
}

/// Refuses what the library's meters refuse.
std::string MeterText::check() const {
  if (isSingle())
    return "if (r1 == 0 && r2 == 0)\nreturn NO_BURST;";
  return "if (r1 == 0 || r3 == 0)\nreturn NOT_BOTH_BURSTS;\n"
         "if (r2 < r0)\nreturn LOW_PEAK_RATE;";
}

/// One more than the largest number of an entry.
std::string MeterText::numbers() const {
  if (hasDenseSlots(kind))
    return "SLOTS";
  if (kind == StructureKind::Direct)
    return "SEARCHED + 1";
  return kind == StructureKind::Hash ? "SLOTS + 1" : "NUMBERS";
}

std::string MeterText::copy() const {
  return ir::TableOp(table).getMeter() ? "\ncopy_meter(old, n);" : "";
}

unsigned MeterText::readerBits() const {
  if (!ir::TableOp(table).getMeter())
    return 0;
  return isSingle() ? HasSingleRate : HasTwoRates;
}

void MeterText::show(ShowText &show) const {
  if (!ir::TableOp(table).getMeter())
    return;
  for (size_t i = 0; i < rateCount(); ++i)
    show.store("(u32)(" + counters.wordOfEntry(wordName()) +
               " != 0 ? rates_of[number_of_place(n)].w[" + std::to_string(i) +
               "] : 0)");
}

std::optional<std::string> MeterText::valueOf(StringRef name) const {
  if (name == "METER_KIND")
    return ir::TableOp(table).getMeter()->str();
  if (name == "METER_COUNT")
    return numbers();
  if (name == "NUMBER_OF_FOUND")
    return buckets ? buckets->numberOfFound() : "found";
  if (name == "RATE_COUNT")
    return std::to_string(rateCount());
  if (name == "METER_OF_FOUND")
    return counters.foundWord(wordName());
  if (name == "METER_OF_ENTRY")
    return counters.wordOfEntry(wordName());
  if (name == "RATE_ARGUMENTS")
    return ofRates([](const std::string &i) { return ", u32 r" + i; });
  if (name == "RATE_NAMES")
    return ofRates([](const std::string &i) { return ", r" + i; });
  if (name == "KEEP_RATES")
    return ofRates([](const std::string &i) {
      return "rates_of[number].w[" + i + "] = r" + i + ";\n";
    });
  if (name == "CHECK_RATES")
    return check();
  return std::nullopt;
}

} // namespace karakal::lang
