// Checks an image's manifest.
//
// The schema of docs/image.md as a table of objects, keys and types. Readers of
// a checked image may rely on it.

#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/EngineTable.h"
#include "target-ixp/image/Image.h"

#include <set>

namespace karakal::target {

namespace {

using nlohmann::json;

enum class Type { Number, Text, Object, List };

struct Key {
  const char *object; ///< "" = the manifest; "x[]" = each element of list x
  const char *name;
  Type type;
};

constexpr Key Keys[] = {
    {"", "program", Type::Text},
    {"", "target", Type::Text},
    {"", "level", Type::Text},
    {"", "aggregates", Type::List},
    {"", "engines", Type::List},
    {"", "buffers", Type::Object},
    {"", "rings", Type::List},
    {"", "drop_reasons", Type::List},
    {"", "drop_counters", Type::Number},
    {"", "globals", Type::List},
    {"aggregates[]", "name", Type::Text},
    {"aggregates[]", "ucode", Type::Text},
    {"aggregates[]", "engines", Type::List},
    {"engines[]", "engine", Type::Number},
    {"engines[]", "role", Type::Text},
    {"engines[]", "ucode", Type::Text},
    {"buffers", "count", Type::Number},
    {"buffers", "bytes", Type::Number},
    {"buffers", "dram_base", Type::Number},
    {"buffers", "descriptor_base", Type::Number},
    {"buffers", "descriptor_bytes", Type::Number},
    {"buffers", "headroom", Type::Number},
    {"buffers", "free_queue", Type::Object},
    {"rings[]", "number", Type::Number},
    {"rings[]", "name", Type::Text},
    {"rings[]", "base", Type::Number},
    {"rings[]", "words", Type::Number},
    {"rings[]", "status", Type::Text},
    {"globals[]", "name", Type::Text},
    {"globals[]", "memory", Type::Text},
    {"globals[]", "address", Type::Number},
    {"globals[]", "bytes", Type::Number},
};

Error broken(const std::string &what) {
  return makeError("E-target-ixp-074",
                   "the image's manifest is wrong: " + what);
}

bool isA(const json &value, Type type) {
  switch (type) {
  case Type::Number:
    return value.is_number_unsigned() ||
           (value.is_number_integer() && value.get<int64_t>() >= 0);
  case Type::Text:
    return value.is_string();
  case Type::Object:
    return value.is_object();
  case Type::List:
    return value.is_array();
  }
  return false;
}

Status checkKey(const json &object, const std::string &where, const Key &key) {
  if (!object.is_object() || !object.contains(key.name))
    return broken(where + " lacks '" + key.name + "'");
  if (!isA(object[key.name], key.type))
    return broken("'" + std::string(key.name) + "' of " + where +
                  " has the wrong type");
  return success();
}

Status checkKeys(const json &manifest) {
  for (const Key &key : Keys) {
    std::string object = key.object;
    if (object.empty()) {
      if (Status status = checkKey(manifest, "the manifest", key); !status)
        return status;
    } else if (object.size() > 2 && object.substr(object.size() - 2) == "[]") {
      std::string list = object.substr(0, object.size() - 2);
      for (const json &element : manifest[list])
        if (Status status = checkKey(element, list, key); !status)
          return status;
    } else if (Status status = checkKey(manifest[object], object, key);
               !status) {
      return status;
    }
  }
  return success();
}

Status checkMicrocode(const Image &image, const ChipParameters &chip) {
  for (const auto &[name, words] : image.microcode) {
    if (words.empty() || words.size() > chip.meControlStore)
      return broken("microcode '" + name + "' has " +
                    std::to_string(words.size()) +
                    " words; a control store "
                    "holds 1 to " +
                    std::to_string(chip.meControlStore));
    auto lines = image.lines.find(name);
    if (lines != image.lines.end() && !lines->second.empty() &&
        lines->second.size() != words.size())
      return broken("the source lines of microcode '" + name +
                    "' do not match its words");
    auto locals = image.locals.find(name);
    if (locals != image.locals.end())
      for (const VariableRange &range : locals->second.ranges)
        if (range.begin >= range.end || range.end > words.size())
          return broken("the local variables of microcode '" + name +
                        "' do not match its words");
  }
  for (const char *list : {"engines", "aggregates"})
    for (const json &element : image.manifest[list])
      if (!image.microcode.count(element["ucode"].get<std::string>()))
        return broken("it names microcode '" +
                      element["ucode"].get<std::string>() +
                      "', which the image does not have");
  return success();
}

Status checkEngines(const json &manifest, const ChipParameters &chip) {
  std::set<uint64_t> seen;
  for (const json &engine : manifest["engines"]) {
    uint64_t number = engine["engine"];
    if (number >= chip.meCount)
      return broken("there is no microengine " + std::to_string(number));
    if (!seen.insert(number).second)
      return broken("microengine " + std::to_string(number) +
                    " has two programs");
    const std::string role = engine["role"];
    if (role != "rx" && role != "tx" && role != "app")
      return broken("there is no role '" + role + "'");
  }
  return success();
}

Status checkBuffers(const json &buffers, const ChipParameters &chip) {
  for (const char *name : {"channel", "entry"})
    if (Status status = checkKey(buffers["free_queue"], "free_queue",
                                 {"", name, Type::Number});
        !status)
      return status;
  uint64_t count = buffers["count"], bytes = buffers["bytes"];
  uint64_t base = buffers["dram_base"];
  uint64_t descriptors = buffers["descriptor_base"];
  uint64_t descriptorBytes = buffers["descriptor_bytes"];
  if (count > 1u << 20 || bytes > 1u << 16 || base > DramBytes ||
      base + count * bytes > DramBytes)
    return broken("the packet buffers do not fit the DRAM");
  if (descriptorBytes > 1u << 12 || descriptors > SramChannelBytes ||
      descriptors + count * descriptorBytes > SramChannelBytes)
    return broken("the descriptors do not fit the SRAM channel");
  // A buffer lies at its handle.
  uint64_t handlesEnd = (descriptors + count * descriptorBytes) / 4;
  if (handlesEnd << HandleToDramShift > DramBytes)
    return broken("the packet buffers do not fit the DRAM");
  if (buffers["free_queue"]["channel"] >= chip.sramChannels ||
      buffers["free_queue"]["entry"] >= QueueArrayEntries)
    return broken("the queue of the free list does not exist");
  return success();
}

Status checkRings(const json &manifest) {
  for (const json &ring : manifest["rings"]) {
    uint64_t number = ring["number"], base = ring["base"],
             words = ring["words"];
    bool size = words == 128 || words == 256 || words == 512 || words == 1024;
    if (number >= RingCount)
      return broken("there is no scratch ring " + std::to_string(number));
    if (!size || base % (words * 4) || base + words * 4 > ScratchBytes)
      return broken("scratch ring " + std::to_string(number) +
                    " must have 128, 256, 512 or 1024 words at a multiple of "
                    "its size");
    if (ring["status"] != "full" && ring["status"] != "empty")
      return broken("a ring's flag must mean \"full\" or \"empty\"");
    for (const char *load : {"contexts", "message_words"})
      if (ring.contains(load) && !isA(ring[load], Type::Number))
        return broken("'" + std::string(load) + "' of a ring must be a number");
  }
  uint64_t counters = manifest["drop_counters"];
  if (counters % 4 || counters + DropCounterCount * 4 > ScratchBytes)
    return broken("the drop counters do not fit scratch");
  if (manifest["drop_reasons"].size() > DropCounterCount)
    return broken("there are more drop reasons than counters");
  for (const json &reason : manifest["drop_reasons"])
    if (!reason.is_string())
      return broken("a drop reason is not a string");
  return success();
}

/// Checks the word that asks engines to stop; an image may have none.
Status checkStopWord(const json &manifest) {
  if (!manifest.contains("stop_word"))
    return success();
  const json &word = manifest["stop_word"];
  if (!isA(word, Type::Number) || word > ScratchBytes - 4 ||
      word.get<uint64_t>() % 4)
    return broken("'stop_word' is not a word of scratch");
  return success();
}

/// Checks the table of engines; an image may have none.
Status checkEngineTable(const json &manifest) {
  if (!manifest.contains("engine_table"))
    return success();
  const json &table = manifest["engine_table"];
  uint64_t bytes = 4 * EngineEntryWords * manifest["engines"].size();
  if (!isA(table, Type::Number) || table < XScaleBase ||
      table.get<uint64_t>() % 4 ||
      table.get<uint64_t>() + bytes > ExchangeCodeBase)
    return broken("'engine_table' is not in the XScale core's data");
  return success();
}

/// Checks the multiplier of hashes; an image may have none.
Status checkHash(const json &manifest) {
  if (!manifest.contains("hash"))
    return success();
  const json &hash = manifest["hash"];
  if (!hash.is_object() || !hash.contains("multiplier") ||
      !hash["multiplier"].is_array() || hash["multiplier"].size() != 4)
    return broken("'hash' has no 'multiplier' of four words");
  for (const json &word : hash["multiplier"])
    if (!isA(word, Type::Number) || word > UINT32_MAX)
      return broken("'multiplier' of 'hash' has four words of 32 bits");
  if (hash.contains("core_copy") && (!isA(hash["core_copy"], Type::Number) ||
                                     hash["core_copy"] > DramBytes - 16))
    return broken("'core_copy' of 'hash' is no address of DRAM");
  return success();
}

/// Checks rings of SRAM channels; an image may have none.
Status checkSramRings(const json &manifest, const ChipParameters &chip) {
  if (!manifest.contains("sram_rings"))
    return success();
  for (const json &ring : manifest["sram_rings"]) {
    for (const char *name : {"channel", "entry", "base", "words"})
      if (Status status =
              checkKey(ring, "sram_rings", {"", name, Type::Number});
          !status)
        return status;
    uint64_t words = ring["words"], base = ring["base"];
    bool isSize = words >= 512 && words <= 65536 && (words & (words - 1)) == 0;
    if (ring["channel"] >= chip.sramChannels ||
        ring["entry"] >= QueueArrayEntries || !isSize || base % (words * 4) ||
        base + words * 4 > SramChannelBytes)
      return broken(
          "an SRAM ring must have 512 to 65536 words, a power of two, "
          "at a multiple of its size");
  }
  return success();
}

/// Checks the optional parts of an aggregate: microcode for next-neighbour
/// rings, the number of contexts, a bound.
Status checkVariants(const Image &image) {
  for (const json &aggregate : image.manifest["aggregates"]) {
    if (aggregate.contains("contexts") &&
        (!isA(aggregate["contexts"], Type::Number) ||
         aggregate["contexts"] == 0 || aggregate["contexts"] > ContextCount))
      return broken("an engine must have 1 to 8 contexts");
    if (aggregate.contains("iteration_cycles_bound") &&
        !isA(aggregate["iteration_cycles_bound"], Type::Number))
      return broken("'iteration_cycles_bound' must be a number of cycles");
    if (!aggregate.contains("variants"))
      continue;
    for (const json &variant : aggregate["variants"]) {
      if (!variant.is_object() ||
          !variant.value("takes", json()).is_boolean() ||
          !variant.value("puts", json()).is_boolean() ||
          !variant.value("plain", json(false)).is_boolean() ||
          !variant.value("ucode", json()).is_string())
        return broken("a variant must have 'takes', 'puts' and 'ucode'");
      if (!image.microcode.count(variant["ucode"]))
        return broken("there is no microcode '" +
                      variant["ucode"].get<std::string>() + "'");
    }
  }
  return success();
}

/// Bytes of a memory of the chip, whose SRAM channels have `sramBytes`.
uint64_t sizeOf(Memory memory, uint64_t sramBytes) {
  switch (memory) {
  case Memory::Scratch:
    return ScratchBytes;
  case Memory::Sram0:
  case Memory::Sram1:
  case Memory::Sram2:
  case Memory::Sram3:
    return sramBytes;
  case Memory::Dram:
    return DramBytes;
  case Memory::Local:
    return 0;
  }
  KARAKAL_UNREACHABLE("no such memory");
}

/// Whether an object's 'memory' is one that the chip's engines share.
Status checkMemory(const json &object, const ChipParameters &chip) {
  const std::string name = object.value("memory", json("")).get<std::string>();
  std::optional<Memory> memory = findMemory(name);
  if (memory && *memory != Memory::Local && hasMemory(chip, *memory))
    return success();
  return broken("there is no memory '" + name + "'");
}

Status checkGlobals(const json &manifest, const ChipParameters &chip) {
  const json sram = manifest.value("sram_size", json(SramChannelBytes));
  if (!isA(sram, Type::Number))
    return broken("'sram_size' must be a number of bytes");
  const uint64_t sramBytes = sram;
  for (const json &global : manifest["globals"]) {
    const std::string memory = global["memory"];
    uint64_t address = global["address"], bytes = global["bytes"];
    if (Status known = checkMemory(global, chip); !known)
      return known;
    uint64_t size = sizeOf(*findMemory(memory), sramBytes);
    if (address > size || bytes > size || address + bytes > size)
      return broken("global '" + global["name"].get<std::string>() +
                    "' does not fit " + memory);
  }
  return success();
}

/// Whether the bytes from `local` on are whole words of local memory.
bool fitsLocalMemory(uint64_t local, uint64_t bytes) {
  constexpr uint64_t size = uint64_t{LocalMemoryWords} * 4;
  return local % 4 == 0 && local <= size && bytes <= size - local;
}

/// Checks copies of globals in local memory; an image may have none.
Status checkCopies(const json &manifest, const ChipParameters &chip) {
  if (!manifest.contains("caches"))
    return success();
  for (const json &cache : manifest["caches"]) {
    for (const Key &key :
         {Key{"", "global", Type::Text}, Key{"", "memory", Type::Text},
          Key{"", "version", Type::Text}, Key{"", "address", Type::Number},
          Key{"", "bytes", Type::Number}, Key{"", "local", Type::Number},
          Key{"", "interval", Type::Number}})
      if (Status status = checkKey(cache, "caches", key); !status)
        return status;
    if (Status known = checkMemory(cache, chip); !known)
      return known;
    if (!fitsLocalMemory(cache["local"], cache["bytes"]))
      return broken("the copy of '" + cache["global"].get<std::string>() +
                    "' does not fit local memory");
  }
  return success();
}

/// Checks array elements cached in local memory; an image may have none.
Status checkCachedArrays(const json &manifest, const ChipParameters &chip) {
  if (!manifest.contains("cache_lines"))
    return success();
  for (const json &cached : manifest["cache_lines"]) {
    for (const Key &key :
         {Key{"", "global", Type::Text}, Key{"", "memory", Type::Text},
          Key{"", "version", Type::Text}, Key{"", "address", Type::Number},
          Key{"", "bytes", Type::Number},
          Key{"", "element_bytes", Type::Number},
          Key{"", "local", Type::Number}, Key{"", "count", Type::Number},
          Key{"", "line_bytes", Type::Number}, Key{"", "cam_tag", Type::Number},
          Key{"", "interval", Type::Number}})
      if (Status status = checkKey(cached, "cache_lines", key); !status)
        return status;
    if (Status known = checkMemory(cached, chip); !known)
      return known;
    if (!cached.value("by_cam", json()).is_boolean())
      return broken("'by_cam' of 'cache_lines' must be true or false");
    uint64_t local = cached["local"], lines = cached["count"];
    uint64_t line = cached["line_bytes"], element = cached["element_bytes"];
    uint64_t size = uint64_t{LocalMemoryWords} * 4;
    bool hasSpaceForTag = cached["by_cam"] || element + 4 <= line;
    if (local % 4 || local > size || line % 4 || line == 0 || lines > size ||
        line > size || local + lines * line > size || element > line ||
        !hasSpaceForTag)
      return broken("the cache lines of '" +
                    cached["global"].get<std::string>() +
                    "' do not fit local memory");
  }
  return success();
}

/// Cached results of look-up functions; an image may have none.
Status checkLookupCaches(const json &manifest, const ChipParameters &chip) {
  if (!manifest.contains("lookup_caches"))
    return success();
  for (const json &cache : manifest["lookup_caches"]) {
    for (const Key &key :
         {Key{"", "lookup", Type::Text}, Key{"", "local", Type::Number},
          Key{"", "bytes", Type::Number}, Key{"", "versions", Type::List},
          Key{"", "interval", Type::Number}})
      if (Status status = checkKey(cache, "lookup_caches", key); !status)
        return status;
    if (!fitsLocalMemory(cache["local"], cache["bytes"]))
      return broken("the results of '" + cache["lookup"].get<std::string>() +
                    "' do not fit local memory");
    for (const json &version : cache["versions"]) {
      for (const Key &key :
           {Key{"", "memory", Type::Text}, Key{"", "address", Type::Number},
            Key{"", "seen", Type::Number}})
        if (Status status = checkKey(version, "versions", key); !status)
          return status;
      if (Status known = checkMemory(version, chip); !known)
        return known;
    }
  }
  return success();
}

/// The elements that share words in a global; it may have none.
Status checkPacked(const json &global) {
  if (!global.contains("elements") && !global.contains("element_bits"))
    return success();
  for (const Key &key : {Key{"", "elements", Type::Number},
                         Key{"", "element_bits", Type::Number}})
    if (Status status = checkKey(global, "globals", key); !status)
      return status;
  uint64_t bits = global["element_bits"], bytes = global["bytes"];
  if (bits == 0 || bits > 16 || 32 % bits != 0 ||
      global["elements"] > bytes * 8 / bits)
    return broken("the elements of '" + global["name"].get<std::string>() +
                  "' do not fit its bytes");
  return success();
}

/// What tools show of a run: metadata fields, types of globals, and the
/// functions that wait for locks; an image may lack them.
Status checkObserved(const Image &image) {
  const json &manifest = image.manifest, none = json::array();
  for (const json &global : manifest["globals"]) {
    if (global.contains("type") && !global["type"].is_string())
      return broken("'type' of globals has the wrong type");
    if (Status packed = checkPacked(global); !packed)
      return packed;
  }
  for (const json &field : manifest.value("metadata", none)) {
    for (const Key &key :
         {Key{"", "name", Type::Text}, Key{"", "word", Type::Number},
          Key{"", "words", Type::Number}})
      if (Status status = checkKey(field, "metadata", key); !status)
        return status;
    uint64_t word = field["word"], words = field["words"];
    if (word >= DescriptorWords || words > DescriptorWords - word)
      return broken("the metadata field '" + field["name"].get<std::string>() +
                    "' does not fit the descriptor");
  }
  for (const json &function : manifest.value("lock_functions", none)) {
    for (const Key &key :
         {Key{"", "ucode", Type::Text}, Key{"", "begin", Type::Number},
          Key{"", "end", Type::Number}, Key{"", "calls", Type::List}})
      if (Status status = checkKey(function, "lock_functions", key); !status)
        return status;
    auto code = image.microcode.find(function["ucode"].get<std::string>());
    if (code == image.microcode.end() || function["begin"] >= function["end"] ||
        function["end"] > code->second.size())
      return broken("'lock_functions' names words that do not exist");
    for (const json &call : function["calls"])
      if (!isA(call, Type::Number) || call >= code->second.size())
        return broken("'lock_functions' names words that do not exist");
  }
  return success();
}

Status checkEntry(const json &function, const char *what) {
  for (const Key &key :
       {Key{"", "name", Type::Text}, Key{"", "entry", Type::Number}})
    if (Status status = checkKey(function, what, key); !status)
      return status;
  return success();
}

Status checkXScale(const Image &image) {
  for (const Segment &segment : image.xscale)
    if (segment.address > DramBytes || segment.bytes.size() > DramBytes ||
        segment.address + segment.bytes.size() > DramBytes)
      return broken("segment '" + segment.name + "' does not fit the DRAM");
  if (!image.manifest.contains("xscale"))
    return success();
  const json &xscale = image.manifest["xscale"];
  for (const Key &key :
       {Key{"", "handler", Type::Number}, Key{"", "stack", Type::Number},
        Key{"", "arguments", Type::Number}, Key{"", "init", Type::List},
        Key{"", "control", Type::List}})
    if (Status status = checkKey(xscale, "xscale", key); !status)
      return status;
  if (xscale.contains("refusals")) {
    if (Status status =
            checkKey(xscale, "xscale", {"", "refusals", Type::List});
        !status)
      return status;
    for (const json &text : xscale["refusals"])
      if (!text.is_string())
        return broken("a text of 'xscale.refusals' is not a string");
  }
  for (const json &function : xscale["init"])
    if (Status status = checkEntry(function, "xscale.init"); !status)
      return status;
  for (const json &function : xscale["control"]) {
    if (Status status = checkEntry(function, "xscale.control"); !status)
      return status;
    for (const Key &key :
         {Key{"", "params", Type::List}, Key{"", "returns", Type::Text}})
      if (Status status = checkKey(function, "xscale.control", key); !status)
        return status;
    if (function.contains("table_limit"))
      if (Status status = checkKey(function, "xscale.control",
                                   {"", "table_limit", Type::Number});
          !status)
        return status;
    if (function.contains("exclusive") && !function["exclusive"].is_boolean())
      return broken("'exclusive' of a control function is not true or false");
    if (function.contains("interval_us")) {
      if (Status status = checkKey(function, "xscale.control",
                                   {"", "interval_us", Type::Number});
          !status)
        return status;
      if (function["interval_us"] == 0 || !function["params"].empty())
        return broken("a timer has an interval and takes nothing");
    }
    for (const json &parameter : function["params"])
      for (const Key &key :
           {Key{"", "name", Type::Text}, Key{"", "type", Type::Text}})
        if (Status status = checkKey(parameter, "params", key); !status)
          return status;
  }
  return success();
}

} // namespace

Status validateImage(const Image &image) {
  if (!image.manifest.is_object())
    return broken("it is not a JSON object");
  const json &manifest = image.manifest;
  if (Status status = checkKeys(manifest); !status)
    return status;
  auto chip = parseChip(manifest["target"].get<std::string>());
  if (!chip)
    return broken("'target': " + chip.error().message);
  if (Status status = checkMicrocode(image, *chip); !status)
    return status;
  if (Status status = checkEngines(manifest, *chip); !status)
    return status;
  if (Status status = checkBuffers(manifest["buffers"], *chip); !status)
    return status;
  if (Status status = checkVariants(image); !status)
    return status;
  if (Status status = checkStopWord(manifest); !status)
    return status;
  if (Status status = checkEngineTable(manifest); !status)
    return status;
  if (Status status = checkHash(manifest); !status)
    return status;
  if (Status status = checkSramRings(manifest, *chip); !status)
    return status;
  if (Status status = checkRings(manifest); !status)
    return status;
  if (Status status = checkGlobals(manifest, *chip); !status)
    return status;
  if (Status status = checkObserved(image); !status)
    return status;
  if (Status status = checkCopies(manifest, *chip); !status)
    return status;
  if (Status status = checkCachedArrays(manifest, *chip); !status)
    return status;
  if (Status status = checkLookupCaches(manifest, *chip); !status)
    return status;
  return checkXScale(image);
}

} // namespace karakal::target
