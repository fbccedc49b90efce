// Signatures of functions.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/ControlFunctions.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

namespace karakal::lang {

void Sema::resolveSignature(FunctionDecl &decl) {
  KARAKAL_ASSERT(decl.scope, "a function that was not declared");
  decl.result = resolveType(decl.resultSyntax, *decl.scope);
  for (Parameter &parameter : decl.parameters) {
    auto variable = std::make_unique<VarDecl>(parameter.name);
    variable->type = resolveParameterType(parameter, decl);
    variable->isParameter = true;
    variable->isBorrowed = decl.role != Role::Ppf;
    parameter.decl = variable.get();
    decl.variables.push_back(std::move(variable));
  }
}

const Type *Sema::resolveParameterType(const Parameter &parameter,
                                       const FunctionDecl &decl) {
  const Type *type = resolveType(parameter.typeSyntax, *decl.scope);
  if (parameter.name.name.empty() && !type->is(TypeKind::Void))
    error(DiagId::NameNeeded, parameter.name.range,
          "the parameter needs a name");
  bool isAllowed = type->isScalar() || type->isPacket() || type->isPointer() ||
                   type->isError();
  if (isAllowed && !parameter.hasDimensions)
    return type;
  auto &diagnostic = error(DiagId::BadTypeHere, parameter.typeSyntax.range,
                           "a parameter is a scalar, a packet handle or a "
                           "pointer");
  if (type->is(TypeKind::Void) && decl.parameters.size() == 1)
    diagnostic.note("a function without parameters is written '()'");
  return types.error();
}

void Sema::checkSignature(const FunctionDecl &decl) {
  const Type *result = decl.result;
  if (!result->isScalar() && !result->is(TypeKind::Void) && !result->isError())
    error(DiagId::BadSignature, decl.resultSyntax.range,
          "a function cannot return '" + result->str() +
              "', only a scalar or nothing");
  // Lowering copies the function for each combination of pointer arguments.
  constexpr int pointersMax = 4;
  auto isPointer = [](const Parameter &parameter) {
    return parameter.decl->type->isPointer();
  };
  if (llvm::count_if(decl.parameters, isPointer) > pointersMax)
    error(DiagId::BadSignature, decl.range,
          "'" + decl.name + "' takes more than " + std::to_string(pointersMax) +
              " pointers");
  if (decl.role == Role::Init &&
      (!decl.parameters.empty() || !result->is(TypeKind::Void)))
    error(DiagId::BadSignature, decl.range,
          "an init function takes and returns nothing: it is called without "
          "arguments before packets flow");
  if (decl.role == Role::Control)
    checkControlSignature(decl);
}

void Sema::checkControlSignature(const FunctionDecl &decl) {
  if (decl.result->isScalar() && decl.result->width > 32)
    error(DiagId::BadSignature, decl.range,
          "a control function returns at most 32 bits");
  for (const Parameter &parameter : decl.parameters)
    if (parameter.decl->type->isPacket() || parameter.decl->type->isPointer())
      error(DiagId::BadSignature, parameter.typeSyntax.range,
            "a control function is called from a control file and cannot "
            "take packets or pointers");
  if (!intervalOf(decl))
    return;
  if (!decl.parameters.empty())
    error(DiagId::BadSignature, decl.parameters.front().typeSyntax.range,
          "a timer takes nothing, because nobody gives it arguments: another "
          "control function can set global variables that it reads");
  if (!decl.result->is(TypeKind::Void) && !decl.result->isError())
    error(DiagId::BadSignature, decl.resultSyntax.range,
          "a timer returns nothing, because nobody takes the result: write "
          "'void', and set a global variable that another control function "
          "returns");
}

} // namespace karakal::lang
