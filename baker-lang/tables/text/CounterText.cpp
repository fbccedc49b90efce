// The text of what look-ups write in entries.
//
//   counters { packets; }  →  u32 packets = atomic_add(entries[found].v1, 1);
//                             if (((packets ^ packets + 1) & 0x80000000) != 0)
//                               atomic_add(entries[found].v2, 1);

#include "baker-lang/tables/text/CounterText.h"

#include "baker-lang/tables/SlotLayout.h"
#include "support/Assert.h"
#include "support/EntryCounters.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace karakal::lang {

unsigned CounterText::fieldOf(const std::string &name) const {
  auto record = cast<ir::StructType>(ir::TableOp(table).getRecord());
  auto field = record.fieldIndex(name);
  KARAKAL_ASSERT(field, "the record has the words that look-ups write");
  return unsigned(*field);
}

std::string CounterText::foundWord(const std::string &name) const {
  unsigned field = fieldOf(name);
  return buckets ? buckets->fieldOf(field)
                 : "entries[found]." + slotField(field);
}

std::string CounterText::wordOfEntry(const std::string &name) const {
  return std::string(buckets ? "states" : "entries") + "[number_of_place(n)]." +
         slotField(fieldOf(name));
}

bool CounterText::hasCounter(const std::string &name) const {
  return llvm::is_contained(ir::countersOf(table), name);
}

std::string CounterText::countHit() const {
  std::string text;
  for (const std::string &counter : ir::countersOf(table)) {
    std::string amount = counter == bytesCounter ? "length" : "1";
    text += "u32 " + counter + " = atomic_add(" +
            foundWord(counter + counterLow) + ", " + amount + ");\n" +
            "if (((" + counter + " ^ " + counter + " + " + amount +
            ") & 0x80000000) != 0)\natomic_add(" +
            foundWord(counter + counterHigh) + ", 1);\n";
  }
  if (ir::TableOp(table).getIdle())
    text += foundWord(idleMark) + " = NOTED;";
  return text;
}

/// Takes from `high` what belongs to the `low` that was taken away, also if a
/// packet adds a part of it later.
std::string CounterText::reset() const {
  std::string text;
  for (const std::string &counter : ir::countersOf(table)) {
    std::string high = wordOfEntry(counter + counterHigh);
    text += "u32 " + counter + " = atomic_add(" + high + ", 0);\n" +
            "atomic_add(" + high + ", 0 - turns(" + counter + ", atomic_swap(" +
            wordOfEntry(counter + counterLow) + ", 0)));\n";
  }
  return text;
}

/// Atomic operations read the words, because they keep their order.
void CounterText::show(ShowText &show) const {
  for (const std::string counter : {packetsCounter, bytesCounter}) {
    if (!hasCounter(counter))
      continue;
    std::string high = counter + "_high";
    show.text += "u32 " + high + " = atomic_add(" +
                 wordOfEntry(counter + counterHigh) + ", 0);\nu32 " + counter +
                 " = atomic_add(" + wordOfEntry(counter + counterLow) +
                 ", 0);\n";
    show.store("turns(" + high + ", " + counter + ") >> 1");
    show.store(counter);
  }
  if (ir::TableOp(table).getIdle())
    show.store("(u32)(" + wordOfEntry(idleMark) + " == NOTED ? 0 : 1)");
}

std::string CounterText::countersWord(unsigned others) const {
  unsigned bits = others | hasCounter(packetsCounter) * HasPackets |
                  hasCounter(bytesCounter) * HasBytes |
                  ir::TableOp(table).getIdle() * HasIdle;
  if (bits == 0)
    return "0";
  return "i == " + std::to_string(CountersWord) + " ? " + std::to_string(bits) +
         " : 0";
}

std::optional<std::string> CounterText::valueOf(StringRef name) const {
  if (name == "FOUND")
    return std::string("u32");
  if (name == "BYTES_PARAMETER")
    return std::string(ir::countsBytes(table) ? ", u32 length" : "");
  if (name == "IS_HIT")
    return buckets ? buckets->isHit() : "found != 0";
  if (name == "COUNT_HIT")
    return countHit();
  if (name == "COUNTERS_INDEX")
    return buckets ? buckets->numberOfPlace("n") : "n";
  if (name == "RESET")
    return reset();
  if (name == "MARK")
    return wordOfEntry(idleMark);
  if (name == "REMOVE_PLACE")
    return buckets ? "place_of_key();\nwithdraw(place);\n" +
                         *buckets->valueOf("FREE_DATA")
                   : "withdraw(place);\nfree_slot(place);";
  return std::nullopt;
}

} // namespace karakal::lang
