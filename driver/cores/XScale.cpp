// Code for the XScale core.
//
// Steps: link packet.ll, xscale.ll, atomics.ll and divide.ll; map the memories;
// optimize; make object files with the ARM back end; link them with ld.lld and
// a script that fixes the address; read back sections and symbols. ld.lld runs
// in a temporary folder of its own, so concurrent compilations do not
// interfere.

#include "driver/cores/XScale.h"
#include "driver/cores/CodeCache.h"
#include "driver/pipeline/LlvmStage.h"
#include "driver/pipeline/RunPasses.h"
#include "driver/pipeline/Threads.h"
#include "support/Files.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/SplitModule.h"
#include <future>

using namespace llvm;

extern "C" void LLVMInitializeARMTargetInfo();
extern "C" void LLVMInitializeARMTarget();
extern "C" void LLVMInitializeARMTargetMC();
extern "C" void LLVMInitializeARMAsmPrinter();

namespace karakal::driver {

namespace {

constexpr const char *triple = "armebv5te-unknown-none-eabi";
/// Code and data must leave 1 MiB for the stack.
constexpr uint32_t codeEnd = target::XScaleStackTop - (1u << 20);

std::string linkerScript() {
  return "SECTIONS {\n  . = " + std::to_string(target::XScaleBase) + R"(;
  .text : { *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) }
  .data : { *(.data .data.*) }
  .bss : { *(.bss .bss.* COMMON) }
  /DISCARD/ : { *(.ARM.exidx*) *(.ARM.extab*) *(.ARM.attributes)
                *(.comment) *(.note.*) }
}
)";
}

/// The multiplier of hashes as data.
constexpr const char *hashMultiplierSymbol = "karakal_hash_multiplier";
/// The table of runtime/engines.ll.
constexpr const char *engineTableSymbol = "karakal_engine_table";

/// Makes the hashes of xscale.ll read their multiplier from data that starts as
/// `multiplier` and that a loader may change.
void readHashMultiplier(Module &module, target::HashKey multiplier) {
  Function *function = module.getFunction("hash.multiplier");
  KARAKAL_ASSERT(function && function->arg_size() == 1,
                 "xscale.ll has the multiplier of hashes");
  auto *wide = cast<IntegerType>(function->getReturnType());
  uint64_t words[] = {multiplier.low, multiplier.high};
  auto *data = new GlobalVariable(
      module, wide, /*isConstant=*/false, GlobalValue::ExternalLinkage,
      ConstantInt::get(wide, APInt(wide->getBitWidth(), words)),
      hashMultiplierSymbol);
  data->setExternallyInitialized(true);
  data->setAlignment(Align(8));
  Instruction &shift = function->getEntryBlock().front();
  KARAKAL_ASSERT(shift.getOpcode() == Instruction::Shl,
                 "the multiplier is shifted to the upper end");
  IRBuilder<> builder(&shift);
  shift.setOperand(0, builder.CreateAlignedLoad(wide, data, Align(8)));
}

std::unique_ptr<TargetMachine> makeTargetMachine(bool isBase) {
  registerXScaleTarget();
  std::string why;
  const Target *target = TargetRegistry::lookupTarget(triple, why);
  KARAKAL_ASSERT(target, "LLVM has no ARM back end: " + why);
  TargetOptions options;
  options.FunctionSections = true;
  options.FloatABIType = FloatABI::Soft;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, "xscale", "", options, Reloc::Static, std::nullopt,
      isBase ? CodeGenOptLevel::Less : CodeGenOptLevel::Default));
}

/// Into how many parts the core's code is split, whatever the number of
/// threads: the parts are laid out one after another.
constexpr unsigned codeParts = 2;

