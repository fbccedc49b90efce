// What `@name` asks for.
//
//   @place(scratch) u32 seen[16];     where a global variable lies
//   @tolerate(1e-4) u32 limits[16];   of 10,000 packets one may see an old
//   value
//   @inline u32 half(u32 x) { … }     the body stands where it is called
//   @bound(8) while (…) …             the loop makes 8 rounds at most

#include "baker-lang/sema/Sema.h"

#include "ir/dialect/Attributes.h"

#include <cmath>

namespace karakal::lang {

/// N of "one stale packet in N is tolerated": of a share such as `1e-4` the
/// next whole number, so that no more are than was said. 0 after an error.
uint64_t Sema::toleratedOneIn(Expr *argument, Scope &from, SourceRange where) {
  if (auto *rate = llvm::dyn_cast_or_null<RateExpr>(argument)) {
    constexpr double least = 1e-15; // its inverse is a whole number of 64 bits
    if (rate->value >= least && rate->value <= 1)
      // The decimal may lie a hair beside the share that was meant.
      return uint64_t(std::ceil(1 / rate->value * (1 - 1e-12)));
    error(DiagId::BadAnnotation, where,
          "the share of stale packets in '@tolerate' lies between 1e-15 and 1");
    return 0;
  }
  std::optional<uint64_t> packets;
  if (argument)
    packets = constantOf(*argument, from, "the argument of '@tolerate'");
  if (!argument || (packets && *packets == 0))
    error(DiagId::BadAnnotation, where,
          "'@tolerate' takes a share such as 1e-4, or a number N above 0: one "
          "stale packet in N is tolerated");
  return packets.value_or(0);
}

/// `@place(MEMORY)` and `@tolerate(SHARE)` of a global variable.
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
      if (memory && llvm::is_contained(ir::placeNames, memory->name))
        decl.placeIn = memory->name;
      else
        error(DiagId::BadAnnotation, where,
              "'@place' takes the name of a memory: scratch, sram, sram0, "
              "sram1 or dram");
    } else if (name.name == "tolerate") {
      decl.toleratedOneIn =
          toleratedOneIn(annotation.argument.get(), *decl.scope, where);
    } else if (!name.name.empty()) {
      error(DiagId::UnknownAnnotation, name.range,
            "there is no annotation '@" + name.name +
                "'; a variable can bear '@place' and '@tolerate'");
    }
  }
}

/// `@bound(N)` of a loop.
void Sema::resolveBound(LoopBound &bound) {
  std::optional<uint64_t> rounds;
  if (bound.argument)
    rounds = constantOf(*bound.argument, *scope, "the argument of '@bound'");
  if (!bound.argument || (rounds && (*rounds == 0 || *rounds > INT32_MAX)))
    error(DiagId::BadAnnotation,
          bound.argument ? bound.argument->range : bound.name.range,
          "'@bound' takes the most rounds that the loop makes: a constant from "
          "1 to 2147483647");
  else
    bound.rounds = uint32_t(rounds.value_or(0));
}

/// `@inline` of a function.
void Sema::resolveAnnotations(FunctionDecl &decl) {
  for (Annotation &annotation : decl.annotations) {
    const Identifier &name = annotation.name;
    if (name.name == "inline" && decl.role == Role::Function) {
      decl.isInline = true;
      if (annotation.argument)
        error(DiagId::BadAnnotation, annotation.argument->range,
              "'@inline' takes no argument");
    } else if (!name.name.empty()) {
      error(DiagId::UnknownAnnotation, name.range,
            "there is no annotation '@" + name.name +
                "' here; a function that is called can bear '@inline'");
    }
  }
}

} // namespace karakal::lang
