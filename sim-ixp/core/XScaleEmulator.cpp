// The XScale's instructions, on Unicorn.

#include "sim-ixp/core/XScaleEmulator.h"

#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"

#include <unicorn/unicorn.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace karakal::sim {

namespace {

/// A job returns to this page, which no memory of the chip occupies: the core's
/// highest page is unused on the IXP2400.
constexpr uint32_t returnAddress = 0xfffff000;
constexpr uint32_t pageBytes = 4096;

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx",
                static_cast<unsigned long long>(value));
  return text;
}

Error unicornError(const std::string &what, uc_err code) {
  return makeError("E-sim-ixp-040", what + ": " + uc_strerror(code));
}

/// One Unicorn. A machine has two, on the same memories: one that runs code as
/// fast as it can, and one that tells each instruction and access. The latter
/// is opened by its first job, which most runs do not have.
struct Emulation {
  uc_engine *engine = nullptr;

  ~Emulation() {
    if (engine)
      uc_close(engine);
  }
  uint32_t registerValue(int id) const {
    uint32_t value = 0;
    uc_reg_read(engine, id, &value);
    return value;
  }
  void setRegister(int id, uint32_t value) { uc_reg_write(engine, id, &value); }
};

} // namespace

struct XScaleEmulator::Machine {
  explicit Machine(XScaleBus &bus, uint32_t stackTop,
                   const XScaleParameters &parameters)
      : bus(bus), stackTop(stackTop), parameters(parameters),
        pipeline(parameters.cached, parameters.cyclesPerClock,
                 [&bus](uint32_t address, uint32_t bytes, bool isWrite,
                        double cycle) {
                   return bus.transfer(address, bytes, isWrite, cycle);
                 }) {}

  XScaleBus &bus;
  uint32_t stackTop;
  XScaleParameters parameters;
  XScalePipeline pipeline;
  uint64_t instructions = 0, jobs = 0;
  double busyCycles = 0, callCycles = 0;

  /// A window, or a memory as one, and the machine that owns it; Unicorn's
  /// callbacks receive one.
  struct Window {
    Machine *machine;
    uint32_t base;
    uint8_t *bytes; ///< of a memory; null if the bus serves the window
  };
  std::vector<std::unique_ptr<Window>> windows;
  std::vector<XScaleMemory> memories;
  std::vector<XScaleWindow> devices;
  Emulation quick, timed;
  std::optional<Error> openError; ///< why `timed` could not be opened
  Emulation *running = &quick;

  bool busy = false;
  uint32_t result = 0;
  uint64_t jobInstructions = 0; ///< of the current job
  uint64_t instructionsEnd = 0; ///< the value of `instructions` to stop at
  double sliceEnd = 0;          ///< the chip cycle to stop at
  bool hasLeft = false;         ///< an access has left the caches
  std::string fault;            ///< reported by a callback, empty if none
  /// The device word that the code reads again and again, and how often.
  uint32_t polledAddress = 0, polledValue = 0, polls = 0;

  Status open(Emulation &emulation);
  Status map(Emulation &emulation);
  Status mapMemory(Emulation &emulation, XScaleMemory &memory);
  bool isShared(const XScaleMemory &memory) const;
  void openTimed();
  void estimateTime();
  void watchTime();
  void begin(Emulation &emulation, uint32_t entry,
             const std::vector<uint32_t> &arguments);
  /// Runs the job until it returns or a callback stops it.
  Status runSlice();
  void stopWith(const std::string &what);
  uint32_t wordAt(uint32_t address);
  uint64_t deviceRead(uint32_t address, unsigned size);
  void deviceWrite(uint32_t address, unsigned size, uint64_t value);
  void onDevice(uint32_t address, bool isWrite);
  void onPoll(uint32_t address, uint32_t value);
};

//===----------------------------------------------------------------------===//
// Unicorn's callbacks
//===----------------------------------------------------------------------===//

void XScaleEmulator::Machine::stopWith(const std::string &what) {
  if (fault.empty())
    fault = what;
  uc_emu_stop(running->engine);
}

/// An access to a device word: in time, it ends the slice.
void XScaleEmulator::Machine::onDevice(uint32_t address, bool isWrite) {
  if (running == &quick) {
    callCycles += parameters.accessCycles;
    return;
  }
  pipeline.accessDevice(address, isWrite);
  hasLeft = true;
}