std::string emitObject(Module &module, bool isBase) {
  std::unique_ptr<TargetMachine> machine = makeTargetMachine(isBase);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  bool isRefused = machine->addPassesToEmitFile(passes, stream, nullptr,
                                                CodeGenFileType::ObjectFile);
  KARAKAL_ASSERT(!isRefused, "the ARM back end makes no object files");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

/// Makes an object file of a part of the program, in a context of its own.
std::string emitPart(const std::string &bitcode, bool isBase) {
  LLVMContext context;
  auto part = parseBitcodeFile({bitcode, "part"}, context);
  KARAKAL_ASSERT(bool(part), "bitcode that was written a moment ago");
  return emitObject(**part, isBase);
}

/// Makes object files of a program, half of its functions in each. With two
/// threads, both at the same time.
std::vector<std::string> emitObjects(Module &module, bool isBase) {
  StageTime time("llvm-codegen");
  std::vector<std::future<std::string>> parts;
  SplitModule(module, codeParts, [&](std::unique_ptr<Module> part) {
    std::string bitcode;
    raw_string_ostream stream(bitcode);
    WriteBitcodeToFile(*part, stream);
    parts.push_back(std::async(threadCount() > 1 ? std::launch::async
                                                 : std::launch::deferred,
                               emitPart, std::move(bitcode), isBase));
  });
  std::vector<std::string> objects;
  for (std::future<std::string> &part : parts)
    objects.push_back(part.get());
  return objects;
}

/// Links `objects` with ld.lld in `folder`. Returns the bytes of the result.
Result<std::unique_ptr<MemoryBuffer>>
link(const std::string &folder, const std::vector<std::string> &objects,
     const std::vector<std::string> &entries) {
  std::string scriptPath = folder + "/xscale.lds";
  std::string linkedPath = folder + "/xscale.elf";
  std::string messagePath = folder + "/messages";
  if (Status written = writeFile(scriptPath, linkerScript()); !written)
    return written.error();

  std::vector<std::string> arguments = {
      LLD_EXECUTABLE,  "-m", "armelfb_linux_eabi", "-static",
      "--gc-sections", "-T", scriptPath,           "-o",
      linkedPath};
  for (const std::string &entry : entries)
    arguments.push_back("--undefined=" + entry);
  if (!entries.empty())
    arguments.insert(arguments.end(), {"-e", entries.front()});
  for (size_t i = 0; i < objects.size(); ++i) {
    arguments.push_back(folder + "/part" + std::to_string(i) + ".o");
    if (Status written = writeFile(arguments.back(), objects[i]); !written)
      return written.error();
  }
  std::vector<StringRef> views(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(messagePath),
                                          StringRef(messagePath)};
  std::string why;
  int status = sys::ExecuteAndWait(LLD_EXECUTABLE, views, std::nullopt,
                                   redirects, 0, 0, &why);
  if (status != 0) {
    if (auto messages = MemoryBuffer::getFile(messagePath))
      why += (*messages)->getBuffer();
    return makeError("E-driver-020",
                     "linking the XScale core's code with " LLD_EXECUTABLE
                     " failed: " +
                         why);
  }
  auto linked = MemoryBuffer::getFile(linkedPath, false, false);
  if (!linked)
    return makeFileError("E-driver-020", linkedPath,
                         "the linker left no file: " +
                             linked.getError().message());
  return std::move(*linked);
}

/// Reads the sections in memory and the function symbols of a linked file.
XScaleCode readLinked(MemoryBufferRef linked) {
  auto parsed = object::ObjectFile::createELFObjectFile(linked);
  KARAKAL_ASSERT(bool(parsed), "ld.lld's output is no ELF file");
  auto *elf = cast<object::ELFObjectFileBase>(parsed->get());
  XScaleCode code;
  for (object::ELFSectionRef section : elf->sections()) {
    if (!(section.getFlags() & ELF::SHF_ALLOC) || section.getSize() == 0)
      continue;
    XScaleCode::Segment segment;
    segment.name = cantFail(section.getName()).str();
    segment.address = static_cast<uint32_t>(section.getAddress());
    if (section.isBSS()) {
      segment.bytes.resize(section.getSize());
    } else {
      StringRef content = cantFail(section.getContents());
      segment.bytes.assign(content.begin(), content.end());
    }
    code.segments.push_back(std::move(segment));
  }
  for (object::ELFSymbolRef symbol : elf->symbols()) {
    auto address = static_cast<uint32_t>(cantFail(symbol.getAddress()));
    StringRef name = cantFail(symbol.getName());
    if (symbol.getELFType() == ELF::STT_FUNC)
      code.symbols[name.str()] = address;
    else if (name == hashMultiplierSymbol)
      code.hashMultiplier = address;
    else if (name == engineTableSymbol)
      code.engineTable = address;
  }
  return code;
}

/// Returns the linked file of a module that is complete.
Result<std::string> makeLinked(Module &module,
                               const std::vector<std::string> &entries,
                               bool isBase) {
  optimizeForXScale(module, isBase);
  std::vector<std::string> objects = emitObjects(module, isBase);
  SmallString<128> folder;
  if (std::error_code code = sys::fs::createUniqueDirectory("karakal", folder))
    return makeError("E-driver-022",
                     "cannot make a temporary folder: " + code.message());
  auto cleanUp =
      make_scope_exit([&] { sys::fs::remove_directories(folder, true); });
  auto linked = link(std::string(folder), objects, entries);
  if (!linked)
    return linked.error();
  return (*linked)->getBuffer().str();
}

/// The same, from the cache if it is there. Otherwise keeps it.
Result<std::string> findLinked(Module &module,
                               const std::vector<std::string> &entries,
                               bool isBase, const CodeCache &cache) {
  std::string bitcode;
  raw_string_ostream stream(bitcode);
  WriteBitcodeToFile(module, stream);
  std::string key =
      CodeCache::keyOf({bitcode, join(entries, " "),
                        isBase ? levelName(Level::Base) : "optimized"});
  if (std::optional<std::string> found = cache.find(key))
    return std::move(*found);
  auto linked = makeLinked(module, entries, isBase);
  if (!linked)
    return linked;
  if (Status kept = cache.keep(key, *linked); !kept)
    return kept.error();
  return linked;
}

Status checkSize(const XScaleCode &code) {
  uint32_t end = target::XScaleBase;
  for (const XScaleCode::Segment &segment : code.segments)
    end = std::max<uint32_t>(end, segment.address + segment.bytes.size());
  if (end <= codeEnd)
    return success();
  return makeError(
      "E-driver-021",
      "the XScale core's code does not fit: " +
          std::to_string(end - target::XScaleBase) + " bytes needed, " +
          std::to_string(codeEnd - target::XScaleBase) + " available");
}

} // namespace

