// Loads an image into a chip.
//
// See Loader.h for the idea. The image was checked against its schema when it
// was read.

#include "sim-ixp/run/Loader.h"
#include "sim-ixp/core/PhysicalBus.h"
#include "sim-ixp/engine/PrepareProgram.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/EngineTable.h"
#include "target-ixp/chip/RingLayout.h"
#include "target-ixp/table/HashMultiplier.h"
#include "target-ixp/table/HashSecret.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

namespace karakal::sim {
namespace {

using nlohmann::json;

EngineRole roleOf(const std::string &role) {
  if (role == "rx")
    return EngineRole::Rx;
  if (role == "tx")
    return EngineRole::Tx;
  return EngineRole::App;
}

/// Chooses the application engines that run: first one for each aggregate, then
/// others by number.
Result<std::vector<uint32_t>> chooseApps(const EnginePlans &all,
                                         uint32_t wanted) {
  std::vector<uint32_t> chosen, others;
  std::vector<std::string> seen;
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].role != EngineRole::App)
      continue;
    bool isNew =
        std::find(seen.begin(), seen.end(), all[i].aggregate) == seen.end();
    if (isNew)
      seen.push_back(all[i].aggregate);
    (isNew ? chosen : others).push_back(i);
  }
  if (wanted == 0)
    wanted = static_cast<uint32_t>(chosen.size() + others.size());
  if (wanted > chosen.size() + others.size())
    return makeError(
        "E-sim-ixp-010",
        "--mes=" + std::to_string(wanted) + ": the image is built for " +
            std::to_string(chosen.size() + others.size()) +
            " engines; compile it with --mes=" + std::to_string(wanted));
  if (wanted < chosen.size())
    return makeError("E-sim-ixp-011",
                     "--mes=" + std::to_string(wanted) + ": the image has " +
                         std::to_string(chosen.size()) +
                         " aggregates and each needs an engine");
  others.resize(wanted - chosen.size());
  chosen.insert(chosen.end(), others.begin(), others.end());
  return chosen;
}

/// The engines that run an aggregate, in order.
std::vector<uint32_t> enginesOf(const EnginePlans &plans,
                                const std::string &aggregate) {
  std::vector<uint32_t> engines;
  for (uint32_t i = 0; i < plans.size(); ++i)
    if (plans[i].role == EngineRole::App && plans[i].aggregate == aggregate)
      engines.push_back(i);
  return engines;
}

/// Contexts of each engine of an aggregate.
uint32_t contextsOf(const json &aggregates, const std::string &name) {
  for (const json &aggregate : aggregates)
    if (aggregate["name"] == name && aggregate.contains("contexts"))
      return aggregate["contexts"];
  return target::ContextCount;
}

/// Moves the running engines next to each other, in the order of aggregates, so
/// that an engine's neighbour runs the next aggregate.
void placeSideBySide(const json &aggregates, EnginePlans &plans) {
  std::vector<EnginePlan> running;
  for (const json &aggregate : aggregates)
    for (uint32_t i : enginesOf(plans, aggregate["name"])) {
      running.push_back(plans[i]);
      plans[i] = EnginePlan{};
    }
  for (uint32_t i = 0; i < running.size(); ++i)
    plans[target::AppEngineFirst + i] = running[i];
}

/// The variant of an aggregate's microcode that gets from (takes) or puts into
/// (puts) a next-neighbour ring, with or without (plain) caches; empty if there
/// is none.
std::string variantOf(const json &aggregate, bool takes, bool puts,
                      bool isPlain = false) {
  if (aggregate.contains("variants"))
    for (const json &variant : aggregate["variants"])
      if (variant["takes"] == takes && variant["puts"] == puts &&
          variant.value("plain", false) == isPlain)
        return variant["ucode"];
  return "";
}

