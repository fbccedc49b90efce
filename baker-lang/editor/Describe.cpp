#include "baker-lang/editor/Describe.h"

#include "baker-lang/tree/Declarations.h"
#include "baker-lang/tree/TypeLayout.h"

namespace karakal::lang {

namespace {

std::string typeText(const Type *type) {
  return type ? type->str() : "(unknown)";
}

std::string signatureOf(const FunctionDecl &decl) {
  std::string text = typeText(decl.result) + " " + decl.name + "(";
  for (size_t i = 0; i < decl.parameters.size(); ++i) {
    const Parameter &parameter = decl.parameters[i];
    text += (i ? ", " : "") +
            typeText(parameter.decl ? parameter.decl->type : nullptr) + " " +
            parameter.name.name;
  }
  return text + ")";
}

std::string describeGlobal(const GlobalDecl &decl) {
  std::string text =
      "global variable '" + decl.name + "' : " + typeText(decl.type);
  if (!decl.type || decl.type->isError())
    return text;
  uint64_t words = wordCountOf(decl.type);
  text += ", " + std::to_string(words) + (words == 1 ? " word" : " words");
  if (decl.requestedMemory)
    text += " in " + ir::stringifyMemoryRequest(*decl.requestedMemory).str();
  return text;
}

} // namespace

std::string describe(const Decl &decl) {
  std::string named = std::string(noun(decl.kind)) + " '" + decl.name + "'";
  if (auto *constant = llvm::dyn_cast<ConstDecl>(&decl))
    return named + " : " + typeText(constant->type) + " = " +
           (constant->type && constant->type->isScalar()
                ? constantText(constant->bits, constant->type)
                : "?");
  if (auto *global = llvm::dyn_cast<GlobalDecl>(&decl))
    return describeGlobal(*global);
  if (auto *variable = llvm::dyn_cast<VarDecl>(&decl))
    return (variable->isParameter ? "parameter '" : "local variable '") +
           decl.name + "' : " + typeText(variable->type);
  if (auto *function = llvm::dyn_cast<FunctionDecl>(&decl))
    return signatureOf(*function);
  if (auto *field = llvm::dyn_cast<ProtocolFieldDecl>(&decl))
    return "field '" + decl.name + "' : " + typeText(field->type) +
           (field->isArray ? "[" + std::to_string(field->count) + "]" : "") +
           " at bit " + std::to_string(field->offsetBits) +
           (field->protocol ? " of '" + field->protocol->name + "'" : "");
  if (auto *protocol = llvm::dyn_cast<ProtocolDecl>(&decl))
    return named + ", " + (protocol->isConstantSize ? "" : "at least ") +
           std::to_string(protocol->bytesMin) + " bytes";
  if (auto *metadata = llvm::dyn_cast<MetadataDecl>(&decl))
    return named + " : " + typeText(metadata->type);
  if (auto *endpoint = llvm::dyn_cast<EndpointDecl>(&decl))
    return std::string(endpoint->isInput ? "input '" : "output '") + decl.name +
           "' : " + typeText(endpoint->type);
  return named;
}

} // namespace karakal::lang
