// Calls of functions and packet primitives.
//
// Primitives that move a packet's head or give the packet away may stand in
// bodies of PPFs only, because they can end the invocation (a packet too
// short) or need the PPF's channels.

#include "baker-lang/sema/Sema.h"
#include "ir/dialect/Layout.h"

namespace karakal::lang {

Primitive primitiveOf(const std::string &name) {
  static const std::map<std::string, Primitive> primitives = {
      {"packet_decap", Primitive::Decap},
      {"packet_encap", Primitive::Encap},
      {"packet_extend", Primitive::Extend},
      {"packet_shorten", Primitive::Shorten},
      {"packet_add_tail", Primitive::AddTail},
      {"packet_remove_tail", Primitive::RemoveTail},
      {"packet_create", Primitive::Create},
      {"packet_copy", Primitive::Copy},
      {"packet_drop", Primitive::Drop},
      {"packet_length", Primitive::Length},
      {"channel_put", Primitive::ChannelPut},
      {"atomic_add", Primitive::AtomicAdd},
      {"hash48", Primitive::Hash48},
      {"hash64", Primitive::Hash64},
      {"hash128", Primitive::Hash128},
      {"timestamp", Primitive::Timestamp},
      {"random", Primitive::Random},
      {"trace", Primitive::Trace},
      {"drop_count", Primitive::DropCount}};
  auto entry = primitives.find(name);
  return entry == primitives.end() ? Primitive::None : entry->second;
}

const Type *Sema::checkCall(CallExpr &expr, const Type *expected) {
  if (auto *name = llvm::dyn_cast<NameExpr>(expr.callee.get())) {
    Decl *decl = lookup(name->name);
    expr.primitive = primitiveOf(name->name);
    if (!decl && expr.primitive != Primitive::None)
      return checkPrimitive(expr, expected);
    if (!decl) {
      undeclared(name->name, name->range, *scope);
    } else if (auto *callee = llvm::dyn_cast<FunctionDecl>(decl)) {
      checkVisible(*callee, *callee->scope, name->range);
      name->decl = callee;
      expr.function = callee;
      return checkFunctionCall(expr);
    } else {
      error(DiagId::NotCallable, name->range,
            std::string("the ") + noun(decl->kind) + " '" + name->name +
                "' cannot be called")
          .note(decl->range, "declared here");
    }
  } else if (!check(*expr.callee)->isError()) {
    auto *field = llvm::dyn_cast<FieldExpr>(expr.callee.get());
    if (field && field->access == Access::Qualified)
      if (auto *callee = llvm::dyn_cast<FunctionDecl>(field->decl)) {
        expr.function = callee;
        return checkFunctionCall(expr);
      }
    error(DiagId::NotCallable, expr.callee->range, "this cannot be called");
  }
  for (ExprPtr &argument : expr.arguments)
    check(*argument);
  return types.error();
}

bool Sema::checkArgumentCount(CallExpr &expr, size_t least, size_t most,
                              const std::string &name) {
  size_t count = expr.arguments.size();
  if (count >= least && count <= most)
    return true;
  std::string wanted = std::to_string(least);
  if (most != least)
    wanted += " or " + std::to_string(most);
  auto &diagnostic =
      error(DiagId::BadArgumentCount, expr.range,
            "'" + name + "' takes " + wanted +
                (most == 1 ? " argument, not " : " arguments, not ") +
                std::to_string(count));
  if (expr.function)
    diagnostic.note(expr.function->range, "declared here");
  for (ExprPtr &argument : expr.arguments)
    if (argument->kind != ExprKind::Name) // may be an endpoint or a reason
      check(*argument);
  return false;
}

const Type *Sema::checkFunctionCall(CallExpr &expr) {
  FunctionDecl &callee = *expr.function;
  if (callee.role != Role::Function) {
    error(DiagId::NotCallable, expr.callee->range,
          std::string(callee.role == Role::Control ? "the control function '"
                                                   : "the init function '") +
              callee.name + "' is called from outside the program only")
        .note(callee.range, "declared here");
    for (ExprPtr &argument : expr.arguments)
      check(*argument);
    return types.error();
  }
  // In a constant expression there is no function to call from.
  if (!function) {
    error(DiagId::NotConstant, expr.range, "a constant cannot call functions");
    return types.error();
  }
  size_t count = callee.parameters.size();
  if (!checkArgumentCount(expr, count, count, callee.name))
    return callee.result;
  for (size_t i = 0; i < count; ++i) {
    std::string what = "argument " + std::to_string(i + 1);
    checkConvertible(*expr.arguments[i], callee.parameters[i].decl->type,
                     what.c_str());
  }
  function->calls.push_back({&callee, expr.range, section != nullptr});
  return callee.result;
}

//===----------------------------------------------------------------------===//
// Packet primitives
//===----------------------------------------------------------------------===//

bool Sema::checkPacket(Expr &expr) {
  const Type *type = check(expr);
  if (type->isPacket())
    return true;
  if (!type->isError())
    error(DiagId::BadOperand, expr.range,
          "a packet is needed here, this is of type '" + type->str() + "'");
  return false;
}

const Type *Sema::checkPrimitive(CallExpr &expr, const Type *expected) {
  if (isService(expr.primitive))
    return checkService(expr);
  const std::string &name = llvm::cast<NameExpr>(*expr.callee).name;
  bool isAnywhere = expr.primitive == Primitive::Length;
  if (!isAnywhere && (!function || function->role != Role::Ppf)) {
    error(DiagId::OnlyInPpf, expr.range,
          "'" + name + "' can stand in the body of a PPF only");
    return types.error();
  }
  switch (expr.primitive) {
  case Primitive::Length:
    if (!checkArgumentCount(expr, 1, 1, name) ||
        !checkPacket(*expr.arguments[0]))
      return types.error();
    return types.integer(32, false);
  case Primitive::Copy:
    if (!checkArgumentCount(expr, 1, 1, name) ||
        !checkPacket(*expr.arguments[0]))
      return types.error();
    return expr.arguments[0]->type;
  case Primitive::Decap:
  case Primitive::Encap:
  case Primitive::Create:
    return newHeader(expr, expected);
  case Primitive::Extend:
  case Primitive::Shorten:
  case Primitive::AddTail:
  case Primitive::RemoveTail:
    return checkResize(expr);
  case Primitive::Drop:
    return checkDrop(expr);
  default:
    return checkChannelPut(expr);
  }
}

/// Checks a number of bytes, which must be at most `most` if it is constant.
void Sema::checkBytes(Expr &bytes, uint64_t most, const char *what) {
  if (!checkScalar(bytes) || !bytes.constant || *bytes.constant <= most)
    return;
  error(DiagId::TooManyBytes, bytes.range,
        constantText(*bytes.constant, bytes.type) + " bytes are more than " +
            what + " holds: " + std::to_string(most));
}

const Type *Sema::checkResize(CallExpr &expr) {
  const std::string &name = llvm::cast<NameExpr>(*expr.callee).name;
  if (!checkArgumentCount(expr, 2, 2, name))
    return types.error();
  Expr &handle = *expr.arguments[0];
  bool isPacket = checkPacket(handle);
  bool isInFront = expr.primitive == Primitive::Extend;
  checkBytes(*expr.arguments[1],
             isInFront ? ir::bufferHeadroomBytes
                       : ir::bufferBytes - ir::bufferHeadroomBytes,
             isInFront ? "the room in front of a packet" : "a packet");
  if (!isPacket)
    return types.error();
  if (handle.kind != ExprKind::Name) {
    error(DiagId::BadOperand, handle.range,
          "'" + name + "' changes the packet of a handle; this has no name");
    return types.error();
  }
  return types.voidType();
}

const Type *Sema::newHeader(CallExpr &expr, const Type *expected) {
  const std::string &name = llvm::cast<NameExpr>(*expr.callee).name;
  bool isDecap = expr.primitive == Primitive::Decap;
  bool isCreate = expr.primitive == Primitive::Create;
  size_t packets = isCreate ? 0 : 1;
  if (!checkArgumentCount(expr, packets, packets + !isDecap, name))
    return types.error();
  bool isPacket = isCreate || checkPacket(*expr.arguments[0]);
  bool hasSize = expr.arguments.size() > packets;
  if (hasSize)
    checkBytes(*expr.arguments.back(),
               isCreate ? ir::bufferBytes - ir::bufferHeadroomBytes
                        : ir::bufferHeadroomBytes,
               isCreate ? "a packet" : "the room in front of a packet");
  if (!isPacket)
    return types.error();
  if (!expected || !expected->isPacket()) {
    if (!expected || !expected->isError())
      error(DiagId::ProtocolUnclear, expr.range,
            "the protocol of the " +
                std::string(isCreate  ? "new packet"
                            : isDecap ? "inner header"
                                      : "outer header") +
                " is not clear here")
          .note("let the result initialize a handle, for example 'ipv4_pkt * "
                "iph = " +
                name + (isCreate ? "(60)" : "(ph)") +
                ";', or put it on a channel");
    return types.error();
  }
  if (!isDecap && !hasSize && !expected->protocol->isConstantSize) {
    error(DiagId::SizeUnclear, expr.range,
          "headers of '" + expected->protocol->name +
              "' differ in size: give it in bytes")
        .note("for example '" + name + (isCreate ? "(" : "(ph, ") +
              std::to_string(expected->protocol->bytesMin) + ")'");
    return types.error();
  }
  return expected;
}

const Type *Sema::checkDrop(CallExpr &expr) {
  if (!checkArgumentCount(expr, 1, 2, "packet_drop"))
    return types.error();
  checkPacket(*expr.arguments[0]);
  if (expr.arguments.size() == 2)
    expr.reason = checkReason(*expr.arguments[1]);
  return types.voidType();
}

/// The reason that an argument names; null, and a diagnostic, if none.
DropReasonDecl *Sema::checkReason(Expr &reason) {
  auto *name = llvm::dyn_cast<NameExpr>(&reason);
  reason.type = types.voidType();
  if (!name) {
    if (reason.kind != ExprKind::Error)
      error(DiagId::NoSuchReason, reason.range,
            "the name of a drop reason is needed here");
    return nullptr;
  }
  auto entry = program.dropReasons.find(name->name);
  if (entry != program.dropReasons.end()) {
    name->decl = entry->second;
    return entry->second;
  }
  if (isSuspect(name->name))
    return nullptr;
  auto &diagnostic = error(DiagId::NoSuchReason, name->range,
                           "there is no drop reason '" + name->name + "'");
  std::vector<const Decl *> reasons;
  for (auto &[other, decl] : program.dropReasons)
    reasons.push_back(decl);
  size_t notesBefore = diagnostic.notes.size();
  suggest(diagnostic, name->name, reasons);
  if (diagnostic.notes.size() == notesBefore)
    diagnostic.note("declare it in the module: 'drop_reason " + name->name +
                    ";'");
  return nullptr;
}

const Type *Sema::checkChannelPut(CallExpr &expr) {
  if (!checkArgumentCount(expr, 2, 2, "channel_put"))
    return types.error();
  if (section)
    error(DiagId::PutInSection, expr.range,
          "'channel_put' cannot stand in a critical section: who takes the "
          "packet may want the lock")
        .note(section->range, "the section; put the packet behind it");
  Expr &channel = *expr.arguments[0];
  auto *name = llvm::dyn_cast<NameExpr>(&channel);
  channel.type = types.voidType();
  const PpfDecl *ppf = function->ppf;
  EndpointDecl *endpoint = nullptr;
  if (!name && channel.kind != ExprKind::Error)
    error(DiagId::NotAnOutput, channel.range,
          "the first argument is the name of an output");
  if (name && ppf) {
    endpoint =
        llvm::dyn_cast_or_null<EndpointDecl>(ppf->scope.find(name->name));
    if (endpoint && endpoint->isInput) {
      error(DiagId::NotAnOutput, name->range,
            "'" + name->name + "' is an input of '" + ppf->name + "'")
          .note(endpoint->range, "declared here");
      endpoint = nullptr;
    } else if (!endpoint && !isSuspect(name->name)) {
      auto &diagnostic = error(DiagId::NotAnOutput, name->range,
                               "the PPF '" + ppf->name + "' has no output '" +
                                   name->name + "'");
      std::vector<const Decl *> outputs;
      for (auto &other : ppf->endpoints)
        if (!other->isInput)
          outputs.push_back(other.get());
      suggest(diagnostic, name->name, outputs);
    }
  }
  Expr &packet = *expr.arguments[1];
  if (!endpoint) {
    check(packet, types.error());
    return types.voidType();
  }
  name->decl = endpoint;
  expr.endpoint = endpoint;
  const Type *type = check(packet, endpoint->type);
  if (!type->isError() && !endpoint->type->isError() && type != endpoint->type)
    error(DiagId::CannotConvert, packet.range,
          "the output '" + endpoint->name + "' carries '" +
              endpoint->type->str() + "', this is '" + type->str() + "'")
        .note(endpoint->range, "declared here");
  return types.voidType();
}

//===----------------------------------------------------------------------===//
// Services of the chip
//===----------------------------------------------------------------------===//

const Type *Sema::checkService(CallExpr &expr) {
  const std::string &name = llvm::cast<NameExpr>(*expr.callee).name;
  if (!function) {
    error(DiagId::NotConstant, expr.range, "a constant cannot call functions");
    return types.error();
  }
  switch (expr.primitive) {
  case Primitive::AtomicAdd:
    return checkAtomicAdd(expr);
  case Primitive::Trace:
    return checkTrace(expr);
  case Primitive::DropCount:
    return checkDropCount(expr);
  case Primitive::Timestamp:
  case Primitive::Random:
    if (!checkArgumentCount(expr, 0, 0, name))
      return types.error();
    return types.integer(32, false);
  default: {
    if (!checkArgumentCount(expr, 1, 1, name))
      return types.error();
    unsigned bits = expr.primitive == Primitive::Hash48   ? 48
                    : expr.primitive == Primitive::Hash64 ? 64
                                                          : 128;
    const Type *key = types.integer(bits, false);
    checkConvertible(*expr.arguments[0], key, "the key");
    return key;
  }
  }
}

const Type *Sema::checkDropCount(CallExpr &expr) {
  if (!checkArgumentCount(expr, 1, 1, "drop_count"))
    return types.error();
  if (function->role != Role::Control)
    error(DiagId::OnlyInControl, expr.range,
          "'drop_count' can stand in the body of a control function only");
  expr.reason = checkReason(*expr.arguments[0]);
  return expr.reason ? types.integer(32, false) : types.error();
}

const GlobalDecl *globalOf(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    return llvm::dyn_cast_or_null<GlobalDecl>(name->decl);
  if (auto *index = llvm::dyn_cast<IndexExpr>(&expr))
    return globalOf(*index->base);
  auto *field = llvm::dyn_cast<FieldExpr>(&expr);
  if (!field)
    return nullptr;
  if (field->access == Access::Qualified)
    return llvm::dyn_cast_or_null<GlobalDecl>(field->decl);
  return field->access == Access::StructField ? globalOf(*field->base)
                                              : nullptr;
}

const Type *Sema::checkAtomicAdd(CallExpr &expr) {
  if (!checkArgumentCount(expr, 2, 2, "atomic_add"))
    return types.error();
  Expr &counter = *expr.arguments[0];
  bool isScalar = checkScalar(counter);
  checkConvertible(*expr.arguments[1], types.integer(32, false), "the number");
  if (!isScalar)
    return types.error();
  const GlobalDecl *global = globalOf(counter);
  if (global && global->isConst)
    return checkAssignable(counter), types.error();
  if ((global || isBehindPointer(counter)) && counter.type->isInteger() &&
      counter.type->width == 32)
    return types.voidType();
  error(DiagId::NotACounter, counter.range,
        "'atomic_add' adds to a global variable of 32 bits");
  return types.error();
}

const Type *Sema::checkTrace(CallExpr &expr) {
  auto *text = expr.arguments.empty()
                   ? nullptr
                   : llvm::dyn_cast<StringExpr>(expr.arguments[0].get());
  for (size_t i = text ? 1 : 0; i < expr.arguments.size(); ++i)
    if (checkScalar(*expr.arguments[i]))
      refuseWide(expr.arguments[i]->type, expr.arguments[i]->range,
                 "a value to trace");
  if (!text) {
    error(DiagId::BadTrace, expr.range,
          "'trace' takes a text in quotes, then the values for its '{}'");
    return types.error();
  }
  text->type = types.voidType();
  size_t places = 0;
  for (size_t at = text->text.find("{}"); at != std::string::npos;
       at = text->text.find("{}", at + 2))
    ++places;
  if (places == expr.arguments.size() - 1)
    return types.voidType();
  error(DiagId::BadTrace, text->range,
        "the text has " + std::to_string(places) + " '{}' for " +
            std::to_string(expr.arguments.size() - 1) + " values");
  return types.error();
}

} // namespace karakal::lang
