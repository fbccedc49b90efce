// The XScale's instructions, on Unicorn.

#include "sim-ixp/core/XScaleEmulator.h"

#include <unicorn/unicorn.h>

#include <cstdio>
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

} // namespace

struct XScaleEmulator::Machine {
  uc_engine *engine = nullptr;
  XScaleBus *bus = nullptr;
  uint32_t stackTop = 0;
  XScaleParameters parameters;
  XScaleStatistics statistics;

  /// A window and the machine that owns it; Unicorn's callbacks receive one.
  struct Window {
    Machine *machine;
    uint32_t base;
  };
  std::vector<std::unique_ptr<Window>> windows;

  bool busy = false;
  uint32_t result = 0;
  double clock = 0;             ///< chip cycle up to which the job has run
  uint64_t jobInstructions = 0; ///< of the current job
  uint64_t sliceEnd = 0; ///< the value of statistics.instructions to stop at
  std::string fault;     ///< reported by a callback, empty if none

  ~Machine() {
    if (engine)
      uc_close(engine);
  }

  uint32_t registerValue(int id) const {
    uint32_t value = 0;
    uc_reg_read(engine, id, &value);
    return value;
  }
  void setRegister(int id, uint32_t value) { uc_reg_write(engine, id, &value); }

  Status open();
  Status map(const std::vector<XScaleMemory> &memories,
             const std::vector<XScaleWindow> &ranges);
  void watch(const XScaleUncached &uncached);
  double cost() const;
  void begin(uint32_t entry, const std::vector<uint32_t> &arguments);
  /// Runs at most `count` instructions of the job.
  Status runSlice(uint64_t count);
  void stopWith(const std::string &what);
  uint64_t deviceRead(uint32_t address, unsigned size);
  void deviceWrite(uint32_t address, unsigned size, uint64_t value);
};

//===----------------------------------------------------------------------===//
// Unicorn's callbacks
//===----------------------------------------------------------------------===//

void XScaleEmulator::Machine::stopWith(const std::string &what) {
  if (fault.empty())
    fault = what;
  uc_emu_stop(engine);
}

uint64_t XScaleEmulator::Machine::deviceRead(uint32_t address, unsigned size) {
  ++statistics.accesses;
  if (size != 4) {
    stopWith("reads " + std::to_string(size) + " bytes of device register " +
             hex(address) + "; registers are words");
    return 0;
  }
  std::optional<uint32_t> value = bus->readWord(address);
  if (!value) {
    stopWith("reads " + hex(address) + ", which is no device register");
    return 0;
  }
  // Unicorn passes device data in little-endian order.
  return __builtin_bswap32(*value);
}

void XScaleEmulator::Machine::deviceWrite(uint32_t address, unsigned size,
                                          uint64_t value) {
  ++statistics.accesses;
  if (size != 4)
    stopWith("writes " + std::to_string(size) + " bytes of device register " +
             hex(address) + "; registers are words");
  else if (!bus->writeWord(address,
                           __builtin_bswap32(static_cast<uint32_t>(value))))
    stopWith("writes " + hex(address) + ", which is no device register");
}

Status XScaleEmulator::Machine::open() {
  using Core = XScaleEmulator::Machine;
  uc_err code =
      uc_open(UC_ARCH_ARM,
              static_cast<uc_mode>(UC_MODE_ARM | UC_MODE_BIG_ENDIAN), &engine);
  if (code != UC_ERR_OK)
    return unicornError("Unicorn cannot open a big-endian ARM", code);
  code = uc_ctl_set_cpu_model(engine, UC_CPU_ARM_PXA255);
  if (code != UC_ERR_OK)
    return unicornError("Unicorn has no XScale model", code);

  // Counts instructions and stops before the first one past the slice.
  uc_cb_hookcode_t onCode = [](uc_engine *uc, uint64_t, uint32_t, void *user) {
    auto &core = *static_cast<Core *>(user);
    if (core.statistics.instructions >= core.sliceEnd)
      uc_emu_stop(uc);
    else
      ++core.statistics.instructions;
  };
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
  uc_hook_add(engine, &hook, UC_HOOK_CODE, reinterpret_cast<void *>(onCode),
              this, 1, 0);
  uc_hook_add(engine, &hook, UC_HOOK_MEM_INVALID,
              reinterpret_cast<void *>(onBadAddress), this, 1, 0);
  return success();
}

