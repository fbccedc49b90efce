// Programs on x86: bakerc --run and the profile.

#include "driver/RunOnHost.h"
#include "aggregation/Passes.h"
#include "baker-lang/tables/SlotLayout.h"
#include "codegen-x86/BatchMemory.h"
#include "codegen-x86/batch/Passes.h"
#include "driver/pipeline/RunPasses.h"
#include "host/Describe.h"
#include "host/Instrument.h"
#include "host/RunReport.h"
#include "host/parts/ExtractPart.h"
#include "host/profile/FunctionalProfile.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Target.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/to-llvm/Threads.h"
#include "support/Files.h"
#include "target-ixp/chip/MemoryMap.h"
#include "traces/TraceReader.h"
#include "traces/TraceWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdio>

namespace karakal::driver {

using namespace mlir;

/// Adds the passes that split the cores as for the chip, so that the counts
/// include the packets that the XScale core would have consumed.
static void addDecisions(OpPassManager &manager) {
  manager.addPass(agg::createSplitCores());
  passes::AssignMemoryOptions memory;
  memory.core = ir::Core::Host;
  manager.addPass(passes::createAssignMemory(memory));
  manager.addPass(passes::createInitGlobals());
}

static void addLowering(OpPassManager &manager, const X86Code &code) {
  if (code.withBatches)
    manager.addPass(x86::createBeginBatch());
  passes::LowerChannelsOptions channels;
  channels.core = ir::Core::Host;
  manager.addPass(passes::createLowerChannels(channels));
  if (code.withBatches) {
    x86::PlanBatchesOptions plan;
    plan.seed = code.cutSeed;
    plan.globals = code.cuts;
    manager.addPass(x86::createInlineBatch());
    manager.addPass(passes::createSimplify());
    manager.addPass(createCSEPass());
    manager.addPass(x86::createPlanBatches(plan));
  }
  passes::ToLlvmOptions llvm;
  llvm.core = ir::Core::Host;
  manager.addPass(passes::createToLlvm(llvm));
  if (code.withBatches)
    manager.addPass(x86::createSplitBatches());
}

static Status lowerBy(ModuleOp module,
                      llvm::function_ref<void(OpPassManager &)> add) {
  if (!runPasses(module, add))
    return makeError("E-driver-030", "the program cannot be lowered for x86");
  return success();
}

/// Code reaches its data by 32-bit distances.
static constexpr uint64_t globalBytesMax = uint64_t(1900) << 20;

/// E-driver-041 if the global data are more than a program on x86 can reach.
static Status checkGlobalBytes(ModuleOp baker) {
  uint64_t total = 0;
  std::vector<std::pair<uint64_t, std::string>> largest;
  for (ir::GlobalOp global : baker.getOps<ir::GlobalOp>()) {
    uint64_t bytes = sizeof(uint32_t) * ir::wordCount(global.getType());
    total += bytes;
    largest.emplace_back(bytes, global.getSymName().str());
  }
  if (total <= globalBytesMax)
    return success();
  std::sort(largest.rbegin(), largest.rend());
  largest.resize(std::min<size_t>(largest.size(), 3));
  std::string text = "the global data do not fit: " + std::to_string(total) +
                     " bytes needed, " + std::to_string(globalBytesMax) +
                     " available on x86; the largest are";
  for (const auto &[bytes, name] : largest)
    text += " " + name + " (" + std::to_string(bytes) + ")";
  return makeError("E-driver-041", text);
}

/// The declared tables that have a structure.
static std::vector<x86::TableShape> tableShapes(ModuleOp module) {
  std::vector<x86::TableShape> shapes;
  for (ir::TableOp table : module.getOps<ir::TableOp>()) {
    if (!table.getStructure() || table.getStructure() == "buckets")
      continue; // buckets have no slots of their own
    lang::KeyLayout layout(ir::keysOf(table));
    x86::TableShape &shape = shapes.emplace_back();
    shape.name = table.getSymName().str();
    shape.structure = table.getStructure()->str();
    for (const lang::KeyLayout::Field &field : layout.packed)
      shape.packed.push_back({field.number, field.bits, field.offset});
    for (unsigned number : layout.ranges)
      shape.ranges.push_back({number, ir::keysOf(table)[number].bits});
    shape.packedBits = layout.packedBits;
    shape.hasMasks = layout.hasMasks;
    shape.hasLength = layout.hasLength;
    shape.limit = table.getLimit();
    shape.slotWords =
        layout.words() + 1 + unsigned(ir::wordCount(table.getRecord()));
  }
  return shapes;
}

/// Lowers parts of `decided`, which it keeps.
static host::LowerPart makeLowerPart(OwningOpRef<ModuleOp> decided,
                                     const X86Code &code) {
  auto kept = std::make_shared<OwningOpRef<ModuleOp>>(std::move(decided));
  return
      [=](const std::vector<std::string> &symbols) -> Result<host::HostPart> {
        ModuleOp program = **kept;
        SmallVector<func::FuncOp> functions;
        for (const std::string &symbol : symbols)
          functions.push_back(host::functionOf(program, symbol));
        OwningOpRef<ModuleOp> part = host::extractPart(program, functions);
        auto lower = [&](OpPassManager &manager) {
          addLowering(manager, code);
        };
        if (Status status = lowerBy(*part, lower); !status)
          return status.error();
        return host::translate(*part, symbols.front());
      };
}

Result<host::HostProgram> lowerForX86(ModuleOp baker, const X86Code &code) {
  if (Status fits = checkGlobalBytes(baker); !fits)
    return fits.error();
  OwningOpRef<ModuleOp> module = baker.clone();
  if (code.withThreads)
    (*module)->setAttr(passes::threadsAttribute,
                       UnitAttr::get(baker.getContext()));
  // Counted before passes add functions, so that the sites are those of the
  // source.
  size_t sites = host::cacheSiteCount(*module);
  size_t counters = code.withCounters ? host::instrument(*module) : 0;
  if (Status status = lowerBy(*module, addDecisions); !status)
    return status.error();
  host::HostProgram program = host::describe(*module);
  program.tables = tableShapes(*module);
  program.counterCount = counters;
  program.cacheSiteCount = code.withCounters ? sites : 0;
  if (code.inParts) {
    program.lowerPart = makeLowerPart(std::move(module), code);
    return program;
  }
  auto lower = [&](OpPassManager &manager) { addLowering(manager, code); };
  if (Status status = lowerBy(*module, lower); !status)
    return status.error();
  program.hasBatches = module->lookupSymbol(x86::BatchMemory::RunFunction);
  host::HostPart whole = host::translate(*module, program.name);
  program.context = std::move(whole.context);
  program.module = std::move(whole.module);
  return program;
}

static Result<std::vector<traces::ControlCall>>
readControl(const std::string &path) {
  if (path.empty())
    return std::vector<traces::ControlCall>();
  return traces::readControlFile(path);
}

Result<HostTraffic> readTraffic(const HostInputs &inputs) {
  auto trace = traces::readTrace(inputs.trace, target::PortCount);
  if (!trace)
    return trace.error();
  auto control = readControl(inputs.control);
  if (!control)
    return control.error();
  return HostTraffic{std::move(*trace), std::move(*control)};
}

Result<host::HostRun> runOnHost(ModuleOp baker, const HostInputs &inputs,
                                const HostSpeed &speed) {
  auto traffic = readTraffic(inputs);
  if (!traffic)
    return traffic.error();
  return runTraffic(baker, *traffic, speed);
}

/// The most packets and control calls of a run whose code is compiled in parts
/// and not optimized: it takes some microseconds more for each, -O2 a second
/// and more.
constexpr uint64_t quickStepsMax = 100'000;

static host::RunOptions runOptions(ModuleOp baker, const HostSpeed &speed) {
  host::RunOptions options;
  options.engineHz = ir::chipOf(baker).meClockHz;
  options.portCount = target::PortCount;
  options.layout.count = target::BufferCount;
  options.layout.bytes = target::BufferBytes;
  options.layout.headroomBytes = target::BufferHeadroom;
  options.layout.firstHandle = target::HandleFirst;
  options.fast = speed.fast;
  options.burst = speed.burst;
  options.subBatch = speed.subBatch;
  options.packets = speed.packets;
  options.keepGoing = speed.keepGoing;
  options.keepFrames = speed.keepFrames;
  options.specialize = speed.specialize;
  options.specialize.explains =
      ir::isExplained(baker.getContext(), specializationName);
  options.observation = speed.observation;
  options.sweep = speed.sweep;
  return options;
}

Result<host::HostRun> runTraffic(ModuleOp baker, const HostTraffic &traffic,
                                 const HostSpeed &speed) {
  X86Code code;
  code.withCounters = !speed.fast;
  code.withBatches = speed.fast && (speed.subBatch > 1 || speed.withStages);
  code.cutSeed = speed.cutSeed;
  code.cuts = speed.cuts;
  uint64_t packets = speed.packets ? speed.packets : traffic.trace.size();
  code.inParts =
      !speed.fast && packets + traffic.control.size() <= quickStepsMax;
  auto program = lowerForX86(baker, code);
  if (!program)
    return program.error();
  host::RunOptions options = runOptions(baker, speed);
  return host::run(std::move(*program), traffic.trace, traffic.control,
                   options);
}

static Result<std::string> readText(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return makeFileError("E-driver-031", path,
                         "the profile cannot be read: " +
                             buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// Adds `more` to `profile`, which may still be empty.
static Status addProfile(std::optional<host::Profile> &profile,
                         host::Profile more) {
  if (profile)
    return host::merge(*profile, more);
  profile = std::move(more);
  return success();
}

static Status addProfileFile(std::optional<host::Profile> &profile,
                             const std::string &path) {
  auto text = readText(path);
  if (!text)
    return text.error();
  auto read = host::parseProfile(*text, path);
  return read ? addProfile(profile, std::move(*read)) : Status(read.error());
}

Status profileProgram(ModuleOp baker, const ProfileRequest &request) {
  std::optional<host::Profile> profile;
  for (const std::string &path : request.files)
    if (Status added = addProfileFile(profile, path); !added)
      return added;
  if (!request.inputs.trace.empty()) {
    auto run = runOnHost(baker, request.inputs);
    if (!run)
      return run.error();
    Status added = addProfile(profile, host::makeProfile(baker, *run));
    if (!added)
      return added;
  }
  if (!profile)
    return success();
  if (Status done = host::annotate(baker, *profile); !done)
    return done;
  return request.output.empty()
             ? success()
             : writeFile(request.output, host::profileText(*profile));
}

Result<ir::CheckInputs> readCheckInputs(ModuleOp baker,
                                        const HostInputs &inputs) {
  ir::CheckInputs checked;
  if (!inputs.trace.empty()) {
    auto trace = traces::readTrace(inputs.trace, target::PortCount);
    if (!trace)
      return trace.error();
    for (const traces::Packet &packet : *trace) {
      ir::PacketImage frame;
      frame.bytes = packet.bytes;
      frame.bytes.resize(
          std::max<size_t>(frame.bytes.size(), target::FrameBytesMin));
      frame.rxPort = uint8_t(packet.port);
      checked.frames.push_back(std::move(frame));
    }
  }
  auto control = readControl(inputs.control);
  if (!control)
    return control.error();
  std::vector<traces::ControlSignature> signatures;
  for (const host::HostControl &function : host::describe(baker).controls)
    signatures.push_back(function.signature);
  for (const traces::ControlCall &call : traces::singleCalls(*control)) {
    if (call.kind == traces::ControlCall::AtEnd)
      continue;
    auto bound = traces::bindCall(call, signatures);
    if (!bound)
      return bound.error();
    checked.calls.push_back(
        {signatures[bound->function].name, std::move(bound->args)});
  }
  return checked;
}

} // namespace karakal::driver
