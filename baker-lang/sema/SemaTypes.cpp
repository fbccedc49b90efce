// Types as written.
//
// `u1`…`u128`, `s1`…`s64`, `bool`, `int`, `unsigned`, `lock`, names of structs,
// and `P_pkt` or `P_pkt *` for a handle of a packet of protocol P.

#include "baker-lang/sema/Sema.h"

#include "support/Error.h"

namespace karakal::lang {

/// Words of the largest memory that a board can have, an SRAM channel.
static constexpr uint64_t wordsMax = 16 << 20;

uint64_t scalarCountOf(const Type *type) {
  if (type->is(TypeKind::Array))
    return type->size * scalarCountOf(type->element);
  if (!type->is(TypeKind::Struct))
    return 1;
  uint64_t count = 0;
  for (const StructField &field : type->record->fields)
    count += field.type ? scalarCountOf(field.type) : 0;
  return count;
}

uint64_t wordCountOf(const Type *type) {
  if (type->is(TypeKind::Array))
    return type->size * wordCountOf(type->element);
  if (!type->is(TypeKind::Struct))
    return type->isInteger() && type->width > 32 ? 2 : 1;
  uint64_t count = 0;
  for (const StructField &field : type->record->fields)
    count += field.type ? wordCountOf(field.type) : 0;
  return count;
}

ProtocolDecl *Sema::findProtocol(const std::string &name) const {
  return llvm::dyn_cast_or_null<ProtocolDecl>(program.scope.find(name));
}

/// What to write instead of a type of C.
static const char *bakerTypeFor(const std::string &name) {
  static const std::map<std::string, const char *> types = {
      {"char", "u8"},      {"short", "s16"},    {"long", "s64"},
      {"uint8_t", "u8"},   {"uint16_t", "u16"}, {"uint32_t", "u32"},
      {"uint64_t", "u64"}, {"int8_t", "s8"},    {"int16_t", "s16"},
      {"int32_t", "s32"},  {"int64_t", "s64"},  {"size_t", "u32"},
      {"byte", "u8"},      {"word", "u32"},     {"boolean", "bool"},
      {"uint", "unsigned"}};
  auto entry = types.find(name);
  return entry == types.end() ? nullptr : entry->second;
}

/// The type that `decl` declares, null if it declares none.
const Type *Sema::typeOfDecl(Decl *decl) {
  if (llvm::isa_and_nonnull<EnumDecl>(decl))
    return types.intType();
  auto *record = llvm::dyn_cast_or_null<StructDecl>(decl);
  if (!record)
    return nullptr;
  resolveStruct(*record);
  return types.record(record);
}

/// `module.name`
const Type *Sema::memberType(const TypeSyntax &syntax,
                             const std::string &moduleName,
                             const std::string &name, Scope &from) {
  auto *module = llvm::dyn_cast_or_null<ModuleDecl>(lookup(moduleName, from));
  Decl *decl = module ? module->scope.find(name) : nullptr;
  if (const Type *type = typeOfDecl(decl)) {
    checkVisible(*decl, module->scope, syntax.range);
    return type;
  }
  if (isSuspect(moduleName) || isSuspect(name))
    return types.error();
  error(DiagId::UnknownType, syntax.range,
        module ? "the module '" + moduleName + "' has no type '" + name + "'"
               : "there is no module '" + moduleName + "'");
  return types.error();
}

const Type *Sema::namedType(const TypeSyntax &syntax, Scope &from) {
  const std::string &name = syntax.name;
  if (size_t dot = name.find('.'); dot != std::string::npos)
    return memberType(syntax, name.substr(0, dot), name.substr(dot + 1), from);
  Decl *decl = lookup(name, from);
  if (const Type *type = typeOfDecl(decl)) {
    checkVisible(*decl, program.scope, syntax.range);
    return type;
  }
  constexpr std::string_view suffix = "_pkt";
  if (name.size() > suffix.size() &&
      name.compare(name.size() - 4, 4, suffix) == 0) {
    std::string protocol = name.substr(0, name.size() - 4);
    if (const ProtocolDecl *decl = findProtocol(protocol))
      return types.packet(decl);
    if (isSuspect(protocol))
      return types.error();
    auto &diagnostic = error(DiagId::UnknownType, syntax.range,
                             "there is no protocol '" + protocol + "'");
    std::vector<const Decl *> candidates;
    for (auto &other : program.decls.protocols)
      candidates.push_back(other.get());
    suggest(diagnostic, protocol, candidates);
    return types.error();
  }
  if (isSuspect(name))
    return types.error();
  auto &diagnostic = error(DiagId::UnknownType, syntax.range,
                           "there is no type '" + name + "'");
  if (findProtocol(name))
    diagnostic.note("a packet of this protocol has type '" + name + "_pkt *'");
  else if (const char *other = bakerTypeFor(name))
    diagnostic.note(std::string("did you mean '") + other + "'?")
        .fix(syntax.range, other);
  else if (name == "float" || name == "double")
    diagnostic.note("there are no floating-point numbers");
  else {
    std::vector<const Decl *> candidates;
    for (Scope *at = &from; at; at = at->parent)
      for (auto &[other, decl] : at->names)
        if (llvm::isa<StructDecl>(decl))
          candidates.push_back(decl);
    suggest(diagnostic, name, candidates);
  }
  return types.error();
}

const Type *Sema::resolveType(const TypeSyntax &syntax, Scope &from) {
  const std::string &name = syntax.name;
  const Type *type = nullptr;
  if (name.empty())
    return types.error();
  if (name == "void")
    type = types.voidType();
  else if (name == "bool")
    type = types.boolType();
  else if (name == "int")
    type = types.intType();
  else if (name == "unsigned")
    type = types.integer(32, false);
  else if ((name[0] == 'u' || name[0] == 's') && name.size() > 1 &&
           name.find_first_not_of("0123456789", 1) == std::string::npos) {
    unsigned width = name.size() > 4 ? 0 : unsigned(std::stoul(name.substr(1)));
    bool isSigned = name[0] == 's';
    if (width < 1 || width > (isSigned ? 64 : 128) || name[1] == '0') {
      error(DiagId::BadWidth, syntax.range,
            "there is no type '" + name +
                "': an integer has 1 to 64 bits, or 128 without a sign");
      return types.error();
    }
    type = types.integer(width, isSigned);
  } else if (name == "lock" && !lookup(name, from)) {
    type = types.lock();
  } else {
    type = namedType(syntax, from);
  }
  if (!syntax.isStarred || type->isPacket() || type->isError())
    return type;
  if ((type->isScalar() && !type->isWide()) || type->is(TypeKind::Struct))
    return types.pointer(type);
  error(DiagId::NoPointers, syntax.range,
        "there are no pointers to '" + type->str() +
            "'; a pointer leads to a scalar or struct of global data");
  return types.error();
}

/// Numbers over 64 bits live in packets and local variables alone.
void Sema::refuseWide(const Type *&type, SourceRange where, const char *what) {
  const Type *scalar = type;
  while (scalar->is(TypeKind::Array))
    scalar = scalar->element;
  if (!scalar->isWide())
    return;
  error(DiagId::BadTypeHere, where,
        std::string(what) + " has at most 64 bits; '" + scalar->str() +
            "' is for fields of packets and local variables");
  type = types.error();
}

std::optional<uint64_t> Sema::constantOf(Expr &expr, Scope &from,
                                         const char *what) {
  Scope *saved = scope;
  scope = &from;
  const Type *type = check(expr);
  scope = saved;
  if (type->isError())
    return std::nullopt;
  if (!expr.constant) {
    error(DiagId::NotConstant, expr.range,
          std::string(what) + " must be a constant");
    return std::nullopt;
  }
  return expr.constant;
}

const Type *Sema::withDimensions(const Type *element,
                                 const std::vector<ExprPtr> &dimensions,
                                 Scope &from, SourceRange name) {
  if (dimensions.empty() || element->isError())
    return element;
  if (!element->isScalar() && !element->is(TypeKind::Struct) &&
      !element->is(TypeKind::Lock)) {
    error(DiagId::BadTypeHere, name,
          "an array cannot hold '" + element->str() + "'");
    return types.error();
  }
  // The last size is the innermost array's.
  const Type *type = element;
  for (size_t i = dimensions.size(); i-- > 0;) {
    if (!dimensions[i]) {
      error(DiagId::BadArraySize, name, "the size of the array is missing");
      return types.error();
    }
    Expr &expr = *dimensions[i];
    auto size = constantOf(expr, from, "the size of an array");
    if (!size)
      return types.error();
    bool isNegative = expr.type->isSigned && int64_t(*size) < 0;
    if (*size == 0 || isNegative) {
      error(DiagId::BadArraySize, expr.range,
            "an array cannot have " + constantText(*size, expr.type) +
                " elements");
      return types.error();
    }
    if (*size > wordsMax || *size * wordCountOf(type) > wordsMax) {
      error(DiagId::TooBig, expr.range,
            "the array takes more than " + std::to_string(wordsMax) +
                " words (64 MiB), the largest SRAM channel");
      return types.error();
    }
    type = types.array(type, *size);
  }
  return type;
}

} // namespace karakal::lang
