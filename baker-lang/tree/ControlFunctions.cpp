#include "baker-lang/tree/ControlFunctions.h"

#include "baker-lang/tree/AstWalk.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

namespace karakal::lang {

std::optional<uint64_t> intervalOf(const FunctionDecl &decl) {
  if (decl.role == Role::Control)
    for (const Annotation &annotation : decl.annotations)
      if (annotation.name.name == everyName && annotation.argument)
        return annotation.argument->constant;
  return std::nullopt;
}

namespace {

using Outputs = std::set<const EndpointDecl *>;

void collect(const Expr &expr, Outputs &outputs) {
  auto *call = llvm::dyn_cast<CallExpr>(&expr);
  if (call && call->primitive == Primitive::ChannelPut && call->endpoint)
    outputs.insert(call->endpoint);
  forEachOperand(expr, [&](const Expr &operand) { collect(operand, outputs); });
}

void collect(const Stmt &stmt, Outputs &outputs) {
  forEachPart(
      stmt, [&](const Expr &expr) { collect(expr, outputs); },
      [&](const Stmt &part) { collect(part, outputs); });
}

} // namespace

Outputs outputsOfControl(const Program &program) {
  Outputs outputs;
  program.forEachFunction([&](const FunctionDecl &decl) {
    if (decl.role == Role::Control && decl.body)
      collect(*decl.body, outputs);
  });
  return outputs;
}

bool hasInput(const PpfDecl &ppf) {
  return llvm::any_of(ppf.endpoints,
                      [](const auto &endpoint) { return endpoint->isInput; });
}

std::string controlChannelSymbol(const EndpointDecl &output,
                                 size_t destination) {
  KARAKAL_ASSERT(output.ppf, "an output belongs to a PPF");
  return output.channelSymbol(destination) +
         (hasInput(*output.ppf) ? ".control" : "");
}

} // namespace karakal::lang