Status XScaleEmulator::Machine::map(const std::vector<XScaleMemory> &memories,
                                    const std::vector<XScaleWindow> &ranges) {
  for (const XScaleMemory &memory : memories) {
    uc_err code = uc_mem_map_ptr(engine, memory.base, memory.size, UC_PROT_ALL,
                                 memory.bytes);
    if (code != UC_ERR_OK)
      return unicornError("mapping memory at " + hex(memory.base), code);
  }
  for (const XScaleWindow &range : ranges) {
    windows.push_back(std::make_unique<Window>(Window{this, range.base}));
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
        uc_mmio_map(engine, range.base, range.size, onRead,
                    windows.back().get(), onWrite, windows.back().get());
    if (code != UC_ERR_OK)
      return unicornError("mapping devices at " + hex(range.base), code);
  }
  uc_err code =
      uc_mem_map(engine, returnAddress, pageBytes, UC_PROT_READ | UC_PROT_EXEC);
  if (code != UC_ERR_OK)
    return unicornError("mapping the return page", code);
  return success();
}

void XScaleEmulator::Machine::watch(const XScaleUncached &uncached) {
  uc_cb_hookmem_t onAccess = [](uc_engine *, uc_mem_type, uint64_t, int,
                                int64_t, void *user) {
    ++static_cast<XScaleEmulator::Machine *>(user)->statistics.accesses;
  };
  uc_hook hook;
  uc_hook_add(engine, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
              reinterpret_cast<void *>(onAccess), this, uncached.first,
              uncached.last);
}

double XScaleEmulator::Machine::cost() const {
  return static_cast<double>(statistics.instructions) *
             parameters.cyclesPerInstruction +
         static_cast<double>(statistics.accesses) * parameters.accessCycles;
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

void XScaleEmulator::Machine::begin(uint32_t entry,
                                    const std::vector<uint32_t> &arguments) {
  KARAKAL_ASSERT(!busy, "the XScale has one job at a time");
  KARAKAL_ASSERT(arguments.size() <= 4, "at most four register arguments");
  for (size_t i = 0; i < arguments.size(); ++i)
    setRegister(UC_ARM_REG_R0 + static_cast<int>(i), arguments[i]);
  setRegister(UC_ARM_REG_SP, stackTop);
  setRegister(UC_ARM_REG_LR, returnAddress);
  setRegister(UC_ARM_REG_PC, entry);
  busy = true;
  jobInstructions = 0;
  ++statistics.jobs;
}

Status XScaleEmulator::Machine::runSlice(uint64_t count) {
  uint64_t before = statistics.instructions;
  sliceEnd = before + count;
  uint32_t pc = registerValue(UC_ARM_REG_PC);
  uc_err code = uc_emu_start(engine, pc, returnAddress, 0, 0);
  pc = registerValue(UC_ARM_REG_PC);
  jobInstructions += statistics.instructions - before;
  if (code != UC_ERR_OK || !fault.empty()) {
    busy = false;
    std::string what = fault.empty() ? uc_strerror(code) : fault;
    fault.clear();
    return makeError("E-sim-ixp-041",
                     "XScale code at pc " + hex(pc) + " " + what);
  }
  if (pc == returnAddress) {
    busy = false;
    result = registerValue(UC_ARM_REG_R0);
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
                       uint32_t stackTop, const XScaleParameters &parameters,
                       const XScaleUncached &uncached) {
  auto machine = std::make_unique<Machine>();
  machine->bus = &bus;
  machine->stackTop = stackTop;
  machine->parameters = parameters;
  if (Status opened = machine->open(); !opened)
    return opened.error();
  if (Status mapped = machine->map(memories, windows); !mapped)
    return mapped.error();
  if (uncached.first <= uncached.last)
    machine->watch(uncached);
  return std::unique_ptr<XScaleEmulator>(
      new XScaleEmulator(std::move(machine)));
}

Result<uint32_t> XScaleEmulator::call(uint32_t entry,
                                      const std::vector<uint32_t> &arguments) {
  machine->begin(entry, arguments);
  while (machine->busy)
    if (Status ran = machine->runSlice(machine->parameters.jobInstructionsMax);
        !ran)
      return ran.error();
  return machine->result;
}

void XScaleEmulator::start(uint32_t entry,
                           const std::vector<uint32_t> &arguments,
                           uint64_t cycle) {
  machine->begin(entry, arguments);
  machine->clock = static_cast<double>(cycle);
}

Status XScaleEmulator::advance(uint64_t cycle) {
  Machine &core = *machine;
  while (core.busy && core.clock <= static_cast<double>(cycle)) {
    double before = core.cost();
    if (Status ran = core.runSlice(core.parameters.sliceInstructions); !ran)
      return ran;
    core.clock += core.cost() - before;
  }
  return success();
}

void XScaleEmulator::renew() { machine->jobInstructions = 0; }

double XScaleEmulator::clock() const { return machine->clock; }
double XScaleEmulator::cyclesTaken() const { return machine->cost(); }
bool XScaleEmulator::busy() const { return machine->busy; }
uint32_t XScaleEmulator::result() const { return machine->result; }
const XScaleStatistics &XScaleEmulator::statistics() const {
  return machine->statistics;
}

} // namespace karakal::sim
