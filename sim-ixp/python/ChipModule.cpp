// The chip for Python.
//
// The module `ixpchip` builds a chip, loads words of any origin, pokes and
// peeks memories and registers, and steps. It adds nothing to the library.
// Errors of the caller raise ValueError; faults of a program are in
// `Chip.faults`.

#include "sim-ixp/engine/PrepareProgram.h"
#include "sim-ixp/media/Msf.h"
#include "sim-ixp/run/Chip.h"
#include "target-ixp/chip/ChipParameters.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace py = pybind11;
using namespace karakal;

namespace {

/// Records faults and hazards of the program.
class ErrorRecorder : public sim::ChipObserver {
public:
  void onFault(uint32_t engine, const std::string &what) override {
    faults.push_back("engine " + std::to_string(engine) + ": " + what);
  }
  void onHazard(const sim::Hazard &hazard) override {
    hazards.push_back("engine " + std::to_string(hazard.engine) + ", cycle " +
                      std::to_string(hazard.cycle) + ", " + hazard.text);
  }
  std::vector<std::string> faults, hazards;
};

target::ChipParameters parametersOf(const std::vector<std::string> &settings,
                                    const std::string &configuration) {
  target::ChipParameters parameters;
  if (Status status = target::setConfiguration(parameters, configuration);
      !status)
    throw py::value_error(status.error().message);
  for (const std::string &setting : settings)
    if (Status status = target::setParameter(parameters, setting); !status)
      throw py::value_error(status.error().message);
  return parameters;
}

/// A chip and its recorded errors, in Python's terms.
class PythonChip {
public:
  PythonChip(const std::vector<std::string> &settings,
             const std::string &configuration)
      : chip(parametersOf(settings, configuration), errors) {
    chip.cap().onInterrupt([this](uint32_t which, uint32_t thread) {
      interrupts.push_back({chip.scheduler().now(), which,
                            thread == sim::noThread ? -1 : int(thread)});
    });
  }

  sim::Microengine &engine(uint32_t index) {
    if (index >= chip.engineCount())
      throw py::value_error("there is no engine " + std::to_string(index));
    return chip.engine(index);
  }

  void load(uint32_t index, const std::vector<uint64_t> &words) {
    if (words.empty() || words.size() > chip.parameters().meControlStore)
      throw py::value_error("a control store holds 1 to " +
                            std::to_string(chip.parameters().meControlStore) +
                            " words");
    engine(index).load(
        std::make_shared<sim::MicroProgram>(sim::prepareProgram(words)));
  }

  void loadBytes(uint32_t index, const std::string &bytes) {
    if (bytes.size() % 5 != 0)
      throw py::value_error("microcode has 5 bytes per word");
    std::vector<uint64_t> words(bytes.size() / 5);
    for (size_t i = 0; i < bytes.size(); ++i)
      words[i / 5] = words[i / 5] << 8 | static_cast<unsigned char>(bytes[i]);
    load(index, words);
  }

  void start(uint32_t index, uint32_t contexts) {
    if (!engine(index).loaded())
      throw py::value_error("the engine has no program");
    engine(index).start(contexts & 0xff);
  }

  sim::Memory &memory(const std::string &name) {
    std::optional<target::Memory> memory = target::findMemory(name);
    if (sim::Memory *found = memory ? chip.memoryOf(*memory) : nullptr)
      return *found;
    throw py::value_error("memories are scratch, sram0, sram1 and dram, not '" +
                          name + "'");
  }

  uint32_t read(const std::string &name, uint32_t address) {
    return within(memory(name), address).readWord(address);
  }
  void write(const std::string &name, uint32_t address, uint32_t value) {
    within(memory(name), address).writeWord(address, value);
  }

