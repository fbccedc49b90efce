// The object of a program that is compiled ahead of time.
//
// Steps: add the functions that runtime/x86/interface.cpp expects of each
// program; link the runtime; give the public functions the program's name and
// make all others local; copy what packets run for newer processors; optimize;
// emit.

#include "codegen-x86/BatchMemory.h"
#include "codegen-x86/CNames.h"
#include "codegen-x86/CpuVariants.h"
#include "codegen-x86/Interface.h"
#include "codegen-x86/Optimize.h"
#include "codegen-x86/PacketMemory.h"
#include "codegen-x86/ProgramTable.h"
#include "codegen-x86/ProgramTableWriter.h"
#include "support/Assert.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include <array>

namespace karakal::x86 {

using namespace llvm;

static constexpr const char *runtimePrefix = "karakal_x86_";
/// Functions of runtime/x86/ that the header declares.
static constexpr const char *publicFunctions[] = {
    "set_time",          "init",          "batch",
    "use_level",         "use_sub_batch", "statistics",
    "drop_reason_count", "drop_name",     "drop_count",
    "set_hash_key"};

namespace {

/// Adds what the runtime expects of each program.
class InterfaceWriter {
public:
  InterfaceWriter(Module &module, const ProgramInterface &program)
      : module(module), program(program), context(module.getContext()),
        i32(Type::getInt32Ty(context)), i64(Type::getInt64Ty(context)),
        voidTy(Type::getVoidTy(context)),
        pointer(PointerType::get(context, 0)) {}

  void run() {
    writeRx();
    writeDeliver();
    writeStages();
    writeInits();
    writeDropReasons();
    writeTimers();
    constant("engine_hz", ConstantInt::get(i64, program.engineHz));
    for (const ControlInterface &control : program.controls)
      writeControl(control);
  }

private:
  Function *define(const std::string &name, Type *result,
                   ArrayRef<Type *> parameters) {
    auto *function = cast<Function>(
        module
            .getOrInsertFunction(name,
                                 FunctionType::get(result, parameters, false))
            .getCallee());
    BasicBlock::Create(context, "entry", function);
    return function;
  }

  Function *entry(const std::string &name) {
    Function *function = module.getFunction(name);
    KARAKAL_ASSERT(function && !function->isDeclaration(),
                   "the program defines " + name);
    return function;
  }

  void constant(const std::string &name, Constant *value) {
    new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                       GlobalValue::ExternalLinkage, value,
                       runtimePrefix + name);
  }

  void writeRx() {
    Function *rx = define(std::string(runtimePrefix) + "rx", voidTy, {i32});
    IRBuilder<> builder(&rx->getEntryBlock());
    builder.CreateCall(entry(program.rxEntry), {rx->getArg(0)});
    builder.CreateRetVoid();
  }

  /// Calls the consumer of the channel whose id a message has.
  void writeDeliver() {
    Function *deliver =
        define(std::string(runtimePrefix) + "deliver", voidTy, {i32});
    IRBuilder<> builder(&deliver->getEntryBlock());
    Value *message = deliver->getArg(0);
    std::array<uint8_t, 256> onXScale{};
    Value *handle = builder.CreateAnd(message, 0xffffff);
    BasicBlock *none = BasicBlock::Create(context, "none", deliver);
    SwitchInst *channels = builder.CreateSwitch(builder.CreateLShr(message, 24),
                                                none, program.consumers.size());
    IRBuilder<>(none).CreateUnreachable();
    for (const ProgramInterface::Consumer &each : program.consumers) {
      BasicBlock *block = BasicBlock::Create(context, each.ppf, deliver);
      channels->addCase(builder.getInt32(each.channel), block);
      IRBuilder<> call(block);
      call.CreateCall(entry(each.ppf), {handle});
      call.CreateRetVoid();
      onXScale[each.channel] = each.onXScale;
    }
    constant("channel_on_xscale", ConstantDataArray::get(context, onXScale));
  }

  /// Whether there are stages, and how many packets run in them.
  void writeStages() {
    constant("has_stages", ConstantInt::get(i32, program.hasStages));
    new GlobalVariable(
        module, i32, false, GlobalValue::ExternalLinkage,
        ConstantInt::get(i32, program.hasStages ? program.subBatch : 1),
        std::string(runtimePrefix) + "sub_batch");
    if (!program.hasStages)
      IRBuilder<>(&define(BatchMemory::RunFunction, voidTy, {pointer, i32, i32})
                       ->getEntryBlock())
          .CreateRetVoid();
  }

  void writeInits() {
    Function *inits =
        define(std::string(runtimePrefix) + "run_inits", voidTy, {});
    IRBuilder<> builder(&inits->getEntryBlock());
    for (const std::string &init : program.inits)
      builder.CreateCall(entry(init));
    builder.CreateRetVoid();
  }

  void writeDropReasons() {
    SmallVector<Constant *> names;
    IRBuilder<> builder(context);
    for (const std::string &reason : program.dropReasons)
      names.push_back(builder.CreateGlobalString(reason, "", 0, &module));
    auto *type = ArrayType::get(pointer, names.size());
    constant("drop_names", ConstantArray::get(type, names));
    constant("drop_reasons", ConstantInt::get(i32, names.size()));
    auto *counts = ArrayType::get(i64, names.size());
    new GlobalVariable(module, counts, false, GlobalValue::ExternalLinkage,
                       ConstantAggregateZero::get(counts),
                       std::string(runtimePrefix) + "drop_counts");
  }

