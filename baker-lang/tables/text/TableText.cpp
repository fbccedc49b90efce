// The Baker text of a table: fills in a structure's template.
//
//   u32 find($KEY_PARAMETERS$) {         u32 find(u32 p0) {
//     $KEY_WORDS_OF_PARAMETERS$     →      u32 k0 = (u32)(p0 >> 0) << 0;

#include "baker-lang/tables/text/TableText.h"

#include "baker-lang/tables/SlotLayout.h"
#include "baker-lang/tables/text/BitVectorText.h"
#include "baker-lang/tables/text/BucketText.h"
#include "baker-lang/tables/text/CounterText.h"
#include "baker-lang/tables/text/MeterText.h"
#include "baker-lang/tables/text/PackedWords.h"
#include "baker-lang/tables/text/ShowText.h"
#include "baker-lang/tables/text/Templates.h"
#include "baker-lang/tables/text/TrieText.h"
#include "baker-lang/tables/text/TupleText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <functional>

using namespace mlir;

namespace karakal::lang {

using ir::MatchKind;

namespace {

class TableWriter {
public:
  TableWriter(ir::TableOp table, const TableStructure &structure)
      : table(table), structure(structure), keys(ir::keysOf(table)),
        layout(keys), record(cast<ir::StructType>(table.getRecord())),
        counters(table, buckets),
        meter(table, structure.kind, buckets, counters) {
    if (structure.kind == StructureKind::Buckets)
      buckets.emplace(table, hash());
  }

  /// The replacement of a placeholder.
  std::string valueOf(StringRef placeholder);

private:
  std::optional<uint64_t> numberOf(StringRef placeholder);
  /// What a look-up takes at most, in ticks of the timestamp: those that make
  /// many accesses have 64 more for each access or tuple.
  uint64_t graceTicks() const {
    uint64_t visits = structure.kind == StructureKind::BitVectors
                          ? BitVectors(table).accesses()
                      : isTuples() ? tuplesMax
                                   : 0;
    return 1024 + 64 * visits;
  }
  std::optional<std::string> listOf(StringRef placeholder);
  /// Whether a look-up compares entries in order of priority.
  bool hasChains() const {
    return structure.kind == StructureKind::List || isTuples();
  }
  bool isTuples() const { return structure.kind == StructureKind::Tuples; }
  /// What tells which of two entries of equal priority is the older one, if
  /// `walk` does not visit entries in their order.
  std::string age() const {
    return isTuples()                                    ? "ages[n]"
           : structure.kind == StructureKind::BitVectors ? "positions[n]"
                                                         : "";
  }
  std::string typeOf(unsigned field) {
    return cast<StringAttr>(table.getTypes()[field]).str();
  }
  unsigned fieldCount() { return unsigned(record.getFieldTypes().size()); }
  /// `count` pieces, joined.
  std::string joined(unsigned count, const char *separator,
                     const std::function<std::string(unsigned)> &piece) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      std::string next = piece(i);
      if (!next.empty())
        text += (text.empty() ? "" : separator) + next;
    }
    return text;
  }
  /// Names of the arguments of the key: `a0`, `a1`, …
  std::string keyArguments(bool withTypes);
  std::string valueArguments(bool withTypes);
  std::string setKey();
  std::string setPrefix(unsigned number, unsigned argument);
  std::string setMasks();
  /// The packed fields of the arguments; `ofMasks`: their masks.
  std::vector<Part> argumentParts(bool ofMasks);
  unsigned argumentOf(unsigned key) const;
  std::string storeValues(const char *slot, bool clearsMutable);
  std::string change();
  /// The expression of a value of slot `n`.
  std::string valueOfSlot(const char *slot, unsigned field);
  std::string keyWords();
  std::string hash();
  std::string slotWords();
  std::string difference();
  std::string defaultSlot(unsigned field);
  std::string readers();
  ShowText show();
  std::string initial();

  ir::TableOp table;
  const TableStructure &structure;
  std::vector<ir::TableKey> keys;
  KeyLayout layout;
  ir::StructType record;
  std::optional<BucketText> buckets;
  CounterText counters;
  MeterText meter;
};

std::string TableWriter::keyArguments(bool withTypes) {
  auto arguments = ir::entryArguments(keys);
  return joined(unsigned(arguments.size()), ", ", [&](unsigned i) {
    std::string type = "u" + std::to_string(arguments[i].bits) + " ";
    return (withTypes ? type : "") + numbered("a", i);
  });
}

