// Fills in the template of a hash table of buckets (BucketLayout.h).
//
//   $MATCHES$  →  if (((w0 ^ wanted) & ~REACH_BITS | w1 ^ h1) == 0)
//                   return (u64)1 << 32 | (u64)w2;
//                 if ((w3 ^ wanted | w4 ^ h1) == 0)
//                   return (u64)1 << 32 | (u64)w5;

#include "baker-lang/tables/text/BucketText.h"

#include "baker-lang/tables/SlotLayout.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::lang {

static std::string number(uint64_t value) { return std::to_string(value); }

std::string BucketText::typeOf(unsigned field) const {
  return cast<StringAttr>(ir::TableOp(table).getTypes()[field]).str();
}

ArrayRef<Type> BucketText::fieldTypes() const {
  return cast<ir::StructType>(ir::TableOp(table).getRecord()).getFieldTypes();
}

std::string BucketText::foundType() const {
  return "u" + number(layout.foundBits());
}

std::vector<std::string> BucketText::wordsOf(unsigned field,
                                             const std::string &value) const {
  Type type = fieldTypes()[field];
  if (type.getIntOrFloatBitWidth() > 32)
    return {"(u32)((u64)" + value + " >> 32)", "(u32)" + value};
  if (typeOf(field) == "bool")
    return {"(u32)(" + value + " ? 1 : 0)"};
  return {"(u32)" + value};
}

/// What a look-up returns: data words, and a 1 above them for a hit.
std::string BucketText::found(const std::vector<std::string> &data,
                              bool isHit) const {
  if (data.empty())
    return isHit ? "1" : "0";
  std::string type = "(" + foundType() + ")";
  std::string text =
      isHit ? type + "1 << " + number(layout.shiftOf(0) + 32) : type + "0";
  for (unsigned i = 0; i < data.size(); ++i) {
    std::string shift = number(layout.shiftOf(i));
    text += " | " + type + "(" + data[i] + ") << " + shift;
  }
  return text;
}

std::string BucketText::foundWord(unsigned word) const {
  return layout.dataWords() == 1
             ? std::string("(u32)found")
             : "(u32)(found >> " + number(layout.shiftOf(word)) + ")";
}

std::string BucketText::numberOfFound() const {
  return foundWord(layout.dataWords() - 1) + (layout.hasValues ? " >> 1" : "");
}

std::string BucketText::fieldOf(unsigned field) const {
  const FieldPlace &place = layout.fields[field];
  std::string type = "(" + typeOf(field) + ")";
  auto word = [&](unsigned at) { return foundWord(at); };
  switch (place.kind) {
  case FieldPlace::State:
    return "states[" + numberOfFound() + "]." + slotField(field);
  case FieldPlace::Value:
    return "values[" + word(layout.dataWords() - 1) + "]." + slotField(field);
  case FieldPlace::Slot:
    break;
  }
  if (typeOf(field) == "bool")
    return "(" + word(place.word) + " & 1) != 0";
  if (fieldTypes()[field].getIntOrFloatBitWidth() > 32)
    return type + "((u64)" + word(place.word) + " << 32 | " +
           word(place.word + 1) + ")";
  return type + word(place.word);
}

/// Declares the words of the hash. The first bits number the first bucket.
std::string BucketText::hashed() const {
  if (!layout.isHashed)
    return "u64 hashed = (u64)(" + hash +
           ");\n"
           "u32 h0 = (u32)(hashed >> 32);\nu32 h1 = (u32)hashed;";
  std::string bits = number(32 * layout.codeWords);
  std::string text = "u" + bits + " hashed = " + hash + ";";
  for (unsigned i = 0; i < layout.codeWords; ++i)
    text += "\nu32 h" + number(i) + " = (u32)(hashed >> " +
            number(32 * (layout.codeWords - 1 - i)) + ");";
  return text;
}

/// Word `word` of the code of the key, without the flags' number of a bucket.
std::string BucketText::codeWord(unsigned word) const {
  if (word != 0)
    return (layout.isHashed ? "h" + number(word) : "k" + number(word - 1));
  if (!layout.isHashed)
    return "USED";
  return "USED | h0 & " +
         number((uint64_t(1) << (32 - layout.bucketBits())) - 1);
}