/// While the engines stand still, nothing else changes a device word: code that
/// reads the same value of it so often would never return. The clock, which
/// stands still as well, is read by code that waits for a bounded time.
void XScaleEmulator::Machine::onPoll(uint32_t address, uint32_t value) {
  if (address == target::XScaleLocalCsrs + target::Csr_TIMESTAMP_LOW)
    return;
  constexpr uint32_t pollsMax = 1000000;
  bool isSame = address == polledAddress && value == polledValue;
  polls = isSame ? polls + 1 : 1;
  polledAddress = address;
  polledValue = value;
  if (polls == pollsMax)
    stopWith("waits for the engines, which stand still: a ring has no space or "
             "no buffer is free; call the function with @packet or @cycle");
}

uint64_t XScaleEmulator::Machine::deviceRead(uint32_t address, unsigned size) {
  if (size != 4) {
    stopWith("reads " + std::to_string(size) + " bytes of device register " +
             hex(address) + "; registers are words");
    return 0;
  }
  onDevice(address, false);
  std::optional<uint32_t> value = bus.readWord(address);
  if (!value) {
    stopWith("reads " + hex(address) + ", which is no device register");
    return 0;
  }
  if (running == &quick)
    onPoll(address, *value);
  // Unicorn passes device data in little-endian order.
  return __builtin_bswap32(*value);
}

void XScaleEmulator::Machine::deviceWrite(uint32_t address, unsigned size,
                                          uint64_t value) {
  if (size != 4) {
    stopWith("writes " + std::to_string(size) + " bytes of device register " +
             hex(address) + "; registers are words");
    return;
  }
  onDevice(address, true);
  polls = 0;
  if (!bus.writeWord(address, __builtin_bswap32(static_cast<uint32_t>(value))))
    stopWith("writes " + hex(address) + ", which is no device register");
}

Status XScaleEmulator::Machine::open(Emulation &emulation) {
  using Core = XScaleEmulator::Machine;
  uc_err code = uc_open(UC_ARCH_ARM,
                        static_cast<uc_mode>(UC_MODE_ARM | UC_MODE_BIG_ENDIAN),
                        &emulation.engine);
  if (code != UC_ERR_OK)
    return unicornError("Unicorn cannot open a big-endian ARM", code);
  code = uc_ctl_set_cpu_model(emulation.engine, UC_CPU_ARM_PXA255);
  if (code != UC_ERR_OK)
    return unicornError("Unicorn has no XScale model", code);

  uc_cb_eventmem_t onBadAddress = [](uc_engine *, uc_mem_type type,
                                     uint64_t address, int, int64_t,
                                     void *user) {
    auto &core = *static_cast<Core *>(user);
    bool writes = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
    bool fetches = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
    core.fault = std::string(fetches  ? "jumps to "
                             : writes ? "writes "
                                      : "reads ") +
                 hex(address) + ", which is not mapped";
    return false;
  };
  uc_hook hook;
  uc_hook_add(emulation.engine, &hook, UC_HOOK_MEM_INVALID,
              reinterpret_cast<void *>(onBadAddress), this, 1, 0);
  return success();
}

/// The quick emulation counts instructions, and stops a job that never ends. A
/// hook for each instruction keeps the PC that a fault reports; one for each
/// block of instructions would not.
void XScaleEmulator::Machine::estimateTime() {
  using Core = XScaleEmulator::Machine;
  uc_cb_hookcode_t onCode = [](uc_engine *uc, uint64_t, uint32_t, void *user) {
    auto &core = *static_cast<Core *>(user);
    if (core.instructions >= core.instructionsEnd)
      uc_emu_stop(uc);
    else
      ++core.instructions;
  };
  uc_hook hook;
  uc_hook_add(quick.engine, &hook, UC_HOOK_CODE,
              reinterpret_cast<void *>(onCode), this, 1, 0);
}

/// The timed emulation tells the pipeline each instruction and each access to
/// memory. It stops before the first instruction past the slice.
void XScaleEmulator::Machine::watchTime() {
  using Core = XScaleEmulator::Machine;
  uc_cb_hookcode_t onCode = [](uc_engine *uc, uint64_t address, uint32_t,
                               void *user) {
    auto &core = *static_cast<Core *>(user);
    if (core.hasLeft || core.pipeline.clock() > core.sliceEnd) {
      uc_emu_stop(uc);
      return;
    }
    ++core.instructions;
    auto pc = static_cast<uint32_t>(address);
    core.pipeline.issue(pc, core.wordAt(pc));
  };
  uc_cb_hookmem_t onAccess = [](uc_engine *, uc_mem_type type, uint64_t address,
                                int size, int64_t, void *user) {
    auto &core = *static_cast<Core *>(user);
    uint64_t before = core.pipeline.times().accesses;
    core.pipeline.access(static_cast<uint32_t>(address),
                         static_cast<uint32_t>(size), type == UC_MEM_WRITE);
    core.hasLeft |= core.pipeline.times().accesses != before;
  };
  uc_hook hook;
  uc_hook_add(timed.engine, &hook, UC_HOOK_CODE,
              reinterpret_cast<void *>(onCode), this, 1, 0);
  for (const XScaleMemory &memory : memories)
    uc_hook_add(timed.engine, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
                reinterpret_cast<void *>(onAccess), this, memory.base,
                memory.base + memory.size - 1);
}