std::string TableWriter::valueArguments(bool withTypes) {
  return joined(fieldCount(), ", ", [&](unsigned i) {
    if (ir::isMutable(table, i))
      return std::string();
    return (withTypes ? typeOf(i) + " " : "") + numbered("x", i);
  });
}

/// The number of the first argument of a field of the key.
unsigned TableWriter::argumentOf(unsigned key) const {
  std::vector<ir::TableKey> before(keys.begin(), keys.begin() + key);
  return unsigned(ir::entryArguments(before).size()) - ir::hasPriority(before);
}

static unsigned partCount(unsigned bits) { return bits > 64 ? 2 : 1; }

std::vector<Part> TableWriter::argumentParts(bool ofMasks) {
  std::vector<Part> parts;
  for (const KeyLayout::Field &field : layout.packed) {
    unsigned at = argumentOf(field.number);
    MatchKind kind = keys[field.number].kind;
    if (ofMasks && kind == MatchKind::Exact) {
      unsigned high = field.bits > 64 ? field.bits - 64 : 0;
      if (high != 0)
        parts.push_back({"(u64)0xffffffffffffffff", high, field.offset});
      parts.push_back(
          {"(u64)0xffffffffffffffff", field.bits - high, field.offset + high});
      continue;
    }
    if (ofMasks && kind == MatchKind::Lpm) {
      std::string length = numbered("a", at + partCount(field.bits));
      std::string bits = std::to_string(field.bits);
      parts.push_back({"~((u" + bits + ")0xffffffffffffffff >> " + length + ")",
                       field.bits, field.offset});
      continue;
    }
    if (ofMasks)
      at += partCount(field.bits);
    if (field.bits > 64) {
      parts.push_back({numbered("a", at), field.bits - 64, field.offset});
      parts.push_back(
          {numbered("a", at + 1), 64, field.offset + field.bits - 64});
    } else {
      parts.push_back({numbered("a", at), field.bits, field.offset});
    }
  }
  return parts;
}

/// Refuses a prefix that is too long, and bits beyond its length.
std::string TableWriter::setPrefix(unsigned number, unsigned argument) {
  unsigned bits = keys[number].bits;
  std::string length = numbered("a", argument + partCount(bits));
  std::string text =
      "if (" + length + " > " + std::to_string(bits) + ") return BAD_LENGTH;\n";
  auto beyond = [&](const std::string &part, const std::string &rest) {
    return "(" + part + " & ((u64)1 << " + rest + ") - 1) != 0";
  };
  std::string rest = std::to_string(bits) + " - " + length;
  if (bits <= 64)
    return text + "if (" + beyond(numbered("a", argument), rest) +
           ") return BEYOND_PREFIX;\n";
  std::string high = numbered("a", argument), low = numbered("a", argument + 1);
  unsigned highBits = bits - 64;
  std::string edge = std::to_string(highBits);
  return text + "if (" + length + " >= " + edge + " ? " + beyond(low, rest) +
         " : " + low + " != 0 || " + beyond(high, edge + " - " + length) +
         ") return BEYOND_PREFIX;\n";
}

std::string TableWriter::setMasks() {
  std::string text;
  std::vector<Part> masks = argumentParts(true);
  for (unsigned i = 0; i < layout.packedWords; ++i) {
    std::string value = "key[" + std::to_string(i) + "]";
    std::string mask = "key[" + std::to_string(layout.packedWords + i) + "]";
    text += mask + " = " + packedWord(masks, i) + ";\n";
    text += "if ((" + value + " & ~" + mask + ") != 0) return BEYOND_MASK;\n";
  }
  unsigned next = 2 * layout.packedWords;
  for (unsigned number : layout.ranges) {
    unsigned at = argumentOf(number);
    std::string first = numbered("a", at), last = numbered("a", at + 1);
    text += "if (" + first + " > " + last + ") return BAD_RANGE;\n";
    text += "key[" + std::to_string(next++) + "] = " + first + ";\n";
    text += "key[" + std::to_string(next++) + "] = " + last + ";\n";
  }
  unsigned priority = unsigned(ir::entryArguments(keys).size()) - 1;
  return text + "key[" + std::to_string(next) +
         "] = " + numbered("a", priority) + ";\n";
}

