// What a breakpoint shows.
//
// See BreakReport.h for the idea.

#include "sim-ixp/report/BreakReport.h"
#include "sim-ixp/engine/MicroOp.h"
#include "sim-ixp/run/Simulation.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/image/LocalsFile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace karakal::sim {
namespace {

using nlohmann::json;

constexpr uint32_t bytesPerWord = 4;
constexpr uint32_t registersPerContext = 16;
/// Words of a global and bytes of a packet that are shown.
constexpr uint32_t shownWords = 4;
constexpr uint32_t shownBytes = 128;
constexpr uint32_t bytesPerLine = 16;

std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text + " ";
}

/// The value of `words`: a number if there are at most two, the high word
/// first, otherwise the first words.
std::string valueOf(const std::vector<uint32_t> &words, uint64_t wordCount,
                    const char *noun = "words") {
  if (wordCount <= 2) {
    uint64_t value = words[0];
    if (wordCount == 2)
      value = value << 32 | words[1];
    return std::to_string(value) + " (" + hexadecimal(value) + ")";
  }
  std::string text;
  for (size_t i = 0; i < std::min<uint64_t>(wordCount, shownWords); ++i)
    text += (i ? " " : "") + hexadecimal(words[i]);
  if (wordCount > shownWords)
    text += " and " + std::to_string(wordCount - shownWords) + " more " + noun;
  return text;
}

/// The elements that share the words of a packed array.
std::vector<uint32_t> elementsIn(const std::vector<uint32_t> &words,
                                 uint32_t bits) {
  std::vector<uint32_t> elements;
  for (uint32_t word : words)
    for (uint32_t shift = 0; shift < 32; shift += bits)
      elements.push_back(word >> shift & ((1u << bits) - 1));
  return elements;
}

std::vector<uint32_t> readWords(const Memory &memory, uint32_t address,
                                uint64_t count) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < count; ++i)
    words.push_back(memory.readWord(address + i * bytesPerWord));
  return words;
}

/// The bytes of a packet from its head on.
std::string describeBytes(const Memory &dram, uint32_t begin, uint32_t length) {
  std::string text;
  uint32_t shown = std::min(length, shownBytes);
  for (uint32_t i = 0; i < shown; ++i) {
    char part[16];
    if (i % bytesPerLine == 0) {
      std::snprintf(part, sizeof part, "%s  %4u:", i ? "\n" : "", i);
      text += part;
    }
    uint32_t word = dram.readWord(begin + i);
    std::snprintf(part, sizeof part, " %02x",
                  word >> (24 - 8 * ((begin + i) % bytesPerWord)) & 0xff);
    text += part;
  }
  if (shown < length)
    text += "\n  and " + std::to_string(length - shown) + " more bytes";
  return text + "\n";
}

/// The packet that the context holds, as memory has it.
std::string describePacket(Simulation &run, uint32_t engine, uint32_t context) {
  uint32_t handle = run.accounting().heldBy(engine, context);
  if (handle == 0)
    return "packet: none; the context has got no message from a scratch ring "
           "since it passed its last packet on\n";
  Chip &chip = run.chip();
  const Memory &sram = chip.sram(0).memory();
  auto word = [&](uint32_t index) {
    return sram.readWord((handle + index) * bytesPerWord);
  };
  uint32_t head = word(target::DescriptorHeadLength) >> 16;
  uint32_t length = word(target::DescriptorHeadLength) & 0xffff;
  uint32_t ports = word(target::DescriptorPorts);
  uint64_t number = run.packetNumber(handle);
  std::string text = "packet";
  if (number != SentFrame::unknownNumber)
    text += " " + std::to_string(number);
  text += ": head " + std::to_string(head) + ", length " +
          std::to_string(length) + ", rx.port " + std::to_string(ports >> 24) +
          ", tx.port " + std::to_string(ports >> 16 & 0xff) + ", sequence " +
          std::to_string(word(target::DescriptorSequence)) + ", descriptor " +
          hexadecimal(handle * bytesPerWord) + " in sram0\n";
  const std::string level = run.image().manifest["level"];
  if (level == "phr" || level == "swc")
    text += "  (as memory has it: at level " + level +
            " the context keeps head, length, ports and metadata that it has "
            "changed in registers)\n";
  for (const json &field :
       run.image().manifest.value("metadata", json::array())) {
    uint64_t words = field["words"];
    uint32_t at =
        handle + target::DescriptorMetadata + field["word"].get<uint32_t>();
    text += "  " + padded(field["name"].get<std::string>(), 24) +
            valueOf(readWords(sram, at * bytesPerWord, words), words) + "\n";
  }
  return text + describeBytes(chip.dram().memory(),
                              target::bufferAddress(handle) + head, length);
}

/// A global's words in the engine's own copy, if they differ from home.
std::string describeCopy(Simulation &run, uint32_t engine, const json &global,
                         const std::vector<uint32_t> &home) {
  for (const json &cache : run.image().manifest.value("caches", json::array()))
    if (cache["global"] == global["name"]) {
      uint32_t local = cache["local"].get<uint32_t>() / bytesPerWord;
      std::vector<uint32_t> copy;
      for (uint32_t i = 0; i < home.size(); ++i)
        copy.push_back(
            run.chip().engine(engine).peek(reg::localMemory + local + i));
      if (copy != home)
        return "\n  " + padded("", 24) +
               "the engine's copy: " + valueOf(copy, copy.size());
    }
  return "";
}