  void configureRing(uint32_t number, uint32_t base, uint32_t words,
                     bool statusOnEmpty) {
    bool isSize = words == 128 || words == 256 || words == 512 || words == 1024;
    if (number >= sim::Scratch::ringCount || !isSize ||
        base % (words * 4) != 0 ||
        base + words * 4 > chip.scratch().memory().size())
      throw py::value_error("rings are 0 to 15 and have 128, 256, 512 or "
                            "1,024 words, at a multiple of their size");
    chip.scratch().configureRing(number, base, words, statusOnEmpty);
  }

  sim::Sram &queueOf(uint32_t channel, uint32_t entry) {
    if (channel >= chip.sramChannelCount() ||
        entry >= sim::QueueArray::entryCount)
      throw py::value_error("there is no such queue");
    return chip.sram(channel);
  }
  void fillQueue(uint32_t channel, uint32_t entry, uint32_t longword) {
    sim::Sram &sram = queueOf(channel, entry);
    if (longword == 0 || uint64_t{longword} * 4 + 4 > sram.memory().size())
      throw py::value_error("the buffer lies outside of the channel");
    sram.fillQueue(entry, longword);
  }

  uint32_t peek(uint32_t index, const std::string &bank, uint32_t number,
                uint32_t context) {
    return engine(index).peek(registerOf(bank, number, context));
  }
  void poke(uint32_t index, const std::string &bank, uint32_t number,
            uint32_t context, uint32_t value) {
    engine(index).poke(registerOf(bank, number, context), value);
  }

  py::dict counters(uint32_t index) {
    sim::EngineCounters now = engine(index).countersAt(chip.scheduler().now());
    py::dict result;
    result["issue_cycles"] = now.issueCycles;
    result["aborted_cycles"] = now.abortedCycles;
    result["stall_cycles"] = now.stallCycles;
    result["idle_cycles"] = now.idleCycles;
    result["commands"] = now.commands;
    return result;
  }

  /// Runs to `cycle` or a fault; returns whether anything is left to do.
  bool runTo(uint64_t cycle) {
    while (errors.faults.empty() && chip.stepBefore(cycle)) {
    }
    if (!errors.faults.empty())
      return false;
    chip.runTo(cycle);
    return chip.isPending();
  }

  /// Gives the chip ports at which `packets`, (port, bytes) each, arrive.
  void connectPorts(const std::vector<std::pair<uint32_t, py::bytes>> &packets,
                    double rateGbps, bool isReady) {
    if (media)
      throw py::value_error("the chip has ports already");
    auto portCount = static_cast<uint32_t>(chip.parameters().portsCount);
    std::vector<traces::Packet> trace;
    for (const auto &[port, bytes] : packets) {
      std::string text = bytes;
      if (port >= portCount || text.empty())
        throw py::value_error("packets are (port, bytes) with ports 0 to " +
                              std::to_string(portCount - 1) +
                              " and at least one byte");
      traces::Packet packet;
      packet.port = port;
      packet.bytes.assign(text.begin(), text.end());
      trace.push_back(std::move(packet));
    }
    if (trace.empty() || !(rateGbps >= 0))
      throw py::value_error("give at least one packet, and no negative rate");
    sim::TrafficOptions options;
    options.portCount = portCount;
    options.offeredGbps = rateGbps;
    options.fcsPorts = static_cast<uint32_t>(chip.parameters().portsFcs);
    source = std::make_unique<sim::TrafficSource>(std::move(trace), options);
    media = std::make_unique<sim::Msf>(chip.chassis(), errors, *source);
    media->onSent(
        [this](const sim::SentFrame &frame) { frames.push_back(frame); });
    chip.connectMedia(media.get());
    if (isReady)
      media->start();
  }

  /// (cycle, port, bytes) of each frame that has left.
  std::vector<std::tuple<uint64_t, uint32_t, py::bytes>> sent() const {
    std::vector<std::tuple<uint64_t, uint32_t, py::bytes>> result;
    for (const sim::SentFrame &frame : frames)
      result.emplace_back(
          frame.cycle, frame.port,
          py::bytes(reinterpret_cast<const char *>(frame.bytes.data()),
                    frame.bytes.size()));
    return result;
  }

