// Local variables that lie in memory.
//
// An array that is indexed by a variable takes one or two instructions for each
// element if its elements are registers (LowerLocals.cpp). A large one becomes
// a global with `baker.local`, of which each context has a copy, so that an
// access takes the same time for every element:
//
//     u32 a[64];       baker.global @m.p.a : !baker.array<64 x i32>
//     {baker.local} x = a[i];        %a = baker.global_ref @m.p.a
//                      baker.store_words [%0, …] to %a at 0; …
//                      %e = baker.element %a[%i]
//                      %x = baker.load %e
//
// A function cannot call itself, so one copy a context is enough. Only the
// declaration gives the variable its zeros: what a call leaves behind is not
// seen by the next.

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/TypeLayout.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/Support/MathExtras.h"

namespace arith = mlir::arith;
namespace cf = mlir::cf;
using mlir::Value;

namespace karakal::lang {

namespace {

/// The most numbers of a local array in registers, with an index that is not
/// constant and without one. An engine has 32 registers for a context.
constexpr uint64_t indexedScalarsMax = 16, plainScalarsMax = 64;
/// The words of an object that are set to zero without a loop, and those that
/// one command moves.
constexpr uint64_t zeroedAtOnceMax = 64, commandWordsMax = 8;

/// The local variable at the root of `expr`, or null.
const VarDecl *rootOf(const Expr &expr) {
  if (auto *element = llvm::dyn_cast<IndexExpr>(&expr))
    return rootOf(*element->base);
  if (auto *field = llvm::dyn_cast<FieldExpr>(&expr))
    return field->access == Access::StructField && !field->isArrow
               ? rootOf(*field->base)
               : nullptr;
  auto *name = llvm::dyn_cast<NameExpr>(&expr);
  return name ? llvm::dyn_cast_if_present<VarDecl>(name->decl) : nullptr;
}

/// Finds the variables that have an index which is not constant.
class IndexedVariables {
public:
  explicit IndexedVariables(std::set<const VarDecl *> &found) : found(found) {}

  void visit(const Stmt &stmt) {
    forEachPart(
        stmt, [&](const Expr &expr) { visit(expr); },
        [&](const Stmt &part) { visit(part); });
  }

private:
  void visit(const Expr &expr) {
    if (auto *element = llvm::dyn_cast<IndexExpr>(&expr);
        element && !element->index->constant)
      if (const VarDecl *root = rootOf(*element->base))
        found.insert(root);
    forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
  }

  std::set<const VarDecl *> &found;
};

} // namespace

void FunctionLowering::findMemoryLocals() {
  std::set<const VarDecl *> indexed;
  IndexedVariables(indexed).visit(*decl.body);
  for (const auto &variable : decl.variables) {
    const Type *type = variable->type;
    if (!type->isAggregate())
      continue;
    uint64_t most =
        indexed.count(variable.get()) ? indexedScalarsMax : plainScalarsMax;
    if (scalarCountOf(type) > most)
      memoryLocals[variable.get()] = {};
  }
}

/// The type in memory. Small elements of a large array lie in rows of at most
/// eight words, which one command sets to zero.
static mlir::Type inRows(mlir::Type type) {
  auto array = llvm::dyn_cast<ir::ArrayType>(type);
  if (!array || ir::wordCount(array) <= zeroedAtOnceMax)
    return type;
  mlir::MLIRContext *context = type.getContext();
  uint64_t perRow = commandWordsMax / ir::elementWordStride(array);
  if (perRow < 2)
    return ir::ArrayType::get(context, array.getSize(),
                              inRows(array.getElementType()));
  return ir::ArrayType::get(
      context, llvm::divideCeil(array.getSize(), perRow),
      ir::ArrayType::get(context, perRow, array.getElementType()));
}

void FunctionLowering::lowerMemoryLocal(const VarDecl *variable,
                                        const Initializer *value,
                                        SourceRange where) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  std::string name = (op.getSymName() + "." + variable->name).str();
  std::string unique = name;
  for (unsigned number = 2; module.lookupSymbol(unique); ++number)
    unique = name + "." + std::to_string(number);
  mlir::OpBuilder before(op);
  auto local = before.create<ir::GlobalOp>(
      location(where), unique, inRows(parent.storedType(variable->type)),
      mlir::DenseI64ArrayAttr());
  local->setAttr(ir::localAttrName, before.getUnitAttr());
  Value all = builder.create<ir::GlobalRefOp>(
      location(where), ir::RefType::get(builder.getContext(), local.getType()),
      unique);
  memoryLocals[variable] = all;
  setToZero(all, where);
  if (value)
    storeInitial(memoryLocal(variable), *value, where);
}

