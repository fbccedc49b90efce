// Names and declarations.
//
// First all names are declared, so that their order in the text does not
// matter. Constants and structs are then resolved when first needed; meeting
// one that is being resolved is a cycle.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/sema/AssignCheck.h"
#include "baker-lang/sema/FlowCheck.h"
#include "baker-lang/sema/UnusedCheck.h"
#include "ir/dialect/Attributes.h"
#include "support/Error.h"

#include <algorithm>

namespace karakal::lang {

const char *noun(DeclKind kind) {
  switch (kind) {
  case DeclKind::Const:
    return "constant";
  case DeclKind::Protocol:
    return "protocol";
  case DeclKind::ProtocolField:
    return "field";
  case DeclKind::Struct:
    return "struct";
  case DeclKind::Enum:
    return "enum";
  case DeclKind::Metadata:
    return "metadata field";
  case DeclKind::DropReason:
    return "drop reason";
  case DeclKind::Global:
    return "global variable";
  case DeclKind::Function:
    return "function";
  case DeclKind::Variable:
    return "variable";
  case DeclKind::Ppf:
    return "PPF";
  case DeclKind::Endpoint:
    return "channel endpoint";
  case DeclKind::Module:
    return "module";
  }
  KARAKAL_UNREACHABLE("declaration kind");
}

void Sema::run() {
  scope = &program.scope;
  declareBuiltins();
  declareNames();
  program.forEachList(
      [&](DeclList &list, ModuleDecl *module) { resolveList(list, module); });
  program.forEachList([&](DeclList &list, ModuleDecl *module) {
    for (auto &body : list.bodies)
      resolveBody(*body, module);
    if (module)
      for (Wire &item : list.wires)
        wire(item, *module);
  });
  checkWiring();
  program.forEachList([&](DeclList &list, ModuleDecl *) {
    for (auto &decl : list.functions)
      checkBody(*decl);
    for (auto &decl : list.bodies)
      checkBody(*decl);
  });
  checkRecursion();
  checkSections();
  checkFlow(program, diagnostics);
  checkReceiver();
  if (diagnostics.hasErrors())
    return;
  checkAssigned(program, diagnostics);
  checkUsage(program, diagnostics);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void Sema::declareBuiltins() {
  auto metadata = [&](const char *name, unsigned width, bool isReadOnly) {
    auto decl = std::make_unique<MetadataDecl>(Identifier{name, {}});
    decl->type = types.integer(width, false);
    decl->isReadOnly = isReadOnly;
    decl->isBuiltin = true;
    program.metadata[name] = decl.get();
    program.builtinMetadata.push_back(std::move(decl));
  };
  metadata("rx.port", 8, true);
  metadata("rx.length", 16, true);
  metadata("rx.time", 32, true);
  metadata("tx.port", 8, false);
  metadata("sequence", 32, true);
  for (const char *name :
       {"unspecified", "truncated", "no_room", noReceiverName}) {
    auto decl = std::make_unique<DropReasonDecl>(Identifier{name, {}});
    program.dropReasons[name] = decl.get();
    program.builtinReasons.push_back(std::move(decl));
  }
}

void Sema::declareNames() {
  for (auto &module : program.modules) {
    module->scope.parent = &program.scope;
    declare(program.scope, module.get());
  }
  program.forEachList(
      [&](DeclList &list, ModuleDecl *module) { declareList(list, module); });
}

void Sema::declareList(DeclList &list, ModuleDecl *module) {
  Scope &to = module ? module->scope : program.scope;
  std::string prefix = module ? module->name + "." : "";
  for (auto &decl : list.constants) {
    decl->scope = decl->isParameter ? &program.scope : &to;
    if (auto other = given.find(prefix + decl->name); other != given.end())
      decl->given = other->second;
    declare(to, decl.get());
  }
  for (auto &decl : list.protocols) {
    declare(to, decl.get());
    declareSymbol(decl.get());
  }
  for (auto &decl : list.structs) {
    decl->scope = &to;
    declare(to, decl.get());
  }
  for (auto &decl : list.enums)
    declare(to, decl.get());
  for (auto &decl : list.globals) {
    decl->scope = &to;
    decl->symbol = prefix + decl->name;
    declare(to, decl.get());
    if (!module)
      declareSymbol(decl.get());
  }
  for (auto &decl : list.functions) {
    decl->scope = &to;
    decl->module = module;
    decl->symbol = prefix + decl->name;
    declare(to, decl.get());
    if (!module)
      declareSymbol(decl.get());
  }
  for (auto &decl : list.ppfs)
    declare(to, decl.get());
  // Modules may share metadata fields and drop reasons: one name is one thing.
  std::map<std::string, SourceRange> own;
  for (auto &decl : list.metadata) {
    MetadataDecl *&entry = program.metadata[decl->name];
    if (entry && entry->isBuiltin)
      error(DiagId::ReservedName, decl->range,
            "the metadata field '" + decl->name + "' is built in");
    else if (entry)
      decl->first = entry;
    else
      declareSymbol((entry = decl.get()));
    if (auto other = own.find(decl->name); other != own.end())
      error(DiagId::Redeclared, decl->range,
            "the metadata field '" + decl->name + "' is declared twice")
          .note(other->second, "first declared here");
    own[decl->name] = decl->range;
  }
  own.clear();
  for (auto &decl : list.dropReasons) {
    DropReasonDecl *&entry = program.dropReasons[decl->name];
    auto [other, isNew] = own.emplace(decl->name, decl->range);
    if (entry && entry->range.end == 0)
      error(DiagId::ReservedName, decl->range,
            "the drop reason '" + decl->name + "' is built in");
    else if (!isNew)
      error(DiagId::Redeclared, decl->range,
            "the drop reason '" + decl->name + "' is declared twice")
          .note(other->second, "first declared here");
    else if (!entry)
      declareSymbol((entry = decl.get()));
  }
}

void Sema::declare(Scope &to, Decl *decl) {
  if (primitiveOf(decl->name) != Primitive::None) {
    error(DiagId::ReservedName, decl->range,
          "'" + decl->name + "' is a packet primitive of the language");
    return;
  }
  Decl *&entry = to.names[decl->name];
  if (!entry) {
    entry = decl;
    return;
  }
  error(DiagId::Redeclared, decl->range,
        "'" + decl->name + "' is declared twice")
      .note(entry->range,
            std::string("first declared here, as a ") + noun(entry->kind));
}

/// Protocols, metadata, drop reasons and file-level names share one name
/// space in the compiler's intermediate form.
void Sema::declareSymbol(Decl *decl) {
  if (decl->name == "rx" || decl->name == "tx") {
    error(DiagId::ReservedName, decl->range,
          "'" + decl->name + "' is the name of the receiver or transmitter");
    return;
  }
  const Decl *&entry = symbols[decl->name];
  if (entry && entry->kind != decl->kind)
    error(DiagId::Redeclared, decl->range,
          std::string("the ") + noun(decl->kind) + " '" + decl->name +
              "' has the name of a " + noun(entry->kind))
        .note(entry->range, "declared here");
  else if (!entry)
    entry = decl;
}

Decl *Sema::lookup(const std::string &name, const Scope &from) {
  for (const Scope *at = &from; at; at = at->parent)
    if (Decl *decl = at->find(name))
      return decl;
  return nullptr;
}

void Sema::suggest(Diagnostic &diagnostic, const std::string &name,
                   const std::vector<const Decl *> &candidates) {
  std::vector<std::string> names;
  for (const Decl *decl : candidates)
    names.push_back(decl->name);
  std::string nearest = nearestName(name, names);
  for (const Decl *decl : candidates)
    if (!nearest.empty() && decl->name == nearest) {
      diagnostic.fix(diagnostic.range, nearest);
      if (decl->range.end != 0)
        diagnostic.note(decl->range, "did you mean '" + nearest + "'?");
      else
        diagnostic.note("did you mean '" + nearest + "'?");
      return;
    }
}

void Sema::undeclared(const std::string &name, SourceRange where,
                      const Scope &from) {
  if (isSuspect(name))
    return;
  auto &diagnostic = error(DiagId::UndeclaredName, where,
                           "there is no name '" + name + "' here");
  std::vector<const Decl *> candidates;
  for (const Scope *at = &from; at; at = at->parent)
    for (auto &[other, decl] : at->names)
      candidates.push_back(decl);
  // A name of another module needs that module's name in front.
  for (auto &module : program.modules)
    if (Decl *decl = module->scope.find(name)) {
      diagnostic.note(decl->range,
                      "did you mean '" + module->name + "." + name + "'?");
      diagnostic.fix(where, module->name + "." + name);
      return;
    }
  suggest(diagnostic, name, candidates);
}

//===----------------------------------------------------------------------===//
// Resolution
//===----------------------------------------------------------------------===//

void Sema::resolveList(DeclList &list, ModuleDecl *module) {
  Scope &at = module ? module->scope : program.scope;
  for (auto &decl : list.constants)
    resolveConst(*decl);
  for (auto &decl : list.structs)
    resolveStruct(*decl);
  for (auto &decl : list.protocols)
    resolveProtocol(*decl);
  for (auto &decl : list.metadata)
    resolveMetadata(*decl);
  for (auto &decl : list.globals)
    resolveGlobal(*decl);
  for (auto &decl : list.functions) {
    decl->scope = &at;
    resolveSignature(*decl);
    resolveAnnotations(*decl);
    checkRole(*decl);
  }
  for (auto &decl : list.ppfs)
    resolvePpf(*decl, *module);
  scope = &at;
  for (StaticAssert &item : list.asserts)
    checkStaticAssert(*item.condition);
  scope = &program.scope;
}

void Sema::checkStaticAssert(Expr &condition) {
  auto value = constantOf(condition, *scope, "a static assertion");
  if (value && *value == 0 && condition.type->isScalar())
    error(DiagId::AssertFailed, condition.range,
          "this static assertion does not hold");
}

void Sema::resolveConst(ConstDecl &decl) {
  if (decl.progress == Progress::Done)
    return;
  if (decl.progress == Progress::Busy) {
    error(DiagId::ConstantCycle, decl.range,
          "the constant '" + decl.name + "' is defined by itself");
    decl.type = types.error();
    return;
  }
  decl.progress = Progress::Busy;
  Scope &from = *decl.scope;
  const Type *declared =
      decl.typeSyntax ? resolveType(*decl.typeSyntax, from) : types.intType();
  if (decl.typeSyntax)
    refuseWide(declared, decl.typeSyntax->range, "a constant");
  if (!declared->isScalar() && !declared->isError()) {
    error(DiagId::BadTypeHere, decl.typeSyntax->range,
          "a constant cannot have type '" + declared->str() + "'");
    declared = types.error();
  }
  if (decl.given) {
    decl.bits = *decl.given;
  } else if (decl.value) {
    auto value = constantOf(*decl.value, from, "the value of a constant");
    // A cycle found meanwhile has set the type.
    if (!value || decl.type) {
      decl.type = types.error();
    } else if (!declared->isError()) {
      checkConvertible(*decl.value, declared, "the constant");
      decl.bits = convertConstant(*value, decl.value->type, declared);
    }
  } else if (decl.previous) {
    resolveConst(*decl.previous);
    decl.bits = canonical(decl.previous->bits + 1, types.intType());
  }
  if (!decl.type)
    decl.type = declared;
  decl.progress = Progress::Done;
}

void Sema::resolveStruct(StructDecl &decl) {
  if (decl.progress == Progress::Done)
    return;
  if (decl.progress == Progress::Busy)
    return; // the field that closes the cycle is reported below
  decl.progress = Progress::Busy;
  if (decl.fields.empty() && !isSuspect(decl.name))
    error(DiagId::EmptyDeclaration, decl.range,
          "the struct '" + decl.name + "' has no fields");
  std::map<std::string, SourceRange> seen;
  for (StructField &field : decl.fields) {
    auto [entry, isNew] = seen.emplace(field.name.name, field.name.range);
    if (!isNew)
      error(DiagId::Redeclared, field.name.range,
            "the field '" + field.name.name + "' is declared twice")
          .note(entry->second, "first declared here");
    const Type *type = resolveType(field.typeSyntax, *decl.scope);
    if (type->is(TypeKind::Struct) &&
        type->record->progress == Progress::Busy) {
      error(DiagId::ContainsItself, field.name.range,
            "the struct '" + decl.name + "' contains itself through '" +
                field.name.name + "'");
      type = types.error();
    } else if (!type->isError() && !type->isScalar() &&
               !type->is(TypeKind::Struct)) {
      error(DiagId::BadTypeHere, field.typeSyntax.range,
            "a struct cannot hold '" + type->str() + "'");
      type = types.error();
    }
    refuseWide(type, field.typeSyntax.range, "a field of a struct");
    field.type =
        withDimensions(type, field.dimensions, *decl.scope, field.name.range);
  }
  decl.progress = Progress::Done;
}

void Sema::resolveMetadata(MetadataDecl &decl) {
  decl.type = resolveType(decl.typeSyntax, program.scope);
  refuseWide(decl.type, decl.typeSyntax.range, "a metadata field");
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
  refuseWide(type, decl.typeSyntax.range, "a global variable");
  decl.type =
      withDimensions(type, decl.declarator.dimensions, from, decl.range);
  if (decl.isConst && (!decl.type->isAggregate() || type->is(TypeKind::Lock)) &&
      !decl.type->isError())
    error(DiagId::BadTypeHere, decl.typeSyntax.range,
          "a constant cannot have type '" + decl.type->str() + "'");
  if (type->is(TypeKind::Lock)) {
    if (!decl.placeIn.empty() && decl.placeIn != "scratch")
      error(DiagId::BadAnnotation, decl.range, "a lock lies in scratch");
    decl.placeIn = "scratch";
    if (decl.declarator.initializer)
      error(DiagId::BadInitializer, decl.declarator.initializer->range,
            "a lock is free at first, it takes no value");
    return;
  }
  if (!decl.declarator.initializer || decl.type->isError())
    return;
  Scope *saved = scope;
  scope = &from;
  if (!flatten(*decl.declarator.initializer, decl.type, decl.initial))
    decl.initial.clear();
  scope = saved;
}

/// Whether braces stand where, and only where, `type` has parts, and no more
/// values than places.
bool Sema::checkShape(const Initializer &initializer, const Type *type) {
  if (type->isError())
    return false;
  bool isAggregate = type->isAggregate();
  if (isAggregate != !initializer.expr) {
    if (initializer.expr && initializer.expr->kind == ExprKind::Error)
      return false;
    error(DiagId::BadInitializer, initializer.range,
          isAggregate ? "'" + type->str() + "' needs its values in braces"
                      : "'" + type->str() + "' takes one value, no braces");
    return false;
  }
  if (!isAggregate)
    return true;
  uint64_t places =
      type->is(TypeKind::Array) ? type->size : type->record->fields.size();
  if (initializer.list.size() <= places)
    return true;
  error(DiagId::BadInitializer, initializer.range,
        std::to_string(initializer.list.size()) + " values for " +
            std::to_string(places) + " places");
  return false;
}

/// Appends the scalars of `initializer`, zeros for what it leaves out.
bool Sema::flatten(const Initializer &initializer, const Type *type,
                   std::vector<uint64_t> &values) {
  if (!checkShape(initializer, type))
    return false;
  if (!type->isAggregate()) {
    auto value =
        constantOf(*initializer.expr, *scope, "the initial value of a global");
    if (!value)
      return false;
    checkConvertible(*initializer.expr, type, "the initial value");
    values.push_back(convertConstant(*value, initializer.expr->type, type));
    return true;
  }
  bool isArray = type->is(TypeKind::Array);
  uint64_t places = isArray ? type->size : type->record->fields.size();
  bool isGood = true;
  for (uint64_t i = 0; i < places; ++i) {
    const Type *part = isArray ? type->element : type->record->fields[i].type;
    if (i < initializer.list.size())
      isGood &= flatten(initializer.list[i], part, values);
    else
      values.resize(values.size() + scalarCountOf(part));
  }
  return isGood;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

void Sema::resolveSignature(FunctionDecl &decl) {
  Scope &from = *decl.scope;
  decl.result = resolveType(decl.resultSyntax, from);
  for (Parameter &parameter : decl.parameters) {
    const Type *type = resolveType(parameter.typeSyntax, from);
    if (parameter.name.name.empty() && !type->is(TypeKind::Void))
      error(DiagId::NameNeeded, parameter.name.range,
            "the parameter needs a name");
    if (parameter.hasDimensions || (!type->isScalar() && !type->isPacket() &&
                                    !type->isPointer() && !type->isError())) {
      bool isVoidList = type->is(TypeKind::Void) && decl.parameters.size() == 1;
      auto &diagnostic = error(DiagId::BadTypeHere, parameter.typeSyntax.range,
                               "a parameter is a scalar, a packet handle or a "
                               "pointer");
      if (isVoidList)
        diagnostic.note("a function without parameters is written '()'");
      type = types.error();
    }
    auto variable = std::make_unique<VarDecl>(parameter.name);
    variable->type = type;
    variable->isParameter = true;
    variable->isBorrowed = decl.role != Role::Ppf;
    parameter.decl = variable.get();
    decl.variables.push_back(std::move(variable));
  }
}

void Sema::checkRole(const FunctionDecl &decl) {
  const Type *result = decl.result;
  if (!result->isScalar() && !result->is(TypeKind::Void) && !result->isError())
    error(DiagId::BadSignature, decl.resultSyntax.range,
          "a function cannot return '" + result->str() +
              "', only a scalar or nothing");
  // Each combination of places that it is called with makes a copy of it.
  constexpr int pointersMax = 4;
  auto isPointer = [](const Parameter &parameter) {
    return parameter.decl->type->isPointer();
  };
  if (std::count_if(decl.parameters.begin(), decl.parameters.end(), isPointer) >
      pointersMax)
    error(DiagId::BadSignature, decl.range,
          "'" + decl.name + "' takes more than " + std::to_string(pointersMax) +
              " pointers");
  if (decl.role == Role::Init &&
      (!decl.parameters.empty() || !result->is(TypeKind::Void)))
    error(DiagId::BadSignature, decl.range,
          "an init function takes and returns nothing: it is called without "
          "arguments before packets flow");
  if (decl.role != Role::Control)
    return;
  if (result->isScalar() && result->width > 32)
    error(DiagId::BadSignature, decl.range,
          "a control function returns at most 32 bits");
  for (const Parameter &parameter : decl.parameters)
    if (parameter.decl->type->isPacket() || parameter.decl->type->isPointer())
      error(DiagId::BadSignature, parameter.typeSyntax.range,
            "a control function is called from a control file and cannot "
            "take packets or pointers");
    else if (parameter.decl->type->isWide())
      error(DiagId::BadSignature, parameter.typeSyntax.range,
            "an argument in a control file has at most 64 bits");
}

} // namespace karakal::lang