  /// Whether every packet has been received and nothing is left to send.
  bool arePortsIdle() const {
    return !media || (media->isReceiveDone() && media->isTransmitDone());
  }

  uint32_t readPhysical(uint32_t address) {
    auto word = address % 4 == 0 ? chip.physical().read(address) : std::nullopt;
    if (!word)
      throw py::value_error("nothing is at address " + std::to_string(address));
    return *word;
  }
  void writePhysical(uint32_t address, uint32_t value) {
    if (address % 4 != 0 || !chip.physical().write(address, value))
      throw py::value_error("nothing is at address " + std::to_string(address));
  }

  void raise(uint32_t index, uint32_t context, uint32_t signal) {
    engine(index);
    if (context >= 8 || signal == 0 || signal > 15)
      throw py::value_error("contexts are 0 to 7, signals 1 to 15");
    chip.chassis().raise(index, context, 1u << signal, chip.scheduler().now());
  }

  ErrorRecorder errors;
  sim::Chip chip;
  std::unique_ptr<sim::TrafficSource> source;
  std::unique_ptr<sim::Msf> media;
  std::vector<sim::SentFrame> frames;
  /// Cycle, interrupt (0 = A, 1 = B) and thread (-1 = the core) of each.
  std::vector<std::tuple<uint64_t, uint32_t, int>> interrupts;

private:
  sim::Memory &within(sim::Memory &memory, uint32_t address) {
    if (address % 4 != 0 || address >= memory.size())
      throw py::value_error("no word at address " + std::to_string(address));
    return memory;
  }