uint32_t XScaleEmulator::Machine::wordAt(uint32_t address) {
  for (const XScaleMemory &memory : memories)
    if (address - memory.base < memory.size) {
      uint32_t word;
      std::memcpy(&word, memory.bytes + (address - memory.base), sizeof word);
      return __builtin_bswap32(word);
    }
  return 0; // the fetch is going to fail
}

/// Whether the engines use a memory too. Code lies in the one that the core
/// caches, and anywhere if it caches nothing.
bool XScaleEmulator::Machine::isShared(const XScaleMemory &memory) const {
  return parameters.cached.bytes != 0 &&
         parameters.cached.base - memory.base >= memory.size;
}

/// Maps a memory. The quick emulation has shared ones as devices, which count
/// the accesses: a hook would slow down accesses to all memories.
Status XScaleEmulator::Machine::mapMemory(Emulation &emulation,
                                          XScaleMemory &memory) {
  uc_err code;
  if (&emulation == &quick && isShared(memory)) {
    // Bytes pass in the order in which they lie in memory.
    uc_cb_mmio_read_t onRead = [](uc_engine *, uint64_t offset, unsigned size,
                                  void *user) -> uint64_t {
      auto &window = *static_cast<Window *>(user);
      uint64_t value = 0;
      std::memcpy(&value, window.bytes + offset, size);
      window.machine->callCycles += window.machine->parameters.accessCycles;
      return value;
    };
    uc_cb_mmio_write_t onWrite = [](uc_engine *, uint64_t offset, unsigned size,
                                    uint64_t value, void *user) {
      auto &window = *static_cast<Window *>(user);
      std::memcpy(window.bytes + offset, &value, size);
      window.machine->callCycles += window.machine->parameters.accessCycles;
    };
    windows.push_back(
        std::make_unique<Window>(Window{this, memory.base, memory.bytes}));
    code = uc_mmio_map(emulation.engine, memory.base, memory.size, onRead,
                       windows.back().get(), onWrite, windows.back().get());
  } else {
    code = uc_mem_map_ptr(emulation.engine, memory.base, memory.size,
                          UC_PROT_ALL, memory.bytes);
  }
  return code == UC_ERR_OK
             ? success()
             : unicornError("mapping memory at " + hex(memory.base), code);
}

Status XScaleEmulator::Machine::map(Emulation &emulation) {
  for (XScaleMemory &memory : memories)
    if (Status mapped = mapMemory(emulation, memory); !mapped)
      return mapped;
  for (const XScaleWindow &range : devices) {
    windows.push_back(
        std::make_unique<Window>(Window{this, range.base, nullptr}));
    uc_cb_mmio_read_t onRead = [](uc_engine *, uint64_t offset, unsigned size,
                                  void *user) -> uint64_t {
      auto &window = *static_cast<Window *>(user);
      return window.machine->deviceRead(
          window.base + static_cast<uint32_t>(offset), size);
    };
    uc_cb_mmio_write_t onWrite = [](uc_engine *, uint64_t offset, unsigned size,
                                    uint64_t value, void *user) {
      auto &window = *static_cast<Window *>(user);
      window.machine->deviceWrite(window.base + static_cast<uint32_t>(offset),
                                  size, value);
    };
    uc_err code =
        uc_mmio_map(emulation.engine, range.base, range.size, onRead,
                    windows.back().get(), onWrite, windows.back().get());
    if (code != UC_ERR_OK)
      return unicornError("mapping devices at " + hex(range.base), code);
  }
  uc_err code = uc_mem_map(emulation.engine, returnAddress, pageBytes,
                           UC_PROT_READ | UC_PROT_EXEC);
  if (code != UC_ERR_OK)
    return unicornError("mapping the return page", code);
  return success();
}