std::string BucketText::matches() const {
  std::string text;
  for (unsigned slot = 0; slot < layout.slotsOfBucket(); ++slot) {
    unsigned at = slot * layout.slotWords();
    std::string condition = slot == 0 ? "(w0 ^ wanted) & ~REACH_BITS"
                                      : "w" + number(at) + " ^ wanted";
    for (unsigned i = 1; i < layout.codeWords; ++i)
      condition += " | w" + number(at + i) + " ^ " + codeWord(i);
    std::vector<std::string> data;
    for (unsigned i = 0; i < layout.dataWords(); ++i)
      data.push_back("w" + number(at + layout.codeWords + i));
    text += (slot ? "\n" : "") + ("if ((" + condition + ") == 0)\nreturn ") +
            found(data, true) + ";";
  }
  return text;
}

std::string BucketText::miss() const {
  std::vector<std::string> data(layout.dataWords(), "0");
  auto values = ir::TableOp(table).getDefaultValues();
  for (unsigned i = 0; values && i < layout.fields.size(); ++i) {
    if (layout.fields[i].kind != FieldPlace::Slot)
      continue;
    unsigned at = layout.fields[i].word;
    uint64_t value = uint64_t((*values)[i]);
    Type type = fieldTypes()[i];
    if (type.getIntOrFloatBitWidth() > 32)
      data[at++] = number(value >> 32);
    data[at] = number(value & 0xffffffff);
  }
  return found(data, false);
}

/// The arrays of the fields that are not in slots.
std::string BucketText::records() const {
  auto fieldsOf = [&](FieldPlace::Kind kind) {
    std::string text;
    for (unsigned i = 0; i < layout.fields.size(); ++i)
      if (layout.fields[i].kind == kind)
        text += " " + typeOf(i) + " " + slotField(i) + ";";
    return text;
  };
  std::string text;
  if (layout.hasValues)
    text += "struct value {" + fieldsOf(FieldPlace::Value) +
            " };\nvalue values[2 * NUMBERS];\n@place(dram) u32 "
            "changed_at[NUMBERS];\n";
  if (std::string fields = fieldsOf(FieldPlace::State); !fields.empty())
    text += "struct state {" + fields + " };\nstate states[NUMBERS];\n";
  return text;
}

std::string BucketText::storeSlotFields(const char *place) const {
  std::string text;
  for (unsigned i = 0; i < layout.fields.size(); ++i) {
    if (layout.fields[i].kind != FieldPlace::Slot)
      continue;
    unsigned at = layout.fields[i].word;
    for (const std::string &word : wordsOf(i, "x" + number(i)))
      text += std::string("set_data(") + place + ", " + number(at++) + ", " +
              word + ");\n";
  }
  return text;
}

std::string BucketText::storeValues(const char *index) const {
  std::string text;
  for (unsigned i = 0; i < layout.fields.size(); ++i)
    if (layout.fields[i].kind == FieldPlace::Value)
      text += std::string("values[") + index + "]." + slotField(i) + " = x" +
              number(i) + ";\n";
  return text;
}

std::string BucketText::dataOfNew() const {
  std::string text = storeSlotFields("place");
  if (!layout.usesNumbers())
    return text;
  text += "u32 number = take_number();\n";
  for (unsigned i = 0; i < layout.fields.size(); ++i)
    if (layout.fields[i].kind == FieldPlace::State)
      text += "states[number]." + slotField(i) + " = " +
              (typeOf(i) == "bool" ? "false" : "0") + ";\n";
  return text + storeValues("2 * number") + "set_data(place, " +
         number(layout.slotFieldWords) +
         (layout.hasValues ? ", 2 * number);" : ", number);");
}

std::string BucketText::change() const {
  if (layout.hasValues)
    return "u32 next = data_of(old, 0) ^ 1;\n"
           "wait_for_packets(changed_at[next >> 1]);\n" +
           storeValues("next") +
           "set_data(old, 0, next);\nchanged_at[next >> 1] = timestamp();";
  if (layout.slotFieldWords <= 1)
    return storeSlotFields("old");
  std::string text = "u32 place = place_beside(old);\n"
                     "if (place == 0)\nreturn NO_SPACE;\n" +
                     storeSlotFields("place");
  if (layout.hasStates) {
    std::string word = number(layout.slotFieldWords);
    text += "set_data(place, " + word + ", data_of(old, " + word + "));\n";
  }
  return text + "move_to(place, old);";
}

