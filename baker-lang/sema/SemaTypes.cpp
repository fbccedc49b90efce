// Types as written in a program.
//
// A type is one of `u1`…`u128`, `s1`…`s64`, `bool`, `int`, `unsigned` and
// `lock`, the name of a struct or enum, or, for a handle of a packet of
// protocol P, `P_pkt` or `P_pkt *`, and for a queue of them `P_queue`.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/TypeLayout.h"
#include "support/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SaveAndRestore.h"

namespace karakal::lang {

/// Words that a program on x86 can reach. What a chip holds is less, and is
/// checked when its memories are assigned.
static constexpr uint64_t wordsMax = 1 << 29;

ProtocolDecl *Sema::findProtocol(const std::string &name) const {
  return llvm::dyn_cast_or_null<ProtocolDecl>(program.scope.find(name));
}

/// The Baker type for a type of C, or null.
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

const Type *Sema::declaredType(Decl *decl) {
  if (llvm::isa_and_nonnull<EnumDecl>(decl))
    return types.intType();
  if (auto *table = llvm::dyn_cast_or_null<TableDecl>(decl))
    return types.structType(table->record.get(), table->name);
  auto *structDecl = llvm::dyn_cast_or_null<StructDecl>(decl);
  if (!structDecl)
    return nullptr;
  resolveStruct(*structDecl);
  return types.structType(structDecl, structDecl->name);
}

const Type *Sema::memberType(const TypeSyntax &syntax,
                             const std::string &moduleName,
                             const std::string &name, Scope &from) {
  auto *module = llvm::dyn_cast_or_null<ModuleDecl>(lookup(moduleName, from));
  Decl *decl = module ? module->scope.find(name) : nullptr;
  if (const Type *type = declaredType(decl)) {
    checkVisible(*decl, module->scope, syntax.range);
    return type;
  }
  if (isUnparsed(moduleName) ||
      isExplained(module ? name : moduleName, syntax.range))
    return types.error();
  error(DiagId::UnknownType, syntax.range,
        module ? "the module '" + moduleName + "' has no type '" + name + "'"
               : "there is no module '" + moduleName + "'");
  return types.error();
}

/// `retrun x;` declares a variable x of type `retrun`.
static void suggestKeyword(Diagnostic &diagnostic, const std::string &name) {
  std::string word = nearestName(name, {"return", "const"});
  if (!word.empty())
    diagnostic.note("did you mean '" + word + "'?").fix(diagnostic.range, word);
}

const Type *Sema::namedType(const TypeSyntax &syntax, Scope &from) {
  const std::string &name = syntax.name;
  if (size_t dot = name.find('.'); dot != std::string::npos)
    return memberType(syntax, name.substr(0, dot), name.substr(dot + 1), from);
  Decl *decl = lookup(name, from);
  if (const Type *type = declaredType(decl)) {
    checkVisible(*decl, program.scope, syntax.range);
    return type;
  }
  llvm::StringRef protocolName = name;
  if (protocolName.consume_back("_pkt") && !protocolName.empty())
    return packetType(syntax, protocolName.str());
  if (protocolName.consume_back("_queue"))
    if (const ProtocolDecl *protocol = findProtocol(protocolName.str()))
      return types.queue(types.packet(protocol, protocol->name), 0);
  if (isExplained(name, syntax.range))
    return types.error();
  auto &diagnostic = error(DiagId::UnknownType, syntax.range,
                           "there is no type '" + name + "'");
  if (findProtocol(name)) {
    diagnostic.note("a packet of this protocol has type '" + name + "_pkt *'");
  } else if (const char *other = bakerTypeFor(name)) {
    diagnostic.note(std::string("did you mean '") + other + "'?")
        .fix(syntax.range, other);
  } else if (name == "goto") {
    diagnostic.note("Baker has no 'goto'; use loops, 'break', 'continue' and "
                    "'return'");
  } else if (name == "float" || name == "double") {
    diagnostic.note("Baker has no floating-point numbers");
  } else {
    std::vector<const Decl *> structs;
    for (Scope *at = &from; at; at = at->parent)
      for (auto &[other, decl] : at->names)
        if (llvm::isa<StructDecl>(decl))
          structs.push_back(decl);
    if (!suggest(diagnostic, name, structs))
      suggestKeyword(diagnostic, name);
  }
  return types.error();
}

const Type *Sema::packetType(const TypeSyntax &syntax,
                             const std::string &protocolName) {
  if (const ProtocolDecl *protocol = findProtocol(protocolName))
    return types.packet(protocol, protocol->name);
  if (isExplained(protocolName, syntax.range))
    return types.error();
  auto &diagnostic = error(DiagId::UnknownType, syntax.range,
                           "there is no protocol '" + protocolName + "'");
  suggest(diagnostic, protocolName, candidatesIn(program.decls.protocols));
  return types.error();
}

/// True for `u8`, `s32` and so on, whatever the number.
static bool isSizedTypeName(llvm::StringRef name) {
  return name.size() > 1 && (name[0] == 'u' || name[0] == 's') &&
         name.find_first_not_of("0123456789", 1) == llvm::StringRef::npos;
}

const Type *Sema::sizedType(const TypeSyntax &syntax) {
  const std::string &name = syntax.name;
  bool isSigned = name[0] == 's';
  unsigned widthMax = isSigned ? 64 : 128;
  unsigned width = name.size() > 4 ? 0 : unsigned(std::stoul(name.substr(1)));
  bool hasLeadingZero = name[1] == '0';
  if (width >= 1 && width <= widthMax && !hasLeadingZero)
    return types.integer(width, isSigned);
  error(DiagId::BadWidth, syntax.range,
        "there is no type '" + name +
            "': a signed integer has 1 to 64 bits, an unsigned one 1 to 128");
  return types.error();
}

const Type *Sema::resolveUnstarredType(const TypeSyntax &syntax, Scope &from) {
  const std::string &name = syntax.name;
  if (name == "void")
    return types.voidType();
  if (name == "bool")
    return types.boolType();
  if (name == "int")
    return types.intType();
  if (name == "unsigned")
    return types.integer(32, false);
  if (isSizedTypeName(name))
    return sizedType(syntax);
  if (name == "lock" && !lookup(name, from))
    return types.lock();
  return namedType(syntax, from);
}

const Type *Sema::resolveType(const TypeSyntax &syntax, Scope &from) {
  if (syntax.name.empty())
    return types.error();
  const Type *type = resolveUnstarredType(syntax, from);
  if (!syntax.isStarred && type->is(TypeKind::Struct) &&
      type->structDecl->table) {
    error(DiagId::EntryNeedsPointer, syntax.range,
          "an entry of the table '" + type->str() +
              "' is used through a pointer: write '" + type->str() + " *'");
    return types.error();
  }
  // The star of a packet handle is part of its notation.
  if (!syntax.isStarred || type->isPacket() || type->isError())
    return type;
  if (type->isScalar() || type->is(TypeKind::Struct))
    return types.pointer(type);
  error(DiagId::UnsupportedPointer, syntax.range,
        "there are no pointers to '" + type->str() +
            "'; a pointer points to a scalar or struct in global data");
  return types.error();
}

void Sema::rejectWide(const Type *&type, SourceRange where, const char *what) {
  const Type *scalar = type;
  while (scalar->is(TypeKind::Array))
    scalar = scalar->element;
  if (!scalar->isWide())
    return;
  error(DiagId::BadTypeHere, where,
        std::string(what) + " has at most 64 bits; '" + scalar->str() +
            "' is for variables, parameters and fields of packets");
  type = types.error();
}

std::optional<uint64_t> Sema::constantOf(Expr &expr, Scope &from,
                                         const char *what) {
  llvm::SaveAndRestore inScope(scope, &from);
  if (check(expr)->isError())
    return std::nullopt;
  if (!expr.constant)
    error(DiagId::NotConstant, expr.range,
          std::string(what) + " must be a constant");
  return expr.constant;
}

const Type *Sema::withDimensions(const Type *element,
                                 const std::vector<ExprPtr> &dimensions,
                                 Scope &from, SourceRange name) {
  if (dimensions.empty() || element->isError())
    return element;
  if (!element->isScalar() && !element->is(TypeKind::Struct) &&
      !element->is(TypeKind::Lock) && !element->is(TypeKind::Queue)) {
    error(DiagId::BadTypeHere, name,
          "an array cannot hold '" + element->str() + "'");
    return types.error();
  }
  // The last size is that of the innermost array.
  const Type *type = element;
  for (const ExprPtr &dimension : llvm::reverse(dimensions)) {
    if (!dimension) {
      error(DiagId::BadArraySize, name, "the size of the array is missing");
      return types.error();
    }
    auto size = arraySize(*dimension, type, from);
    if (!size)
      return types.error();
    // The last size of a queue is that of the queue itself.
    bool isUnsized = type->is(TypeKind::Queue) && type->elementCount == 0;
    type = isUnsized ? types.queue(types.packet(type->protocol, type->declName),
                                   *size)
                     : types.array(type, *size);
  }
  return type;
}

std::optional<uint64_t> Sema::arraySize(Expr &expr, const Type *element,
                                        Scope &from) {
  auto size = constantOf(expr, from, "the size of an array");
  if (!size)
    return std::nullopt;
  bool isNegative = expr.type->isSigned && int64_t(*size) < 0;
  if (*size == 0 || isNegative) {
    error(DiagId::BadArraySize, expr.range,
          "an array cannot have " + constantText(*size, expr.type) +
              " elements");
    return std::nullopt;
  }
  if (*size > wordsMax || *size * wordCountOf(element) > wordsMax) {
    error(DiagId::TooBig, expr.range,
          "the array takes more than " + std::to_string(wordsMax) +
              " words (2 GiB)");
    return std::nullopt;
  }
  return size;
}

} // namespace karakal::lang