  /// Intervals and functions of timers, and room for when each is due.
  void writeTimers() {
    SmallVector<Constant *> intervals, functions;
    constexpr uint64_t nsInUs = 1000;
    for (const ControlInterface &control : program.controls)
      if (control.intervalUs != 0) {
        intervals.push_back(ConstantInt::get(i64, control.intervalUs * nsInUs));
        functions.push_back(entry(control.wrapper));
      }
    auto *times = ArrayType::get(i64, intervals.size());
    constant("timer_count", ConstantInt::get(i32, intervals.size()));
    constant("timer_intervals_ns", ConstantArray::get(times, intervals));
    constant("timer_functions",
             ConstantArray::get(ArrayType::get(pointer, functions.size()),
                                functions));
    new GlobalVariable(module, times, false, GlobalValue::ExternalLinkage,
                       ConstantAggregateZero::get(times),
                       std::string(runtimePrefix) + "timer_due_ns");
  }

  /// A function with the declared parameters that calls the wrapper.
  void writeControl(const ControlInterface &control) {
    SmallVector<Type *> types;
    for (const auto &[name, type] : control.signature.params)
      types.push_back(Type::getIntNTy(context, cType(type).bits));
    Function *function = define(cName(program, control), i32, types);
    IRBuilder<> builder(&function->getEntryBlock());
    auto *array = ArrayType::get(i64, std::max<size_t>(types.size(), 1));
    Value *arguments = builder.CreateAlloca(array);
    for (size_t i = 0; i < types.size(); ++i) {
      Value *value = builder.CreateIntCast(
          function->getArg(i), i64,
          cType(control.signature.params[i].type).isSigned);
      builder.CreateStore(
          value, builder.CreateConstInBoundsGEP2_64(array, arguments, 0, i));
    }
    Value *returned = builder.CreateCall(entry(control.wrapper), {arguments});
    builder.CreateCall(
        module.getOrInsertFunction(PacketSymbols::Drain, voidTy));
    builder.CreateRet(returned);
  }

  Module &module;
  const ProgramInterface &program;
  LLVMContext &context;
  Type *i32, *i64, *voidTy;
  PointerType *pointer;
};

} // namespace

/// Declares the public functions, so that linking brings their definitions.
static void declarePublic(Module &module) {
  auto *type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  for (const char *name : publicFunctions)
    module.getOrInsertFunction(std::string(runtimePrefix) + name, type);
}

/// Gives the public functions the program's name and makes all others local.
static void nameInterface(Module &module, const ProgramInterface &program) {
  StringSet<> exported;
  for (const char *name : publicFunctions) {
    Function *function = module.getFunction(std::string(runtimePrefix) + name);
    KARAKAL_ASSERT(function && !function->isDeclaration(),
                   "the runtime defines its interface");
    function->setName(cIdentifier(program.name) + "_" + name);
    exported.insert(function->getName());
  }
  for (const ControlInterface &control : program.controls)
    exported.insert(cName(program, control));
  if (program.isExecutable)
    exported.insert(ProgramTable::Symbol);
  for (GlobalObject &object : module.global_objects())
    if (!object.isDeclaration() && !exported.contains(object.getName())) {
      object.setLinkage(GlobalValue::InternalLinkage);
      // A linker would keep one program's copy of an inline function for all.
      object.setComdat(nullptr);
    }
}

/// Adds code of NAME_batch for newer processors than the object is for.
static void addVariants(Module &module, const ProgramInterface &program) {
  Function *batch = module.getFunction(cIdentifier(program.name) + "_batch");
  GlobalVariable *level =
      module.getGlobalVariable(std::string(runtimePrefix) + "level", true);
  KARAKAL_ASSERT(batch && level, "the runtime defines both");
  addCpuVariants(*batch, *level);
}

static std::unique_ptr<TargetMachine> makeMachine() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser(); // for the CPUID instruction
  const char *triple = "x86_64-unknown-linux-gnu";
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  KARAKAL_ASSERT(target, "LLVM compiles for x86: " + error);
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, "x86-64-v" + std::to_string(BaseLevel), "", TargetOptions(),
      Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

std::string makeObject(Module &module, const ProgramInterface &program) {
  std::unique_ptr<TargetMachine> machine = makeMachine();
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  markXScalePpfs(module, program.ppfs);
  InterfaceWriter(module, program).run();
  declarePublic(module);
  if (program.isExecutable)
    writeProgramTable(module, program);
  // A part needs what the parts before it declare.
  for (RuntimePart part : {RuntimePart::Packets, RuntimePart::Interface,
                           RuntimePart::Batches, RuntimePart::Services})
    linkRuntime(module, part);
  setHashMultiplier(module, program.hashMultiplier);
  nameInterface(module, program);
  // Until then stages are called by their addresses, which copies must not be.
  inlineAlways(module, *machine);
  addVariants(module, program);
  verify(module, "before optimization");
  optimize(module, *machine);

  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  bool failed = machine->addPassesToEmitFile(passes, stream, nullptr,
                                             CodeGenFileType::ObjectFile);
  KARAKAL_ASSERT(!failed, "LLVM writes objects for x86");
  passes.run(module);
  return bytes.str().str();
}

} // namespace karakal::x86