std::string BucketText::isHit() const {
  return layout.dataWords() == 0
             ? "found != 0"
             : "(found >> " + number(layout.shiftOf(0) + 32) + ") != 0";
}

std::string BucketText::numberOfPlace(const std::string &place) const {
  return "data_of(" + place + ", " + number(layout.slotFieldWords) + ")" +
         (layout.hasValues ? " >> 1" : "");
}

std::string BucketText::freeData() const {
  return layout.usesNumbers() ? "give_number(" + numberOfPlace("place") + ");"
                              : "";
}

std::optional<uint64_t> BucketText::numberOf(StringRef name) const {
  if (name == "SLOTS_OF_BUCKET")
    return layout.slotsOfBucket();
  if (name == "SLOT_WORDS")
    return layout.slotWords();
  if (name == "CODE_WORDS")
    return layout.codeWords;
  if (name == "BUCKET_WORD_COUNT")
    return layout.bucketWords;
  return std::nullopt;
}

std::optional<std::string> BucketText::expressionOf(StringRef name) const {
  if (name == "FOUND")
    return foundType();
  if (name == "FIRST")
    return "h0 >> " + number(32 - layout.bucketBits());
  if (name == "STEP")
    return std::string("h1 | 1");
  if (name == "WANTED")
    return codeWord(0);
  if (name == "CODE")
    return std::string(
        layout.isHashed
            ? "The words\n  // are those of the key's hash. The flags replace "
              "its first bits, which the\n  // number of the bucket implies."
            : "The other\n  // words are the key.");
  if (name == "CODE_FROM_WORDS" || name == "BUCKET_WORDS") {
    bool isCode = name == "CODE_FROM_WORDS";
    std::string text;
    for (unsigned i = 0; i < (isCode ? layout.codeWords : layout.bucketWords);
         ++i)
      text += isCode ? "code[" + number(i) + "] = " + codeWord(i) + ";\n"
                     : "u32 w" + number(i) + " = buckets[at].w[" + number(i) +
                           "];\n";
    return text;
  }
  return std::nullopt;
}

/// The words of the key of a place. A hash does not tell them: they are kept
/// beside it.
std::string BucketText::keyOfPlace(bool isKept) const {
  std::string at = "(bucket_of(n) * SLOTS_OF_BUCKET + (n - 1 & 15)) * " +
                   number(layout.keyWords);
  std::string text;
  for (unsigned i = 0; i < layout.keyWords; ++i) {
    std::string key = "key[" + number(i) + "]";
    std::string kept =
        layout.isHashed
            ? "keys[" + at + " + " + number(i) + "]"
            : "buckets[bucket_of(n)].w[word_of(n) + " + number(1 + i) + "]";
    text += isKept ? kept + " = " + key + ";\n" : key + " = " + kept + ";\n";
  }
  return isKept && !layout.isHashed ? "" : text;
}

std::optional<std::string> BucketText::valueOf(StringRef name) const {
  KARAKAL_ASSERT(layout.fits(), "only a table that fits has text");
  if (auto value = numberOf(name))
    return number(*value);
  if (auto expression = expressionOf(name))
    return expression;
  if (name == "HASHED")
    return hashed();
  if (name == "MATCHES")
    return matches();
  if (name == "MISS")
    return miss();
  if (name == "RECORDS")
    return records();
  if (name == "DATA_OF_NEW")
    return dataOfNew();
  if (name == "CHANGE_DATA")
    return change();
  if (name == "FREE_DATA")
    return freeData();
  if (name == "KEPT_KEYS")
    return layout.isHashed ? "@place(dram) u32 keys[BUCKETS * "
                             "SLOTS_OF_BUCKET * " +
                                 number(layout.keyWords) + "];"
                           : std::string();
  if (name == "KEEP_KEY" || name == "KEY_OF_PLACE")
    return keyOfPlace(name == "KEEP_KEY");
  return std::nullopt;
}

} // namespace karakal::lang