/// Turns a channel between two aggregates of one engine each into a
/// next-neighbour ring if the image has microcode for it. Other channels stay
/// as they are.
void chooseRings(const json &aggregates, EnginePlans &plans) {
  bool takes = false, puts = false;
  for (size_t i = 0; i < aggregates.size(); ++i, takes = puts) {
    std::vector<uint32_t> here = enginesOf(plans, aggregates[i]["name"]), next;
    if (i + 1 < aggregates.size())
      next = enginesOf(plans, aggregates[i + 1]["name"]);
    puts = here.size() == 1 && next.size() == 1 && next[0] == here[0] + 1 &&
           !variantOf(aggregates[i], takes, true).empty() &&
           !variantOf(aggregates[i + 1], true, false).empty();
    if (takes || puts)
      plans[here[0]].microcode = variantOf(aggregates[i], takes, puts);
    for (uint32_t engine : here)
      plans[engine].plainMicrocode =
          variantOf(aggregates[i], takes, puts, /*isPlain=*/true);
  }
}

/// Sets breakpoints at `breakpoint` and returns their number. For a source
/// line, each consecutive sequence of its instructions gets one at its start.
uint32_t markBreak(const std::string &breakpoint, const std::string &name,
                   MicroProgram &program) {
  uint32_t marked = 0;
  auto mark = [&](size_t word) {
    setBreak(program, static_cast<uint32_t>(word));
    ++marked;
  };
  std::string pc = breakpoint.rfind(name + ":", 0) == 0
                       ? breakpoint.substr(name.size() + 1)
                       : breakpoint;
  if (!pc.empty() && pc.find_first_not_of("0123456789") == std::string::npos) {
    if (pc.size() < 6 && std::stoul(pc) + 8 < program.ops.size())
      mark(std::stoul(pc));
    return marked;
  }
  for (size_t i = 0; i < program.locations.size(); ++i) {
    const std::string &here = program.locations[i];
    bool isHere = here.size() >= breakpoint.size() &&
                  here.compare(here.size() - breakpoint.size(),
                               breakpoint.size(), breakpoint) == 0;
    if (isHere && (i == 0 || program.locations[i - 1] != here))
      mark(i);
  }
  return marked;
}

std::shared_ptr<const MicroProgram>
prepareNamed(const target::Image &image, const std::string &name,
             const std::vector<std::string> &breaks,
             std::vector<uint32_t> &found) {
  auto program =
      std::make_shared<MicroProgram>(prepareProgram(image.microcode.at(name)));
  program->name = name;
  auto lines = image.lines.find(name);
  if (lines != image.lines.end())
    for (const target::SourceLine &line : lines->second)
      program->locations.push_back(
          line.line ? line.file + ":" + std::to_string(line.line) : "");
  for (const json &function :
       image.manifest.value("lock_functions", json::array())) {
    if (function["ucode"] != name)
      continue;
    program->lockFunctions.push_back(
        {function["begin"], function["end"],
         function["calls"].get<std::vector<uint32_t>>()});
    auto &calls = program->lockFunctions.back().calls;
    std::sort(calls.begin(), calls.end());
  }
  for (size_t i = 0; i < breaks.size(); ++i)
    found[i] += markBreak(breaks[i], name, *program);
  return program;
}

/// Copies microcode to DRAM from `address` on; returns the address after it.
uint32_t storeMicrocode(const std::vector<uint64_t> &words, uint32_t address,
                        Memory &dram) {
  for (uint64_t word : words) {
    uint64_t stored = target::withParity(word);
    dram.writeWord(address, static_cast<uint32_t>(stored >> 32));
    dram.writeWord(address + 4, static_cast<uint32_t>(stored));
    address += 8;
  }
  return address;
}

/// The number of an aggregate in the image.
uint32_t aggregateNumber(const json &aggregates, const std::string &name) {
  uint32_t number = 0;
  while (number < aggregates.size() && aggregates[number]["name"] != name)
    ++number;
  return number;
}