void XScaleEmulator::Machine::openTimed() {
  Status ready = open(timed);
  if (ready)
    ready = map(timed);
  if (ready)
    watchTime();
  else
    openError = ready.error();
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

void XScaleEmulator::Machine::begin(Emulation &emulation, uint32_t entry,
                                    const std::vector<uint32_t> &arguments) {
  KARAKAL_ASSERT(!busy, "the XScale has one job at a time");
  KARAKAL_ASSERT(arguments.size() <= 4, "at most four register arguments");
  running = &emulation;
  for (size_t i = 0; i < arguments.size(); ++i)
    running->setRegister(UC_ARM_REG_R0 + static_cast<int>(i), arguments[i]);
  running->setRegister(UC_ARM_REG_SP, stackTop);
  running->setRegister(UC_ARM_REG_LR, returnAddress);
  running->setRegister(UC_ARM_REG_PC, entry);
  busy = true;
  jobInstructions = 0;
  ++jobs;
}

Status XScaleEmulator::Machine::runSlice() {
  uint64_t before = instructions;
  uint32_t pc = running->registerValue(UC_ARM_REG_PC);
  uc_err code = uc_emu_start(running->engine, pc, returnAddress, 0, 0);
  pc = running->registerValue(UC_ARM_REG_PC);
  jobInstructions += instructions - before;
  if (code != UC_ERR_OK || !fault.empty()) {
    busy = false;
    std::string what = fault.empty() ? uc_strerror(code) : fault;
    fault.clear();
    return makeError("E-sim-ixp-041",
                     "XScale code at pc " + hex(pc) + " " + what);
  }
  if (pc == returnAddress) {
    busy = false;
    result = running->registerValue(UC_ARM_REG_R0);
  } else if (jobInstructions >= parameters.jobInstructionsMax) {
    busy = false;
    return makeError("E-sim-ixp-042", "XScale code has not returned after " +
                                          std::to_string(jobInstructions) +
                                          " instructions; it is at pc " +
                                          hex(pc));
  }
  return success();
}

XScaleEmulator::XScaleEmulator(std::unique_ptr<Machine> machine)
    : machine(std::move(machine)) {}
XScaleEmulator::~XScaleEmulator() = default;

Result<std::unique_ptr<XScaleEmulator>>
XScaleEmulator::create(const std::vector<XScaleMemory> &memories,
                       const std::vector<XScaleWindow> &windows, XScaleBus &bus,
                       uint32_t stackTop, const XScaleParameters &parameters) {
  auto machine = std::make_unique<Machine>(bus, stackTop, parameters);
  machine->memories = memories;
  machine->devices = windows;
  if (Status opened = machine->open(machine->quick); !opened)
    return opened.error();
  if (Status mapped = machine->map(machine->quick); !mapped)
    return mapped.error();
  machine->estimateTime();
  return std::unique_ptr<XScaleEmulator>(
      new XScaleEmulator(std::move(machine)));
}

Result<uint32_t> XScaleEmulator::call(uint32_t entry,
                                      const std::vector<uint32_t> &arguments) {
  uint64_t before = machine->instructions;
  machine->begin(machine->quick, entry, arguments);
  machine->instructionsEnd = before + machine->parameters.jobInstructionsMax;
  while (machine->busy)
    if (Status ran = machine->runSlice(); !ran)
      return ran.error();
  machine->callCycles += static_cast<double>(machine->instructions - before) *
                         machine->parameters.cyclesPerClock;
  return machine->result;
}

void XScaleEmulator::start(uint32_t entry,
                           const std::vector<uint32_t> &arguments,
                           uint64_t cycle) {
  if (!machine->timed.engine)
    machine->openTimed();
  if (machine->openError) {
    machine->busy = true; // advance tells why
    return;
  }
  machine->begin(machine->timed, entry, arguments);
  machine->pipeline.start(static_cast<double>(cycle));
}

Status XScaleEmulator::advance(uint64_t cycle) {
  Machine &core = *machine;
  if (core.openError)
    return *core.openError;
  while (core.busy && core.pipeline.clock() <= static_cast<double>(cycle)) {
    double before = core.pipeline.clock();
    core.sliceEnd = before + core.parameters.sliceCycles;
    core.hasLeft = false;
    if (Status ran = core.runSlice(); !ran)
      return ran;
    if (!core.busy)
      core.pipeline.finish();
    core.busyCycles += core.pipeline.clock() - before;
  }
  return success();
}

double XScaleEmulator::clock() const { return machine->pipeline.clock(); }
bool XScaleEmulator::busy() const { return machine->busy; }
uint32_t XScaleEmulator::result() const { return machine->result; }
XScaleStatistics XScaleEmulator::statistics() const {
  return {machine->instructions, machine->jobs, machine->busyCycles,
          machine->callCycles, machine->pipeline.times()};
}

} // namespace karakal::sim
