// Annotations.
//
//   @place(scratch) u32 seen[16];     the memory of a global variable
//   @tolerate(1e-4) u32 limits[16];   1 of 10,000 packets may see a stale value
//   @inline u32 half(u32 x) { … }     the function is inlined at its calls
//   @exclusive control int f() { … }  no packet is on its way while it runs
//   @every(10ms) control void f() { … }  the function is called by itself
//   @cold ppf errors { … }            the PPF handles rare packets
//   @bound(8) while (…) …             the loop makes at most 8 iterations

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/ControlFunctions.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Runtime.h"

#include <cmath>

namespace karakal::lang {

/// Returns N of "one packet in N may see a stale value". For a rate such as
/// `1e-4`, N is rounded up, so that the rate is not exceeded. 0 after an error.
uint64_t Sema::resolveTolerance(Expr *argument, Scope &from,
                                SourceRange where) {
  if (auto *rate = llvm::dyn_cast_or_null<RateExpr>(argument)) {
    constexpr double rateMin = 1e-15; // 1 / rateMin fits 64 bits
    if (rate->value >= rateMin && rate->value <= 1)
      // The factor absorbs the rounding error of the decimal literal.
      return uint64_t(std::ceil(1 / rate->value * (1 - 1e-12)));
    error(DiagId::BadAnnotation, where,
          "the rate of '@tolerate' must be between 1e-15 and 1");
    return 0;
  }
  std::optional<uint64_t> packets;
  if (argument)
    packets = constantOf(*argument, from, "the argument of '@tolerate'");
  if (!argument || (packets && *packets == 0))
    error(DiagId::BadAnnotation, where,
          "'@tolerate' takes a rate such as 1e-4, or a number N above 0: one "
          "packet in N may see a stale value");
  return packets.value_or(0);
}

void Sema::resolveAnnotations(GlobalDecl &decl) {
  if (!decl.annotations)
    return;
  for (Annotation &annotation : *decl.annotations) {
    const Identifier &name = annotation.name;
    SourceRange where =
        annotation.argument ? annotation.argument->range : name.range;
    if (name.name == "place") {
      auto *memory =
          llvm::dyn_cast_or_null<NameExpr>(annotation.argument.get());
      if (memory)
        decl.requestedMemory = ir::symbolizeMemoryRequest(memory->name);
      if (!decl.requestedMemory)
        error(DiagId::BadAnnotation, where,
              "'@place' takes the name of a memory: scratch, sram, sram0 to "
              "sram3 or dram");
    } else if (name.name == "tolerate") {
      decl.toleratedOneIn =
          resolveTolerance(annotation.argument.get(), *decl.scope, where);
    } else if (!name.name.empty()) {
      error(DiagId::UnknownAnnotation, name.range,
            "there is no annotation '@" + name.name +
                "'; a variable can have '@place' and '@tolerate'");
    }
  }
}

void Sema::resolveBound(LoopBound &bound) {
  std::optional<uint64_t> iterations;
  if (bound.argument)
    iterations =
        constantOf(*bound.argument, *scope, "the argument of '@bound'");
  if (!bound.argument ||
      (iterations && (*iterations == 0 || *iterations > INT32_MAX)))
    error(DiagId::BadAnnotation,
          bound.argument ? bound.argument->range : bound.name.range,
          "'@bound' takes the greatest number of iterations of the loop, a "
          "constant from 1 to 2147483647");
  else
    bound.iterationsMax = uint32_t(iterations.value_or(0));
}

/// What is wrong with the time of `@every`; empty: nothing.
static std::string faultOfInterval(std::optional<uint64_t> microseconds) {
  constexpr uint64_t perSecond = 1000000;
  if (microseconds && *microseconds != 0 && *microseconds <= ir::intervalMax)
    return "";
  return "'@every' takes the time between two calls, such as 10ms or 250us, or "
         "a constant number of microseconds, from 1us to " +
         std::to_string(ir::intervalMax / perSecond) + "s";
}

void Sema::resolveAnnotations(FunctionDecl &decl) {
  const Annotation *every = nullptr;
  for (Annotation &annotation : decl.annotations) {
    const Identifier &name = annotation.name;
    if (name.name == everyName && decl.role == Role::Control) {
      if (every)
        error(DiagId::BadAnnotation, name.range, "a timer has one '@every'");
      every = &annotation;
      auto time = annotation.argument
                      ? constantOf(*annotation.argument, *decl.scope,
                                   "the argument of '@every'")
                      : std::nullopt;
      std::string fault = faultOfInterval(time);
      if ((time || !annotation.argument) && !fault.empty())
        error(DiagId::BadAnnotation,
              annotation.argument ? annotation.argument->range : name.range,
              fault);
      continue;
    }
    bool isInline = name.name == "inline" && decl.role == Role::Function;
    bool isExclusive = name.name == "exclusive" && decl.role == Role::Control;
    decl.isInline |= isInline;
    decl.isExclusive |= isExclusive;
    if ((isInline || isExclusive) && annotation.argument)
      error(DiagId::BadAnnotation, annotation.argument->range,
            "'@" + name.name + "' takes no argument");
    else if (!isInline && !isExclusive && !name.name.empty())
      error(DiagId::UnknownAnnotation, name.range,
            "there is no annotation '@" + name.name +
                "' here; a function that is called can have '@inline', a "
                "control function '@exclusive' and '@every'");
  }
}

void Sema::resolveAnnotations(PpfDecl &decl) {
  for (const Annotation &annotation : decl.annotations) {
    const Identifier &name = annotation.name;
    if (name.name == "cold" && annotation.argument)
      error(DiagId::BadAnnotation, annotation.argument->range,
            "'@cold' takes no argument");
    else if (name.name == "cold")
      decl.isCold = true;
    else if (!name.name.empty())
      error(DiagId::UnknownAnnotation, name.range,
            "there is no annotation '@" + name.name +
                "'; a PPF can have '@cold' only");
  }
}

} // namespace karakal::lang
