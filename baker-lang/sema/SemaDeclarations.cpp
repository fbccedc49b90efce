// Declarations: constants, structs, metadata and global variables.
//
// Constants and structs are resolved when they are first needed. Meeting one
// whose resolution is in progress means that it depends on itself.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/WideConstant.h"
#include "support/Error.h"

#include "llvm/Support/SaveAndRestore.h"

namespace karakal::lang {

void Sema::resolveList(DeclList &list, ModuleDecl *module) {
  Scope &home = module ? module->scope : program.scope;
  for (auto &decl : list.constants)
    resolveConst(*decl);
  for (auto &decl : list.structs)
    resolveStruct(*decl);
  for (auto &decl : list.tables)
    resolveTable(*decl);
  for (auto &decl : list.protocols)
    resolveProtocol(*decl);
  for (auto &decl : list.metadata)
    resolveMetadata(*decl);
  for (auto &decl : list.globals)
    resolveGlobal(*decl);
  for (auto &decl : list.functions) {
    decl->scope = &home;
    resolveSignature(*decl);
    resolveAnnotations(*decl);
    checkSignature(*decl);
  }
  for (auto &decl : list.ppfs)
    resolvePpf(*decl, *module);
  llvm::SaveAndRestore inScope(scope, &home);
  for (StaticAssert &item : list.asserts)
    checkStaticAssert(*item.condition);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void Sema::resolveConst(ConstDecl &decl) {
  if (decl.progress == Progress::Done)
    return;
  if (decl.progress == Progress::InProgress) {
    error(DiagId::ConstantCycle, decl.range,
          "the constant '" + decl.name + "' is defined by itself");
    decl.type = types.error();
    return;
  }
  KARAKAL_ASSERT(decl.scope, "a constant that was not declared");
  decl.progress = Progress::InProgress;
  const Type *declared = types.intType();
  if (decl.typeSyntax) {
    SourceRange where = decl.typeSyntax->range;
    declared = resolveType(*decl.typeSyntax, *decl.scope);
    if (!declared->isScalar() && !declared->isError()) {
      error(DiagId::BadTypeHere, where,
            "a constant cannot have type '" + declared->str() + "'");
      declared = types.error();
    }
  }
  resolveConstValue(decl, declared);
  if (!decl.type)
    decl.type = declared;
  decl.progress = Progress::Done;
}

static constexpr const char *valueOfConstant = "the value of a constant";

/// Sets the value. After an error, sets the type to the error type.
void Sema::resolveConstValue(ConstDecl &decl, const Type *declared) {
  // A value of more than 64 bits is computed where it is used.
  auto wideValueOf = [&](ConstDecl &wide) -> std::optional<uint64_t> {
    llvm::SaveAndRestore inScope(scope, wide.scope);
    if (check(*wide.value)->isError())
      return std::nullopt;
    if (wideConstantOf(*wide.value))
      return 0;
    error(DiagId::NotConstant, wide.value->range,
          std::string(valueOfConstant) + " must be a constant");
    return std::nullopt;
  };
  if (decl.overrideValue) {
    decl.bits = *decl.overrideValue;
  } else if (decl.value) {
    bool isWide = declared->isWide();
    auto value = isWide ? wideValueOf(decl)
                        : constantOf(*decl.value, *decl.scope, valueOfConstant);
    bool isCyclic = decl.type != nullptr; // set by the nested call
    if (!value || isCyclic) {
      decl.type = types.error();
    } else if (isWide) {
      checkConvertible(*decl.value, declared, "the constant");
    } else if (!declared->isError()) {
      checkConvertible(*decl.value, declared, "the constant");
      decl.bits = convertConstant(*value, decl.value->type, declared);
    }
  } else if (decl.previous) {
    resolveConst(*decl.previous);
    decl.bits = canonical(decl.previous->bits + 1, types.intType());
  }
}

/// Notes the values that a failed assertion compares.
void Sema::noteValues(const Expr &condition, Diagnostic &diagnostic) const {
  auto *binary = llvm::dyn_cast<BinaryExpr>(&condition);
  if (!binary)
    return;
  bool isLogical =
      binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr;
  for (const Expr *side : {binary->left.get(), binary->right.get()})
    if (isLogical)
      noteValues(*side, diagnostic);
    else if (side->constant && !llvm::isa<IntegerExpr>(*side))
      diagnostic.note(side->range,
                      "this is " + constantText(*side->constant, side->type));
}

void Sema::checkStaticAssert(Expr &condition) {
  auto value = constantOf(condition, *scope, "a static assertion");
  if (!value || *value != 0 || !condition.type->isScalar())
    return;
  auto &diagnostic = error(DiagId::AssertFailed, condition.range,
                           "this static assertion does not hold");
  noteValues(condition, diagnostic);
}

//===----------------------------------------------------------------------===//
// Structs and metadata
//===----------------------------------------------------------------------===//

void Sema::resolveStruct(StructDecl &decl) {
  // resolveStructField reports the field that closes a cycle.
  if (decl.progress != Progress::NotStarted)
    return;
  decl.progress = Progress::InProgress;
  if (decl.fields.empty() && !isUnparsed(decl.name))
    error(DiagId::EmptyDeclaration, decl.range,
          "the struct '" + decl.name + "' has no fields");
  std::map<std::string, SourceRange> seen;
  for (StructField &field : decl.fields) {
    auto [entry, isNew] = seen.emplace(field.name.name, field.name.range);
    if (!isNew)
      error(DiagId::Redeclared, field.name.range,
            "the field '" + field.name.name + "' is declared twice")
          .note(entry->second, "first declared here");
    resolveStructField(field, decl);
  }
  decl.progress = Progress::Done;
}

void Sema::resolveStructField(StructField &field, StructDecl &decl) {
  const Type *type = resolveType(field.typeSyntax, *decl.scope);
  if (type->is(TypeKind::Struct) &&
      type->structDecl->progress == Progress::InProgress) {
    error(DiagId::ContainsItself, field.name.range,
          "the struct '" + decl.name + "' contains itself through '" +
              field.name.name + "'");
    type = types.error();
  } else if (!type->isError() && !type->isScalar() &&
             !type->is(TypeKind::Struct)) {
    error(DiagId::BadTypeHere, field.typeSyntax.range,
          "a struct cannot contain '" + type->str() + "'");
    type = types.error();
  }
  if (decl.table)
    rejectWide(type, field.typeSyntax.range, "a value of a table");
  field.type =
      withDimensions(type, field.dimensions, *decl.scope, field.name.range);
}

void Sema::resolveMetadata(MetadataDecl &decl) {
  decl.type = resolveType(decl.typeSyntax, program.scope);
  if (decl.first && decl.first->type && !decl.type->isError() &&
      !decl.first->type->isError() && decl.first->type != decl.type)
    error(DiagId::MetadataDiffers, decl.range,
          "the metadata field '" + decl.name + "' is '" + decl.type->str() +
              "' here and '" + decl.first->type->str() + "' in another module")
        .note(decl.first->range, "first declared here");
  if (decl.type->isError() || decl.type->isScalar())
    return;
  error(DiagId::BadTypeHere, decl.typeSyntax.range,
        "a metadata field cannot have type '" + decl.type->str() + "'");
  decl.type = types.error();
}

//===----------------------------------------------------------------------===//
// Global variables
//===----------------------------------------------------------------------===//

void Sema::resolveGlobal(GlobalDecl &decl) {
  resolveAnnotations(decl);
  Scope &from = *decl.scope;
  const Type *type = resolveType(decl.typeSyntax, from);
  if (type->isPacket() || type->isPointer() || type->is(TypeKind::Void)) {
    error(DiagId::BadTypeHere, decl.range,
          "the global variable '" + decl.name + "' cannot have type '" +
              type->str() + "'");
    type = types.error();
  }
  decl.type =
      withDimensions(type, decl.declarator.dimensions, from, decl.range);
  if (decl.isConst &&
      (!decl.type->isAggregate() || type->is(TypeKind::Lock) ||
       type->is(TypeKind::Queue)) &&
      !decl.type->isError())
    error(DiagId::BadTypeHere, decl.typeSyntax.range,
          "a constant cannot have type '" + decl.type->str() + "'");
  if (type->is(TypeKind::Lock))
    return resolveLock(decl);
  if (type->is(TypeKind::Queue))
    return resolveQueue(decl);
  if (!decl.declarator.initializer || decl.type->isError())
    return;
  llvm::SaveAndRestore inScope(scope, &from);
  if (!flatten(*decl.declarator.initializer, decl.type, decl.initial))
    decl.initial.clear();
}

/// A lock is always placed in scratch memory.
void Sema::resolveLock(GlobalDecl &decl) {
  if (decl.requestedMemory.value_or(ir::MemoryRequest::Scratch) !=
      ir::MemoryRequest::Scratch)
    error(DiagId::BadAnnotation, decl.range,
          "a lock must be in scratch memory");
  decl.requestedMemory = ir::MemoryRequest::Scratch;
  if (decl.declarator.initializer)
    error(DiagId::BadInitializer, decl.declarator.initializer->range,
          "a lock has no initial value; it starts free");
}

} // namespace karakal::lang