FunctionLowering::Lvalue
FunctionLowering::memoryLocal(const VarDecl *variable) {
  Lvalue result;
  result.kind = Lvalue::Global;
  result.type = variable->type;
  result.base = memoryLocals.at(variable);
  KARAKAL_ASSERT(result.base,
                 "'" + variable->name + "' is used after its declaration");
  return result;
}

Value FunctionLowering::elementInMemory(Value array, uint64_t elementCount,
                                        Value index, SourceRange where) {
  mlir::Location at = location(where);
  auto type = llvm::cast<ir::ArrayType>(ir::pointeeOf(array));
  if (type.getSize() == elementCount)
    return builder.create<ir::ElementOp>(at, array, index);
  auto row = llvm::cast<ir::ArrayType>(type.getElementType());
  KARAKAL_ASSERT(type.getSize() ==
                     llvm::divideCeil(elementCount, row.getSize()),
                 "the rows hold all elements");
  Value perRow = constant(row.getSize(), wordType(), where);
  Value number = builder.createOrFold<arith::DivUIOp>(at, index, perRow);
  Value inRow = builder.createOrFold<arith::RemUIOp>(at, index, perRow);
  Value rowRef = builder.create<ir::ElementOp>(at, array, number);
  return builder.create<ir::ElementOp>(at, rowRef, inRow);
}

void FunctionLowering::setToZero(Value object, SourceRange where) {
  mlir::Location at = location(where);
  mlir::Type type = ir::pointeeOf(object);
  uint64_t words = ir::wordCount(type);
  auto array = llvm::dyn_cast<ir::ArrayType>(type);
  if (words > zeroedAtOnceMax && array) {
    Value count = constant(array.getSize(), wordType(), where);
    mlir::Block *head = newBlock(), *body = newBlock(), *after = newBlock();
    mlir::Type word = builder.getI32Type();
    Value index = head->addArgument(word, at);
    builder.create<cf::BranchOp>(at, head, constant(0, wordType(), where));
    start(head, /*isSealed=*/false);
    Value isMore = builder.create<arith::CmpIOp>(at, arith::CmpIPredicate::ult,
                                                 index, count);
    builder.create<cf::CondBranchOp>(at, isMore, body, after);
    start(body);
    setToZero(builder.create<ir::ElementOp>(at, object, index), where);
    Value next = builder.create<arith::AddIOp>(at, index,
                                               constant(1, wordType(), where));
    builder.create<cf::BranchOp>(at, head, next);
    ssa.seal(head);
    start(after);
    return;
  }
  Value zero = constant(0, wordType(), where);
  for (uint64_t word = 0; word < words; word += commandWordsMax) {
    llvm::SmallVector<Value> zeros(std::min(words - word, commandWordsMax),
                                   zero);
    builder.create<ir::StoreWordsOp>(at, zeros, object, uint32_t(word));
  }
}

void FunctionLowering::storeInitial(const Lvalue &to, const Initializer &value,
                                    SourceRange where) {
  if (!to.type->isAggregate())
    return store(to, lowerAs(*value.expr, to.type), where);
  mlir::Location at = location(where);
  for (size_t i = 0; i < value.list.size(); ++i) {
    Lvalue part = to;
    part.type = partTypeOf(to.type, i);
    if (to.type->is(TypeKind::Array))
      part.base = elementInMemory(to.base, to.type->elementCount,
                                  constant(i, wordType(), where), where);
    else
      part.base = builder.create<ir::FieldOp>(
          at, to.base, to.type->structDecl->fields[i].name.name);
    storeInitial(part, value.list[i], where);
  }
}

} // namespace karakal::lang