std::string TableWriter::setKey() {
  std::string text;
  for (unsigned i = 0; i < keys.size(); ++i)
    if (keys[i].kind == MatchKind::Lpm)
      text += setPrefix(i, argumentOf(i));
  std::vector<Part> parts = argumentParts(false);
  for (unsigned i = 0; i < layout.packedWords; ++i)
    text += "key[" + std::to_string(i) + "] = " + packedWord(parts, i) + ";\n";
  if (layout.hasMasks)
    return text + setMasks();
  if (!layout.hasLength)
    return text;
  for (unsigned i = 0; i < keys.size(); ++i)
    if (keys[i].kind == MatchKind::Lpm)
      text +=
          "key[KEY_WORDS - 1] = " + std::to_string(layout.bitsBeforePrefix) +
          " + " + numbered("a", argumentOf(i) + partCount(keys[i].bits)) +
          ";\n";
  return text;
}

std::string TableWriter::valueOfSlot(const char *slot, unsigned field) {
  std::string of = std::string("entries[") + slot + "].";
  return structure.values
             ? structure.values->valueOf(of + "word", field, typeOf(field))
             : of + slotField(field);
}

std::string TableWriter::storeValues(const char *slot, bool clearsMutable) {
  if (structure.values)
    return std::string("entries[") + slot +
           "].word = " + structure.values->wordOfArguments() + ";";
  return joined(fieldCount(), "\n", [&](unsigned i) {
    bool isMutable = ir::isMutable(table, i);
    std::string value = isMutable ? "0" : numbered("x", i);
    if (isMutable && !clearsMutable)
      return std::string();
    if (isMutable && typeOf(i) == "bool")
      value = "false";
    return std::string("entries[") + slot + "]." + slotField(i) + " = " +
           value + ";";
  });
}

std::string TableWriter::change() {
  unsigned words = 0;
  for (unsigned i = 0; i < fieldCount(); ++i)
    if (!ir::isMutable(table, i))
      words += record.getFieldTypes()[i].getIntOrFloatBitWidth() > 32 ? 2 : 1;
  // A packet sees the old values or the new ones in each word.
  if (structure.values)
    return storeValues("old", false) + "\nindex_replace(old, old);";
  // One store shows a packet the old values or the new ones.
  if (words <= 1)
    return storeValues("old", false);
  std::string copies = joined(fieldCount(), "\n", [&](unsigned i) {
    if (!ir::isMutable(table, i))
      return std::string();
    return "entries[n]." + slotField(i) + " = entries[old]." + slotField(i) +
           ";";
  });
  return "u32 n = new_slot();\nif (n == 0)\nreturn NO_SPACE;\n" +
         storeValues("n", false) + "\n" + copies + meter.copy() +
         "\nreplace(old, n);";
}

std::string TableWriter::keyWords() {
  std::vector<Part> parts;
  for (const KeyLayout::Field &field : layout.packed)
    parts.push_back({numbered("p", field.number), field.bits, field.offset});
  return joined(layout.packedWords, "\n", [&](unsigned i) {
    return "u32 " + numbered("k", i) + " = " + packedWord(parts, i) + ";";
  });
}

/// The hash of the words of the key, four at a time.
std::string TableWriter::hash() {
  unsigned words = layout.hashedWords;
  if (words == 1)
    return "hash64((u64)k0)";
  if (words == 2)
    return "hash64((u64)k0 << 32 | (u64)k1)";
  std::string text;
  for (unsigned first = 0; first < words; first += 4) {
    std::string four =
        joined(std::min(4u, words - first), " | ", [&](unsigned i) {
          return "(u128)" + numbered("k", first + i) + " << " +
                 std::to_string(96 - 32 * i);
        });
    text = "hash128(" + (text.empty() ? "" : text + " ^ ") + "(" + four + "))";
  }
  return text;
}

std::string TableWriter::slotWords() {
  unsigned words = hasChains() ? layout.words() - 1 : layout.words();
  const char *slot = hasChains() ? "n" : "at + 1";
  return joined(words, "\n", [&](unsigned i) {
    return "u32 " + numbered("e", i) + " = entries[" + slot + "].key[" +
           std::to_string(i) + "];";
  });
}