/// Fills the table of engines that the core stops and starts, and puts the code
/// that it exchanges into DRAM.
Status fillEngineTable(const target::Image &image, const EnginePlans &plans,
                       Chip &chip) {
  if (!image.manifest.contains("engine_table"))
    return success();
  uint32_t entry = image.manifest["engine_table"];
  uint32_t next = target::ExchangeCodeBase;
  Memory &dram = chip.dram().memory();
  std::map<std::string, uint32_t> stored; // address, by name
  for (uint32_t i = 0; i < plans.size(); ++i) {
    if (plans[i].role != EngineRole::App)
      continue;
    uint32_t number =
        target::engineHardwareNumber(i, chip.chassis().clusterEngines());
    std::vector<uint32_t> row = {
        target::XScaleLocalCsrs + PhysicalBus::csrBytes * number, 1u << number,
        aggregateNumber(image.manifest["aggregates"], plans[i].aggregate)};
    for (const std::string &name :
         {plans[i].microcode, plans[i].plainMicrocode}) {
      if (plans[i].plainMicrocode.empty())
        break;
      const std::vector<uint64_t> &words = image.microcode.at(name);
      auto [at, isNew] = stored.try_emplace(name, next);
      if (isNew && next + 8 * words.size() > target::ExchangeCodeEnd)
        return makeError("E-sim-ixp-019",
                         "the microcode that the XScale core exchanges does "
                         "not fit DRAM: " +
                             std::to_string(target::ExchangeCodeEnd -
                                            target::ExchangeCodeBase) +
                             " bytes are there for it");
      if (isNew)
        next = storeMicrocode(words, next, dram);
      row.push_back(at->second);
      row.push_back(static_cast<uint32_t>(words.size()));
    }
    row.resize(target::EngineEntryWords);
    for (uint32_t word : row) {
      dram.writeWord(entry, word);
      entry += 4;
    }
  }
  return success();
}

/// Successive packets get every third buffer. The frames of neighbours begin in
/// the banks 0 1 1 2 2 3 3 0 of DRAM (without a hash), those of every third in
/// 0 2 3 1 2 0 1 3, so that packets that are handled together wait less for one
/// bank. The step may not divide the number of buffers.
constexpr uint32_t bufferStep = 3;

void fillFreeList(const json &buffers, Chip &chip) {
  uint32_t base = buffers["descriptor_base"];
  uint32_t bytes = buffers["descriptor_bytes"];
  uint32_t count = buffers["count"];
  uint32_t entry = buffers["free_queue"]["entry"];
  Sram &sram = chip.sram(buffers["free_queue"]["channel"]);
  uint32_t step = count % bufferStep != 0 ? bufferStep : 1;
  for (uint32_t i = 0; i < count; ++i)
    sram.fillQueue(entry, (base + i * step % count * bytes) / 4);
}

} // namespace

target::Memory memoryIn(const json &object) {
  auto memory = target::findMemory(object["memory"].get<std::string>());
  KARAKAL_ASSERT(memory, "the schema knows the memories of a manifest");
  return *memory;
}

Result<EnginePlans> planEngines(const target::Image &image,
                                const LoadOptions &options) {
  EnginePlans all;
  for (const json &engine : image.manifest["engines"]) {
    EnginePlan &plan = all[engine["engine"].get<uint32_t>()];
    plan.role = roleOf(engine["role"]);
    plan.microcode = engine["ucode"];
    plan.aggregate = engine.value("aggregate", plan.microcode);
    plan.contextMask = 0xff;
    uint32_t contexts =
        contextsOf(image.manifest["aggregates"], plan.aggregate);
    if (options.threads)
      contexts = std::min(contexts, options.threads);
    if (plan.role == EngineRole::App)
      plan.contextMask = (1u << contexts) - 1;
  }
  Result<std::vector<uint32_t>> apps = chooseApps(all, options.engines);
  if (!apps)
    return apps.error();
  for (uint32_t i = 0; i < all.size(); ++i)
    if (all[i].role == EngineRole::App &&
        std::find(apps->begin(), apps->end(), i) == apps->end())
      all[i] = EnginePlan{};
  const json &aggregates = image.manifest["aggregates"];
  bool hasVariants = std::any_of(
      aggregates.begin(), aggregates.end(),
      [](const json &aggregate) { return aggregate.contains("variants"); });
  if (hasVariants) {
    placeSideBySide(aggregates, all);
    chooseRings(aggregates, all);
  }
  return all;
}