/// A part of a local variable.
uint32_t readPart(const Microengine &engine, const target::ValuePart &part) {
  using Kind = target::ValuePart::Kind;
  uint32_t own = engine.currentContext() * registersPerContext + part.value;
  switch (part.kind) {
  case Kind::GprA:
    return engine.peek(reg::gprA + own);
  case Kind::GprB:
    return engine.peek(reg::gprB + own);
  case Kind::SXfer:
    return engine.peek(reg::sIn + own);
  case Kind::DXfer:
    return engine.peek(reg::dIn + own);
  case Kind::Stack: {
    uint32_t stacks = part.stackWords * target::ContextCount;
    return engine.peek(reg::localMemory + target::LocalMemoryWords - stacks +
                       engine.currentContext() * part.stackWords + part.value);
  }
  default:
    return part.value; // a constant
  }
}

/// A value of a Baker type such as "u16" from its words, of which the first is
/// the most significant: as a number, and in hexadecimal.
std::string valueOfType(const std::string &type, std::vector<uint32_t> words) {
  uint32_t bits = type == "bool"
                      ? 1
                      : uint32_t(std::strtoul(type.c_str() + 1, nullptr, 10));
  if (uint32_t above = uint32_t(words.size()) * 32 - bits; above < 32)
    words[0] &= ~uint32_t(0) >> above;
  if (words.size() > 2)
    return valueOf(words, words.size());
  uint64_t value = words[0];
  if (words.size() == 2)
    value = value << 32 | words[1];
  bool isNegative = type[0] == 's' && value >> (bits - 1) & 1;
  std::string number =
      isNegative
          ? "-" + std::to_string((~value + 1) & (~uint64_t(0) >> (64 - bits)))
          : std::to_string(value);
  return number + " (" + hexadecimal(value) + ")";
}

/// The local variables of the function at `location`, "file:line".
std::string describeLocals(Simulation &run, const Microengine &engine,
                           const std::string &location) {
  const std::string &name = engine.loaded()->name;
  auto locals = run.image().locals.find(name);
  if (locals == run.image().locals.end())
    return run.image().locals.empty()
               ? "locals: not kept; compile the program with bakerc -g\n"
               : "locals: none; this is code of the runtime\n";
  size_t colon = location.rfind(':');
  auto line =
      colon == std::string::npos
          ? 0
          : uint32_t(std::strtoul(location.c_str() + colon + 1, nullptr, 10));
  // Of variables with one name, the one that is declared last hides the others.
  std::map<std::string, const target::Variable *> shown;
  for (const target::Variable &variable : locals->second.variables)
    if (variable.declared.file == location.substr(0, colon) &&
        variable.declared.line <= line && line <= variable.lastLine) {
      const target::Variable *&last = shown[variable.name];
      if (!last || last->declared.line < variable.declared.line)
        last = &variable;
    }
  std::string text = shown.empty() ? "locals: none\n" : "locals\n";
  for (const auto &[variableName, variable] : shown) {
    std::string place = "nowhere", value = "not kept here";
    for (const target::VariableRange &range : locals->second.ranges)
      if (&locals->second.variables[range.variable] == variable &&
          range.begin <= engine.currentPc() && engine.currentPc() < range.end) {
        std::vector<uint32_t> words;
        for (const target::ValuePart &part : range.parts)
          words.push_back(readPart(engine, part));
        place = target::printPlace(range.parts);
        value = valueOfType(variable->type, words);
      }
    text += "  " + padded(variableName, 24) + padded(variable->type, 12) +
            padded(place, 16) + value + "\n";
  }
  return text;
}

std::string describeGlobals(Simulation &run, uint32_t engine) {
  std::string text = "globals\n";
  for (const json &global : run.image().manifest["globals"]) {
    const Memory *memory = run.chip().memoryOf(memoryIn(global));
    if (!memory)
      continue;
    uint32_t address = global["address"];
    uint64_t count = global["bytes"].get<uint64_t>() / bytesPerWord;
    std::vector<uint32_t> words = readWords(*memory, address, count);
    if (words.empty())
      continue;
    std::string value = global.contains("elements")
                            ? valueOf(elementsIn(words, global["element_bits"]),
                                      global["elements"], "elements")
                            : valueOf(words, count);
    text +=
        "  " + padded(global["name"], 24) +
        padded(global.value("type", std::to_string(count) + " words"), 12) +
        padded(global["memory"].get<std::string>() + " " + hexadecimal(address),
               16) +
        value + describeCopy(run, engine, global, words) + "\n";
  }
  return text;
}

} // namespace

std::string describeBreak(Simulation &run) {
  const auto &state = run.accounting().breakState();
  KARAKAL_ASSERT(state, "no engine is at a breakpoint");
  const Microengine &engine = run.chip().engine(state->engine);
  // What units have accepted is in memory for whoever reads it next.
  run.chip().physical().settle();
  // The first two lines say where the engine is; registers follow.
  size_t end = state->text.find('\n', state->text.find('\n') + 1) + 1;
  std::string text = state->text.substr(0, end);
  const MicroProgram &program = *engine.loaded();
  std::string location = program.locationOf(engine.currentPc());
  if (!location.empty())
    location = location.substr(2, location.size() - 3);
  if (const std::string &line = run.sources().textOf(location); !line.empty())
    text += "  " + line + "\n";
  return text + describeLocals(run, engine, location) +
         describePacket(run, state->engine, engine.currentContext()) +
         describeGlobals(run, state->engine) + "registers\n" +
         state->text.substr(end) + "contexts\n" + run.chip().describeContexts();
}

} // namespace karakal::sim