std::string TableWriter::difference() {
  unsigned words = layout.packedWords;
  if (!hasChains())
    return joined(words, " | ", [&](unsigned i) {
      return "e" + std::to_string(i) + " ^ k" + std::to_string(i);
    });
  std::string text = joined(words, " | ", [&](unsigned i) {
    return "(k" + std::to_string(i) + " & e" + std::to_string(words + i) +
           ") ^ e" + std::to_string(i);
  });
  unsigned next = 2 * words;
  for (unsigned number : layout.ranges) {
    std::string value = "(u32)" + numbered("p", number);
    text += (text.empty() ? "" : " | ") + ("(u32)(" + value + " < ") +
            numbered("e", next) + ") | (u32)(" + value + " > " +
            numbered("e", next + 1) + ")";
    next += 2;
  }
  return text;
}

/// The record of the default entry that holds a field; empty: its value is in
/// the code.
std::string TableWriter::defaultSlot(unsigned field) {
  if (!buckets)
    return "entries[0]";
  std::string place = buckets->fieldOf(field);
  return StringRef(place).starts_with("values[")   ? "values[0]"
         : StringRef(place).starts_with("states[") ? "states[0]"
                                                   : "";
}

/// Control functions that read a value of an entry, or of the default entry.
std::string TableWriter::readers() {
  return joined(fieldCount(), "\n", [&](unsigned i) {
    unsigned bits = record.getFieldTypes()[i].getIntOrFloatBitWidth();
    if (bits > 32 || ir::isHidden(table, i))
      return std::string();
    bool isStatus = typeOf(i) == "int" || typeOf(i) == "s32";
    std::string value = buckets
                            ? *buckets->valueOf("FOUND") + " found = look_up(" +
                                  *listOf("KEY_WORD_LIST") + ");\nreturn " +
                                  buckets->fieldOf(i)
                            : "return " + valueOfSlot("slot_of_key()", i);
    return "control " + (isStatus ? "u32" : typeOf(i)) + " " + slotField(i) +
           "(" + keyArguments(true) + ") {\nset_key(" + keyArguments(false) +
           ");\n" + value + ";\n}";
  });
}

/// The arguments of the entry `n`, whose key is at hand.
ShowText TableWriter::show() {
  ShowText show(table, [&](unsigned i) {
    return buckets ? "(" + buckets->fieldOf(i) + ")" : valueOfSlot("n", i);
  });
  if (buckets)
    show.text = *buckets->valueOf("FOUND") + " found = look_up(" +
                *listOf("KEY_WORD_LIST") + ");\n" + show.text;
  counters.show(show);
  meter.show(show);
  if (!age().empty())
    show.store(age());
  return show;
}

std::string TableWriter::initial() {
  std::string text;
  if (auto values = table.getDefaultValues())
    for (unsigned i = 0; i < fieldCount(); ++i)
      if (std::string slot = defaultSlot(i); (*values)[i] != 0 && !slot.empty())
        text += slot + "." + slotField(i) + " = (" + typeOf(i) + ")" +
                std::to_string(uint64_t((*values)[i])) + ";\n";
  if (auto rows = table.getEntries())
    for (auto row : rows->getAsRange<DenseI64ArrayAttr>()) {
      std::string arguments = joined(row.size(), ", ", [&](unsigned i) {
        return std::to_string(uint64_t(row[i]));
      });
      text += "add_entry(" + arguments + ");\n";
    }
  return text.empty() ? "" : "init void fill_in() {\n" + text + "}";
}

std::optional<uint64_t> TableWriter::numberOf(StringRef name) {
  if (name == "KEY_WORDS")
    return layout.words();
  if (name == "LIMIT")
    return table.getLimit();
  if (name == "KEYS")
    return structure.keys;
  if (name == "SLOTS" || name == "BUCKETS")
    return structure.slots;
  if (name == "PACKED_WORDS")
    return layout.packedWords;
  if (name == "HASHED_WORDS")
    return layout.hashedWords;
  if (name == "TUPLES")
    return tuplesMax;
  if (name == "OWN_TUPLES")
    return ownTuplesMax;
  if (name == "CHAIN")
    return tupleChainMax;
  if (name == "GRACE")
    return graceTicks();
  if (name == "UNUSED_BITS")
    return 32 - layout.packedBits;
  if (name == "SHOWN_WORDS")
    return show().words;
  if (name == "BITS_BEFORE")
    return layout.bitsBeforePrefix;
  return std::nullopt;
}