AccountingPlan planAccounting(const target::Image &image,
                              const EnginePlans &plans) {
  AccountingPlan plan;
  for (uint32_t i = 0; i < plans.size(); ++i)
    plan.roles[i] = plans[i].role;
  const json &buffers = image.manifest["buffers"];
  plan.bufferCount = buffers["count"];
  plan.firstHandle = buffers["descriptor_base"].get<uint32_t>() / 4;
  plan.handleStep = buffers["descriptor_bytes"].get<uint32_t>() / 4;
  plan.freeChannel = buffers["free_queue"]["channel"];
  plan.freeEntry = buffers["free_queue"]["entry"];
  plan.rxRing = target::RingRx;
  plan.toXScaleRing = target::RingToXScale;
  plan.dropCounters = image.manifest["drop_counters"];
  for (const json &global : image.manifest["globals"]) {
    target::Memory memory = memoryIn(global);
    uint32_t begin = target::commandAddress(memory, global["address"]);
    AccountingPlan::Range range{begin, begin + global["bytes"].get<uint32_t>()};
    if (memory == target::Memory::Scratch)
      plan.scratchGlobals.push_back(range);
    else if (target::isSram(memory))
      plan.sramGlobals.push_back(range);
  }
  return plan;
}

/// Checks that a ring still holds the words under way when its flag comes on:
/// the image may be made for a chip with another margin or another inlet.
Status checkRingMargins(const target::Image &image, const Chip &chip) {
  uint64_t part = chip.parameters().ringFullPart;
  for (const json &ring : image.manifest["rings"]) {
    uint64_t words = ring["words"];
    target::RingLoad load{ring.value("contexts", 0U),
                          ring.value("message_words", 0u)};
    uint64_t underWay = load.wordsUnderWay(chip.parameters());
    if (words / part < underWay)
      return makeError(
          "E-sim-ixp-016",
          "ring " + ring["name"].get<std::string>() + " of the image has " +
              std::to_string(words) + " words, and puts of " +
              std::to_string(underWay) +
              " may be under way when its flag comes on; the chip leaves " +
              std::to_string(words / part) +
              " (ring.full_part=" + std::to_string(part) +
              ", bus.inlet=" + std::to_string(chip.parameters().busInlet) +
              "): compile the image for this chip (bakerc --set)");
  }
  return success();
}

/// Checks that the chip has the engines and memories that the image uses.
Status checkSizes(const target::Image &image, const EnginePlans &plans,
                  Chip &chip) {
  const std::string name = image.manifest["target"];
  target::ChipParameters made = *target::parseChip(name);
  if (target::clusterEngineCount(made) != chip.chassis().clusterEngines())
    return makeError("E-sim-ixp-016",
                     "the image is made for the " + name +
                         " with clusters of " +
                         std::to_string(target::clusterEngineCount(made)) +
                         " engines, the chip has clusters of " +
                         std::to_string(chip.chassis().clusterEngines()) +
                         ": compile it for this chip (bakerc --target)");
  for (uint32_t i = chip.engineCount(); i < plans.size(); ++i)
    if (plans[i].role != EngineRole::Idle)
      return makeError("E-sim-ixp-016",
                       "the image uses engine " + std::to_string(i) +
                           "; the chip has engines 0 to " +
                           std::to_string(chip.engineCount() - 1));
  uint32_t channels =
      1 + image.manifest["buffers"]["free_queue"]["channel"].get<uint32_t>();
  for (const json &global : image.manifest["globals"])
    channels = std::max(
        channels, 1 + target::sramChannelOf(memoryIn(global)).value_or(0));
  if (channels > chip.sramChannelCount())
    return makeError("E-sim-ixp-016",
                     "the image uses SRAM channels 0 to " +
                         std::to_string(channels - 1) + "; the chip has " +
                         std::to_string(chip.sramChannelCount()));
  uint64_t sram = image.manifest.value("sram_size", uint64_t{0});
  if (sram > uint64_t(chip.parameters().sramBytes))
    return makeError("E-sim-ixp-016",
                     "the image was made for SRAM channels of " +
                         std::to_string(sram) + " bytes; the chip has " +
                         std::to_string(chip.parameters().sramBytes) +
                         "; --set=sram.size=" + std::to_string(sram) +
                         " gives it as many");
  return checkRingMargins(image, chip);
}

