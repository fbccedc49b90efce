// Writes the table of a program that becomes an executable.

#include "codegen-x86/ProgramTableWriter.h"
#include "codegen-x86/ProgramTable.h"
#include "support/Assert.h"
#include "llvm/IR/IRBuilder.h"

namespace karakal::x86 {

using namespace llvm;

namespace {

/// Makes the members of the table, in their order.
class TableWriter {
public:
  explicit TableWriter(Module &module)
      : module(module), context(module.getContext()),
        i64(Type::getInt64Ty(context)), pointer(PointerType::get(context, 0)) {}

  void number(uint64_t value) {
    members.push_back(ConstantInt::get(i64, value));
  }
  void text(const std::string &value) { members.push_back(textOf(value)); }
  void texts(ArrayRef<std::string> values) {
    SmallVector<Constant *> list;
    for (const std::string &value : values)
      list.push_back(textOf(value));
    members.push_back(arrayOf(pointer, list));
    number(values.size());
  }
  void function(const std::string &name) {
    Constant *found = module.getFunction(name);
    auto *type = FunctionType::get(Type::getVoidTy(context), false);
    members.push_back(
        found ? found
              : cast<Constant>(
                    module.getOrInsertFunction(name, type).getCallee()));
  }
  void variable(const std::string &name) {
    members.push_back(module.getOrInsertGlobal(name, i64));
  }
  void entries(ArrayRef<Constant *> values) {
    Type *type = values.empty() ? i64 : values.front()->getType();
    members.push_back(arrayOf(type, values));
    number(values.size());
  }
  Constant *finish() { return ConstantStruct::getAnon(context, members); }

private:
  Constant *constant(Constant *value) {
    return new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                              GlobalValue::InternalLinkage, value);
  }
  Constant *textOf(const std::string &value) {
    return constant(ConstantDataArray::getString(context, value));
  }
  Constant *arrayOf(Type *type, ArrayRef<Constant *> values) {
    return constant(
        ConstantArray::get(ArrayType::get(type, values.size()), values));
  }

  Module &module;
  LLVMContext &context;
  IntegerType *i64;
  PointerType *pointer;
  SmallVector<Constant *> members;
};

} // namespace

static Constant *makeEntry(Module &module, const ControlInterface &control) {
  TableWriter entry(module);
  entry.text(control.signature.name);
  entry.text(control.signature.returns);
  SmallVector<std::string> parameters;
  for (const auto &[name, type] : control.signature.params)
    parameters.append({name, type});
  entry.texts(parameters);
  entry.number(control.signature.tableLimit);
  entry.number(control.signature.isExclusive);
  entry.number(control.intervalUs);
  entry.function(control.wrapper);
  return entry.finish();
}

void writeProgramTable(Module &module, const ProgramInterface &program) {
  SmallVector<Constant *> controls;
  for (const ControlInterface &control : program.controls)
    controls.push_back(makeEntry(module, control));
  TableWriter table(module);
  table.number(sizeof(ProgramTable));
  table.text(program.name);
  for (const char *name : {"init", "batch", "use_sub_batch", "statistics",
                           "drain", "move_clock", "set_hash_key"})
    table.function(std::string("karakal_x86_") + name);
  for (const char *name : {"state", "on_fault"})
    table.variable(std::string("karakal_x86_") + name);
  table.number(program.burst);
  table.number(program.subBatch);
  table.number(program.hasStages);
  table.texts(program.dropReasons);
  table.variable("karakal_x86_drop_counts");
  table.texts(program.refusals);
  table.entries(controls);
  Constant *value = table.finish();
  KARAKAL_ASSERT(module.getDataLayout().getTypeAllocSize(value->getType()) ==
                     sizeof(ProgramTable),
                 "all members are written");
  new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                     GlobalValue::ExternalLinkage, value, ProgramTable::Symbol);
}

} // namespace karakal::x86