/// Lists of the key's words, parameters and arguments.
std::optional<std::string> TableWriter::listOf(StringRef name) {
  auto words = [&](const char *before, const char *after) {
    return joined(layout.packedWords, ", ", [&](unsigned i) {
      return before + std::to_string(i) + after;
    });
  };
  auto both = [&](bool withTypes) {
    std::string values = valueArguments(withTypes);
    return keyArguments(withTypes) + (values.empty() ? "" : ", " + values);
  };
  if (name == "VALUE_FIELDS")
    return joined(fieldCount(), " ", [&](unsigned i) {
      return typeOf(i) + " " + slotField(i) + ";";
    });
  if (name == "KEY_PARAMETERS")
    return joined(unsigned(keys.size()), ", ", [&](unsigned i) {
      return "u" + std::to_string(keys[i].bits) + " " + numbered("p", i);
    });
  if (name == "WORD_PARAMETERS")
    return joined(layout.hashedWords, ", ",
                  [&](unsigned i) { return "u32 " + numbered("k", i); });
  if (name == "WORD_NAMES")
    return words("k", "");
  if (name == "KEY_WORD_LIST")
    return words("key[", "]");
  if (name == "ENTRY_WORD_LIST")
    return words("entries[n].key[", "]");
  if (name == "PLACE_OF_KEY")
    return std::string(buckets ? "place_of_key()" : "slot_of_key()");
  if (name == "ARGUMENTS" || name == "ARGUMENT_NAMES")
    return both(name == "ARGUMENTS");
  if (name == "KEY_ARGUMENTS" || name == "KEY_ARGUMENT_NAMES")
    return keyArguments(name == "KEY_ARGUMENTS");
  return std::nullopt;
}

std::string TableWriter::valueOf(StringRef name) {
  if (auto number = numberOf(name))
    return std::to_string(*number);
  if (auto list = listOf(name))
    return *list;
  if (buckets)
    if (auto piece = buckets->valueOf(name))
      return *piece;
  if (structure.kind == StructureKind::Trie)
    if (auto piece = trieText(name, structure.trie, structure.values))
      return *piece;
  if (structure.kind == StructureKind::CompressedTrie)
    if (auto piece = compressedTrieText(name, structure.compressed))
      return *piece;
  if (structure.kind == StructureKind::BitVectors)
    if (auto piece = bitVectorText(name, BitVectors(table), layout))
      return *piece;
  if (isTuples())
    if (auto piece = tupleText(name, layout))
      return *piece;
  if (name == "COUNTERS_WORD")
    return counters.countersWord(meter.readerBits() |
                                 (age().empty() ? 0 : HasAge));
  if (auto piece = counters.valueOf(name))
    return *piece;
  if (auto piece = meter.valueOf(name))
    return *piece;
  if (name == "KEY_WORDS_OF_PARAMETERS")
    return keyWords();
  if (name == "HASH")
    return hash();
  if (name == "SLOT_WORDS")
    return slotWords();
  if (name == "DIFFERENCE")
    return difference();
  if (name == "SET_KEY")
    return setKey();
  if (name == "VALUES_FROM_ARGUMENTS")
    return storeValues("n", true);
  if (name == "CHANGE")
    return change();
  if (name == "READERS")
    return readers();
  if (name == "SHOW")
    return show().text;
  if (name == "INITIAL")
    return initial();
  KARAKAL_UNREACHABLE("a placeholder that no template has");
}

/// Replaces `$NAME$` in a template.
std::string filledIn(StringRef text, TableWriter &writer) {
  std::string result;
  while (true) {
    auto [before, rest] = text.split('$');
    result += before.str();
    if (before.size() == text.size())
      return result;
    auto [name, after] = rest.split('$');
    result += writer.valueOf(name);
    text = after;
  }
}

} // namespace

Result<std::string> tableText(ir::TableOp table,
                              const TableStructure &structure,
                              const std::string &folder) {
  TableWriter writer(table, structure);
  std::string text;
  std::vector<std::string> paths;
  if (table.getMeter())
    paths.push_back(folder + "/../net/meters.baker");
  for (const std::string &part : templatesOf(table, structure))
    paths.push_back(folder + "/" + part + ".template");
  for (const std::string &path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!buffer)
      return makeFileError("E-baker-408", path,
                           "the template of a table cannot be read: " +
                               buffer.getError().message());
    text += filledIn((*buffer)->getBuffer(), writer);
  }
  return text;
}

} // namespace karakal::lang