Status loadImage(const target::Image &image, const EnginePlans &plans,
                 const std::vector<std::string> &breaks, Chip &chip) {
  if (Status fits = checkSizes(image, plans, chip); !fits)
    return fits;
  std::vector<uint32_t> found(breaks.size());
  const target::ChipParameters &params = chip.parameters();
  std::map<std::string, std::shared_ptr<const MicroProgram>> programs;
  for (uint32_t i = 0; i < plans.size(); ++i) {
    if (plans[i].role == EngineRole::Idle)
      continue;
    const std::string &name = plans[i].microcode;
    const std::vector<uint64_t> &words = image.microcode.at(name);
    if (words.size() > params.meControlStore)
      return makeError("E-sim-ixp-012",
                       "microcode '" + name + "' has " +
                           std::to_string(words.size()) +
                           " words; the control store of an engine has " +
                           std::to_string(params.meControlStore));
    for (const std::string &name :
         {plans[i].microcode, plans[i].plainMicrocode})
      if (auto &program = programs[name]; !program && !name.empty())
        program = prepareNamed(image, name, breaks, found);
    chip.engine(i).load(programs[name]);
    if (plans[i].plainMicrocode.empty())
      continue;
    for (const std::string &known :
         {plans[i].microcode, plans[i].plainMicrocode})
      chip.engine(i).know(image.microcode.at(known), programs[known]);
  }
  for (size_t i = 0; i < breaks.size(); ++i)
    if (found[i] == 0)
      return makeError("E-sim-ixp-015",
                       "--break=" + breaks[i] +
                           ": no instruction is there; give PC, MICROCODE:PC "
                           "or FILE:LINE");
  for (const target::Segment &segment : image.xscale)
    std::copy(segment.bytes.begin(), segment.bytes.end(),
              chip.dram().memory().data() + segment.address);
  for (const json &ring : image.manifest["rings"])
    chip.scratch().configureRing(ring["number"], ring["base"], ring["words"],
                                 ring["status"] == "empty");
  if (image.manifest.contains("sram_rings"))
    for (const json &ring : image.manifest["sram_rings"])
      chip.sram(ring["channel"])
          .makeRing(ring["entry"], ring["base"], ring["words"]);
  fillFreeList(image.manifest["buffers"], chip);
  return fillEngineTable(image, plans, chip);
}

Status setHashMultiplier(const target::Image &image, const std::string &hashKey,
                         Chip &chip) {
  if (!image.manifest.contains("hash")) {
    if (hashKey.empty())
      return success();
    return makeError("E-sim-ixp-018",
                     "--hash-key: the multiplier of hashes is built into the "
                     "image's code for the core: compile it with bakerc "
                     "--hash-key, then the key can be changed here");
  }
  const json &hash = image.manifest["hash"];
  std::array<uint32_t, 4> words = hash["multiplier"];
  target::HashKey multiplier{uint64_t{words[1]} << 32 | words[0],
                             uint64_t{words[3]} << 32 | words[2]};
  if (!hashKey.empty())
    multiplier = target::multiplierOf(*target::readHashSecret(hashKey));
  chip.hash().setMultiplier(multiplier);
  if (hash.contains("core_copy")) {
    uint8_t *copy =
        chip.dram().memory().data() + hash["core_copy"].get<uint32_t>();
    for (uint32_t i = 0; i < 8; ++i) {
      copy[i] = uint8_t(multiplier.high >> (56 - 8 * i));
      copy[8 + i] = uint8_t(multiplier.low >> (56 - 8 * i));
    }
  }
  return success();
}

void startEngines(const EnginePlans &plans, Chip &chip) {
  uint32_t contexts = (1u << chip.parameters().meContexts) - 1;
  for (uint32_t i = 0; i < plans.size(); ++i)
    if (plans[i].role != EngineRole::Idle)
      chip.engine(i).start(plans[i].contextMask & contexts);
}

} // namespace karakal::sim