void registerXScaleTarget() {
  static bool isInitialized = [] {
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTarget();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMAsmPrinter();
    return true;
  }();
  KARAKAL_ASSERT(isInitialized, "LLVM's ARM back end");
}

Result<XScaleCode>
compileForXScale(Module &module, const std::vector<std::string> &entries,
                 Level level, const std::string &cacheFolder,
                 std::optional<target::HashKey> hashMultiplier) {
  // All levels above base make the same code.
  bool isBase = level == Level::Base;
  module.setTargetTriple(triple);
  module.setDataLayout(makeTargetMachine(isBase)->createDataLayout());
  for (const char *file :
       {"packet.ll", "services.ll", "punts.ll", "unordered.ll", "xscale.ll",
        "atomics.ll", "divide.ll"})
    if (Status linked = linkRuntime(module, file); !linked)
      return linked.error();
  for (auto [function, file] :
       {std::pair(target::runtime::LeaveCaches, "exchange.ll"),
        std::pair(target::runtime::SavePower, "power.ll")}) {
    if (!module.getFunction(function))
      continue;
    for (const char *part : {file, "engines.ll"})
      if (Status linked = linkRuntime(module, part); !linked)
        return linked.error();
  }
  if (hashMultiplier)
    readHashMultiplier(module, *hashMultiplier);
  // The back end calls helpers by name. They stay visible until ld.lld drops
  // the unused ones.
  std::vector<std::string> visible = entries;
  for (const Function &function : module)
    if (function.getName().starts_with("__aeabi_") ||
        function.getName().starts_with("mem"))
      visible.push_back(function.getName().str());
  keepEntries(module, visible);
  mapToXScaleAddresses(module);
  auto linked = cacheFolder.empty() ? makeLinked(module, entries, isBase)
                                    : findLinked(module, entries, isBase,
                                                 CodeCache(cacheFolder));
  if (!linked)
    return linked.error();
  XScaleCode code = readLinked(MemoryBufferRef(*linked, "xscale.elf"));
  if (Status fits = checkSize(code); !fits)
    return fits.error();
  return code;
}

} // namespace karakal::driver
