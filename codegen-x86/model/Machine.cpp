// A computer as the model of rates sees it.

#include "codegen-x86/model/Machine.h"
#include "support/Files.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace karakal::x86 {

using nlohmann::json;

/// The version of the file's form, which its name tells, too.
static constexpr int schema = 1;

/// Interpolates over the logarithm of `at` between the points of `size` and
/// `value`; beyond the ends it keeps the value of the end.
template <typename Point, typename Size>
static double between(const std::vector<Point> &points, double at,
                      Size Point::*size, double Point::*value) {
  KARAKAL_ASSERT(!points.empty(), "a machine has figures");
  auto above = std::find_if(points.begin(), points.end(), [&](const Point &p) {
    return double(p.*size) >= at;
  });
  if (above == points.begin())
    return points.front().*value;
  if (above == points.end())
    return points.back().*value;
  const Point &low = *std::prev(above), &high = *above;
  double share = std::log(at / double(low.*size)) /
                 std::log(double(high.*size) / double(low.*size));
  return low.*value + share * (high.*value - low.*value);
}

double Machine::latencyNs(double lines) const {
  double bytes = lines * double(LineBytes);
  double found =
      between(memory, bytes, &MemoryFigure::bytes, &MemoryFigure::latencyNs);
  return std::max(0.0, found - memory.front().latencyNs);
}

double Machine::parallelNs(double lines) const {
  double bytes = lines * double(LineBytes);
  double found =
      between(memory, bytes, &MemoryFigure::bytes, &MemoryFigure::parallelNs);
  return std::max(0.0, found - memory.front().parallelNs);
}

double Machine::burstNs(uint32_t packets) const {
  return between(burst, packets, &PacketFigure::packets, &PacketFigure::ns);
}

double Machine::cutNs(uint32_t packets) const {
  return between(cut, packets, &PacketFigure::packets, &PacketFigure::ns);
}

static json packetFigures(const std::vector<PacketFigure> &figures) {
  json list = json::array();
  for (const PacketFigure &figure : figures)
    list.push_back({{"packets", figure.packets}, {"ns", figure.ns}});
  return list;
}

std::string machineText(const Machine &machine) {
  json memory = json::array();
  for (const MemoryFigure &figure : machine.memory)
    memory.push_back({{"bytes", figure.bytes},
                      {"latency_ns", figure.latencyNs},
                      {"parallel_ns", figure.parallelNs}});
  json text = {{"schema", schema},
               {"processor", machine.processor},
               {"window_instructions", machine.windowInstructions},
               {"instruction_ns", machine.instructionNs},
               {"misprediction_ns", machine.mispredictionNs},
               {"memory", memory},
               {"burst_ns", packetFigures(machine.burst)},
               {"cut_ns", packetFigures(machine.cut)}};
  return text.dump(1) + "\n";
}

namespace {

/// Takes the figures from the JSON of one file; the first fault is kept.
class MachineReader {
public:
  MachineReader(const json &text) : text(text) {}

  Machine read();
  const std::string &fault() const { return why; }

private:
  void fail(const std::string &what) {
    if (why.empty())
      why = what;
  }
  const json *find(const json &object, const std::string &key) {
    auto at = object.is_object() ? object.find(key) : object.end();
    if (object.is_object() && at != object.end())
      return &*at;
    fail("'" + key + "' is missing");
    return nullptr;
  }
  double number(const json &object, const std::string &key, double least) {
    const json *value = find(object, key);
    if (!value)
      return least;
    if (value->is_number() && value->get<double>() >= least &&
        value->get<double>() < 1e12)
      return value->get<double>();
    fail("'" + key + "' must be a number, at least " +
         std::to_string(int(least)));
    return least;
  }
  /// Calls `add` for each object of a list of at least `least`.
  template <typename Add>
  void each(const std::string &key, size_t least, Add add) {
    const json *list = find(text, key);
    if (!list)
      return;
    if (!list->is_array() || list->size() < least)
      return fail("'" + key + "' must be a list of at least " +
                  std::to_string(least));
    for (const json &entry : *list)
      add(entry);
  }
  std::vector<PacketFigure> packets(const std::string &key);

  const json &text;
  std::string why;
};

std::vector<PacketFigure> MachineReader::packets(const std::string &key) {
  std::vector<PacketFigure> figures;
  each(key, 1, [&](const json &entry) {
    PacketFigure figure{uint32_t(number(entry, "packets", 1)),
                        number(entry, "ns", 0)};
    if (!figures.empty() && figures.back().packets >= figure.packets)
      fail("'packets' of '" + key + "' must ascend");
    figures.push_back(figure);
  });
  return figures;
}

Machine MachineReader::read() {
  Machine machine;
  if (number(text, "schema", 1) != schema)
    fail("'schema' must be " + std::to_string(schema));
  const json *name = find(text, "processor");
  if (name && name->is_string())
    machine.processor = name->get<std::string>();
  else
    fail("'processor' must be a string");
  machine.windowInstructions = number(text, "window_instructions", 1);
  machine.instructionNs = number(text, "instruction_ns", 0);
  machine.mispredictionNs = number(text, "misprediction_ns", 0);
  each("memory", 2, [&](const json &entry) {
    MemoryFigure figure{uint64_t(number(entry, "bytes", 1)),
                        number(entry, "latency_ns", 0),
                        number(entry, "parallel_ns", 0)};
    if (!machine.memory.empty() && machine.memory.back().bytes >= figure.bytes)
      fail("'bytes' of 'memory' must ascend");
    machine.memory.push_back(figure);
  });
  machine.burst = packets("burst_ns");
  machine.cut = packets("cut_ns");
  return machine;
}

} // namespace

Result<Machine> parseMachine(const std::string &text, const std::string &path) {
  auto wrong = [&](const std::string &why) {
    return makeFileError(
        "E-codegen-x86-002", path,
        "no figures of a machine: " + why +
            "; write the file again with 'bakerc --calibrate'");
  };
  json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded())
    return wrong("it is not JSON");
  if (!parsed.is_object())
    return wrong("it is not an object");
  MachineReader reader(parsed);
  Machine machine = reader.read();
  if (!reader.fault().empty())
    return wrong(reader.fault());
  return machine;
}

Result<Machine> readMachine(const std::string &path) {
  if (!std::filesystem::exists(path))
    return makeFileError("E-codegen-x86-001", path,
                         "the figures of this machine do not exist; measure "
                         "them with 'bakerc --calibrate', or name a file with "
                         "--machine");
  auto text = readFile(path);
  if (!text)
    return text.error();
  return parseMachine(*text, path);
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) {
      size_t at = line.find(':');
      return at + 2 < line.size() ? line.substr(at + 2) : "unknown";
    }
  return "unknown";
}

std::string machinePath(const std::string &processor) {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  const char *home = std::getenv("HOME");
  std::string folder = cache && *cache ? cache
                       : home && *home ? std::string(home) + "/.cache"
                                       : "";
  if (folder.empty())
    return "";
  std::string name;
  for (char c : processor)
    if (std::isalnum(uint8_t(c)))
      name += char(std::tolower(uint8_t(c)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  while (!name.empty() && name.back() == '-')
    name.pop_back();
  return folder + "/karakal/machine-" + std::to_string(schema) + "-" + name +
         ".json";
}

} // namespace karakal::x86