  static uint32_t registerOf(const std::string &bank, uint32_t number,
                             uint32_t context) {
    using namespace sim::reg;
    const std::pair<const char *, uint32_t> banks[] = {
        {"a", gprA},   {"b", gprB},     {"$in", sIn},     {"$out", sOut},
        {"$$in", dIn}, {"$$out", dOut}, {"n$", neighbour}};
    if (bank == "lm" && number < target::LocalMemoryWords)
      return localMemory + number;
    for (const auto &[name, base] : banks)
      if (bank == name && number < 16 && context < 8)
        return base + context * 16 + number;
    throw py::value_error("registers are a, b, $in, $out, $$in, $$out, n$ "
                          "(0 to 15 of context 0 to 7) and lm (0 to 639)");
  }
};

using ChipClass = py::class_<PythonChip>;

void defineRunning(ChipClass &chip) {
  chip.def(py::init<const std::vector<std::string> &, const std::string &>(),
           py::arg("settings") = std::vector<std::string>(),
           py::arg("configuration") = "ixp2400",
           "A chip with zeroed memories. The configuration is a name or a "
           "file; settings are 'name=value' and override it.")
      .def("load", &PythonChip::load, py::arg("engine"), py::arg("words"),
           "Loads 40-bit words.")
      .def("load", &PythonChip::loadBytes, py::arg("engine"), py::arg("image"),
           "Loads an image of 5-byte big-endian words.")
      .def("start", &PythonChip::start, py::arg("engine"),
           py::arg("contexts") = 0xff,
           "Starts the contexts of a mask at word 0.")
      .def("run_to", &PythonChip::runTo, py::arg("cycle"),
           "Runs to a cycle and moves the clock there, or to a fault; returns "
           "whether anything is left to do.")
      .def(
          "step", [](PythonChip &self) { return self.chip.step(); },
          "Does the earliest action; False if there is none.")
      .def("raise_signal", &PythonChip::raise, py::arg("engine"),
           py::arg("context"), py::arg("signal"));
}

void definePorts(ChipClass &chip) {
  chip.def("connect_ports", &PythonChip::connectPorts, py::arg("packets"),
           py::arg("rate_gbps") = 0.0, py::arg("ready") = true,
           "Gives the chip ports at which packets, (port, bytes) each, arrive: "
           "as fast as the chip takes them, or at a rate. If ready, the "
           "receive elements are free, the transmit buffer has a partition "
           "for each port, and the channels are enabled; otherwise the "
           "program does this by the MSF's registers.")
      .def("sent", &PythonChip::sent,
           "(cycle, port, bytes) of each frame that has left, in order.")
      .def_property_readonly(
          "ports_idle", &PythonChip::arePortsIdle,
          "Whether every packet has been received and nothing is left to "
          "send.");
}

void defineMemories(ChipClass &chip) {
  chip.def("read", &PythonChip::read, py::arg("memory"), py::arg("address"))
      .def("write", &PythonChip::write, py::arg("memory"), py::arg("address"),
           py::arg("value"))
      .def("read_physical", &PythonChip::readPhysical, py::arg("address"),
           "Reads a word as the core sees it, in no chip time.")
      .def("write_physical", &PythonChip::writePhysical, py::arg("address"),
           py::arg("value"))
      .def("configure_ring", &PythonChip::configureRing, py::arg("ring"),
           py::arg("base"), py::arg("words"),
           py::arg("status_on_empty") = false)
      .def("ring_level",
           [](PythonChip &self, uint32_t ring) {
             return self.chip.scratch().ringLevel(ring %
                                                  sim::Scratch::ringCount);
           })
      .def("fill_queue", &PythonChip::fillQueue, py::arg("channel"),
           py::arg("entry"), py::arg("longword"),
           "Appends a buffer to a queue of the queue array.")
      .def("queue_level",
           [](PythonChip &self, uint32_t channel, uint32_t entry) {
             return self.queueOf(channel, entry).queueLevel(entry);
           });
}

void defineRegisters(ChipClass &chip) {
  chip.def("peek", &PythonChip::peek, py::arg("engine"), py::arg("bank"),
           py::arg("number"), py::arg("context") = 0)
      .def("poke", &PythonChip::poke, py::arg("engine"), py::arg("bank"),
           py::arg("number"), py::arg("context") = 0, py::arg("value") = 0)
      .def(
          "read_csr",
          [](PythonChip &self, uint32_t engine, uint32_t offset) {
            return self.engine(engine).coreReadCsr(offset);
          },
          py::arg("engine"), py::arg("offset"),
          "Reads a local CSR as the core sees it.")
      .def(
          "write_csr",
          [](PythonChip &self, uint32_t engine, uint32_t offset,
             uint32_t value) {
            self.engine(engine).coreWriteCsr(offset, value);
          },
          py::arg("engine"), py::arg("offset"), py::arg("value"),
          "Writes a local CSR, including the loader's registers.");
}

void defineObservations(ChipClass &chip) {
  chip.def_property_readonly(
          "cycle", [](PythonChip &self) { return self.chip.scheduler().now(); })
      .def("counters", &PythonChip::counters, py::arg("engine"))
      .def(
          "describe",
          [](PythonChip &self) { return self.chip.describeContexts(); },
          "The state of every context, one per line.")
      .def_property_readonly(
          "faults", [](PythonChip &self) { return self.errors.faults; })
      .def_property_readonly(
          "interrupts", [](PythonChip &self) { return self.interrupts; },
          "(cycle, 0 for A or 1 for B, thread or -1) of each interrupt of the "
          "core.")
      .def_property_readonly(
          "hazards", [](PythonChip &self) { return self.errors.hazards; });
}

} // namespace

PYBIND11_MODULE(ixpchip, module) {
  module.doc() = "A simulated Intel IXP2400: build, load, poke, step, watch.";
  module.def(
      "describe_parameters", [] { return target::describeParameters(); },
      "The chip's parameters, one per line.");
  ChipClass chip(module, "Chip");
  defineRunning(chip);
  definePorts(chip);
  defineMemories(chip);
  defineRegisters(chip);
  defineObservations(chip);
}
