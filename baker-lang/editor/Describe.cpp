#include "baker-lang/editor/Describe.h"

#include "baker-lang/editor/WordHelp.h"
#include "baker-lang/tree/TableDecl.h"
#include "baker-lang/tree/TypeLayout.h"
#include "baker-lang/tree/WideConstant.h"
#include "support/Error.h"

#include "llvm/ADT/StringExtras.h"

namespace karakal::lang {

namespace {

std::string typeText(const Type *type) {
  return type ? type->str() : "(unknown)";
}

Signature signatureOf(const FunctionDecl &decl) {
  Signature signature;
  for (const Parameter &parameter : decl.parameters)
    signature.parameters.push_back(
        typeText(parameter.decl ? parameter.decl->type : nullptr) + " " +
        (parameter.decl ? parameter.decl->name : parameter.name.name));
  signature.label = typeText(decl.result) + " " + decl.name + "(" +
                    llvm::join(signature.parameters, ", ") + ")";
  return signature;
}

/// `void packet_drop(packet * ph, drop_reason reason)`
Signature signatureOf(const WordHelp &help) {
  std::string form = help.form;
  size_t open = form.find('(');
  KARAKAL_ASSERT(open != std::string::npos && form.back() == ')',
                 "the form of a primitive is no signature");
  Signature signature{form, {}, help.meaning};
  std::string list = form.substr(open + 1, form.size() - open - 2);
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(list).split(parts, ", ", -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    signature.parameters.push_back(part.str());
  return signature;
}

std::string describeGlobal(const GlobalDecl &decl) {
  std::string text =
      "global variable '" + decl.name + "' : " + typeText(decl.type);
  if (!decl.type || decl.type->isError())
    return text;
  text += ", " + sizeText(decl.type);
  if (decl.requestedMemory)
    text += " in " + ir::stringifyMemoryRequest(*decl.requestedMemory).str();
  return text;
}

/// The value of a resolved constant.
std::string valueText(const ConstDecl &constant) {
  if (!constant.type->isWide())
    return constantText(constant.bits, constant.type);
  auto value = wideConstantOf(constant);
  return value ? "0x" + llvm::toString(*value, 16, /*Signed=*/false) : "?";
}
} // namespace

std::string sizeText(const Type *type) {
  uint64_t words = wordCountOf(type);
  return std::to_string(words) + (words == 1 ? " word" : " words");
}

std::string describe(const Decl &decl) {
  std::string named = std::string(noun(decl.kind)) + " '" + decl.name + "'";
  if (auto *constant = llvm::dyn_cast<ConstDecl>(&decl))
    return named + " : " + typeText(constant->type) + " = " +
           (constant->type && constant->type->isScalar() ? valueText(*constant)
                                                         : "?");
  if (auto *global = llvm::dyn_cast<GlobalDecl>(&decl))
    return describeGlobal(*global);
  if (auto *variable = llvm::dyn_cast<VarDecl>(&decl))
    return (variable->isParameter ? "parameter '" : "local variable '") +
           decl.name + "' : " + typeText(variable->type);
  if (auto *function = llvm::dyn_cast<FunctionDecl>(&decl))
    return signatureOf(*function).label;
  if (auto *field = llvm::dyn_cast<ProtocolFieldDecl>(&decl))
    return "field '" + decl.name + "' : " + typeText(field->type) +
           (field->isArray ? "[" + std::to_string(field->count) + "]" : "") +
           " at bit " + std::to_string(field->offsetBits) +
           (field->protocol ? " of '" + field->protocol->name + "'" : "");
  if (auto *protocol = llvm::dyn_cast<ProtocolDecl>(&decl))
    return named + ", " + (protocol->isConstantSize ? "" : "at least ") +
           std::to_string(protocol->bytesMin) + " bytes";
  if (auto *table = llvm::dyn_cast<TableDecl>(&decl))
    return named + ", " + std::to_string(table->sizeCount) +
           " entries, at most " + std::to_string(table->limitCount);
  if (auto *metadata = llvm::dyn_cast<MetadataDecl>(&decl))
    return named + " : " + typeText(metadata->type);
  if (auto *endpoint = llvm::dyn_cast<EndpointDecl>(&decl))
    return std::string(endpoint->isInput ? "input '" : "output '") + decl.name +
           "' : " + typeText(endpoint->type);
  return named;
}

std::string describe(const Symbol &symbol) {
  if (!symbol.field)
    return describe(*symbol.decl);
  return "field '" + symbol.field->name.name +
         "' : " + typeText(symbol.field->type) + " of '" + symbol.decl->name +
         "'";
}

Signature signatureOf(const Program &program, const ModuleDecl *module,
                      const std::string &name) {
  if (primitiveNamed(name) != Primitive::None)
    return signatureOf(*helpFor(name));
  size_t dot = name.find('.');
  auto lookUp = [&](const std::string &word) -> const Decl * {
    const Decl *own = module ? module->scope.find(word) : nullptr;
    return own ? own : program.scope.find(word);
  };
  const Decl *decl = lookUp(name.substr(0, dot));
  auto *other = llvm::dyn_cast_or_null<ModuleDecl>(decl);
  if (dot != std::string::npos)
    decl = other ? other->scope.find(name.substr(dot + 1)) : nullptr;
  auto *function = llvm::dyn_cast_or_null<FunctionDecl>(decl);
  return function ? signatureOf(*function) : Signature();
}

} // namespace karakal::lang
