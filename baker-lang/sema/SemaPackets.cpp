// Packet primitives.
//
// Most of them are allowed in bodies of PPFs only: they can end the invocation,
// because a packet is too short or its buffer has no space, or they need the
// PPF's channels.

#include "baker-lang/sema/Sema.h"

#include "ir/dialect/Layout.h"
#include "support/Error.h"

namespace karakal::lang {

static const std::string &calleeName(const CallExpr &expr) {
  return llvm::cast<NameExpr>(*expr.callee).name;
}

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
  const std::string &name = calleeName(expr);
  bool isAnywhere = expr.primitive == Primitive::Length ||
                    expr.primitive == Primitive::QueueLength ||
                    expr.primitive == Primitive::QueueNextBytes;
  if (!isAnywhere && (!function || (function->role != Role::Ppf &&
                                    function->role != Role::Control))) {
    error(DiagId::OnlyInPpf, expr.range,
          "'" + name +
              "' is allowed in the body of a PPF or control function only");
    return types.error();
  }
  if (isOfQueue(expr.primitive))
    return checkQueueCall(expr);
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
    return checkNewHeader(expr, expected);
  case Primitive::Extend:
  case Primitive::Shorten:
  case Primitive::AddTail:
  case Primitive::RemoveTail:
    return checkResize(expr);
  case Primitive::Insert:
  case Primitive::Remove:
    return checkMove(expr);
  case Primitive::CopyHeader:
    return checkCopyHeader(expr);
  case Primitive::Drop:
    return checkDrop(expr);
  case Primitive::ChannelPut:
    return checkChannelPut(expr);
  default:
    KARAKAL_UNREACHABLE("packet primitive");
  }
}

void Sema::checkBytes(Expr &bytes, uint64_t most, const char *what) {
  if (!checkScalar(bytes) || !bytes.constant || *bytes.constant <= most)
    return;
  error(DiagId::TooManyBytes, bytes.range,
        constantText(*bytes.constant, bytes.type) + " bytes are more than " +
            what + " can hold: " + std::to_string(most));
}

const Type *Sema::checkResize(CallExpr &expr) {
  const std::string &name = calleeName(expr);
  if (!checkArgumentCount(expr, 2, 2, name))
    return types.error();
  bool isPacket = checkNamedHandle(*expr.arguments[0], name);
  bool isAtHead = expr.primitive == Primitive::Extend;
  checkBytes(*expr.arguments[1],
             isAtHead ? ir::bufferHeadroomBytes
                      : ir::bufferBytes - ir::bufferHeadroomBytes,
             isAtHead ? "the space before a packet" : "a packet");
  return isPacket ? types.voidType() : types.error();
}

/// Checks a handle that the primitive `name` reads and keeps.
bool Sema::checkNamedHandle(Expr &handle, const std::string &name) {
  if (!checkPacket(handle))
    return false;
  if (handle.kind == ExprKind::Name)
    return true;
  error(DiagId::BadOperand, handle.range,
        "'" + name + "' needs the name of a packet handle");
  return false;
}

/// The bytes before the place move, so their number is a constant.
const Type *Sema::checkMove(CallExpr &expr) {
  const std::string &name = calleeName(expr);
  if (!checkArgumentCount(expr, 3, 3, name))
    return types.error();
  bool isInsert = expr.primitive == Primitive::Insert;
  bool isGood = checkNamedHandle(*expr.arguments[0], name);
  Expr &offset = *expr.arguments[1], &bytes = *expr.arguments[2];
  checkBytes(offset, movedBytesMax, "the part that moves");
  checkBytes(bytes,
             isInsert ? ir::bufferHeadroomBytes
                      : ir::bufferBytes - ir::bufferHeadroomBytes,
             isInsert ? "the space before a packet" : "a packet");
  if (offset.type->isError() || bytes.type->isError())
    return types.error();
  if (!offset.constant) {
    error(DiagId::NotConstant, offset.range,
          "the second argument of '" + name +
              "' must be a constant, because the bytes before the place move")
        .note("for a place that varies, write a branch for each, or "
              "'packet_extend' or 'packet_shorten' and write the header anew");
    return types.error();
  }
  return isGood ? types.voidType() : types.error();
}

/// Two packets whose headers are of one protocol.
const Type *Sema::checkCopyHeader(CallExpr &expr) {
  const std::string &name = calleeName(expr);
  if (!checkArgumentCount(expr, 2, 2, name))
    return types.error();
  Expr &to = *expr.arguments[0], &from = *expr.arguments[1];
  bool isGood = checkNamedHandle(to, name);
  if (!checkNamedHandle(from, name) || !isGood)
    return types.error();
  if (to.type != from.type) {
    error(DiagId::BadOperand, expr.range,
          "'" + name + "' needs two headers of one protocol, these are '" +
              to.type->str() + "' and '" + from.type->str() + "'");
    return types.error();
  }
  if (llvm::cast<NameExpr>(to).decl == llvm::cast<NameExpr>(from).decl) {
    error(DiagId::BadOperand, expr.range,
          "'" + name + "' needs two packets, this is one");
    return types.error();
  }
  return types.voidType();
}

const Type *Sema::checkNewHeader(CallExpr &expr, const Type *expected) {
  const std::string &name = calleeName(expr);
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
               isCreate ? "a packet" : "the space before a packet");
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
          .note("initialize a handle with the result, for example 'ipv4_pkt * "
                "iph = " +
                name + (isCreate ? "(60)" : "(ph)") +
                ";', or put it on a channel");
    return types.error();
  }
  if (!isDecap && !hasSize && !expected->protocol->isConstantSize) {
    error(DiagId::SizeUnclear, expr.range,
          "headers of '" + expected->declName +
              "' differ in size: give the size in bytes")
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
  if (isExplained(name->name, name->range, NameKind::DropReason))
    return nullptr;
  auto &diagnostic = error(DiagId::NoSuchReason, name->range,
                           "there is no drop reason '" + name->name + "'");
  if (!suggest(diagnostic, name->name, candidatesIn(program.dropReasons)))
    diagnostic.note("declare it in the module: 'drop_reason " + name->name +
                    ";'");
  return nullptr;
}

/// Appends the names of `a.b.c` to `path`; false for other expressions.
static bool appendPath(Expr &expr, std::vector<Identifier> &path,
                       const Type *type) {
  expr.type = type;
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    path.push_back({name->name, name->range});
    return true;
  }
  auto *field = llvm::dyn_cast<FieldExpr>(&expr);
  if (!field || field->isArrow || !appendPath(*field->base, path, type))
    return false;
  path.push_back(field->field);
  return true;
}

/// The output that the first argument of channel_put names, or null. A control
/// function names one of a PPF, `ppf.output`.
EndpointDecl *Sema::checkOutput(Expr &channel) {
  std::vector<Identifier> path;
  bool isPath = appendPath(channel, path, types.voidType());
  if (function->role == Role::Control) {
    if (isPath && path.size() > 1 && function->module)
      return findEndpoint(path, *function->module, /*wantsInput=*/false);
    if (channel.kind != ExprKind::Error)
      error(DiagId::NotAnOutput, channel.range,
            function->module
                ? "a control function has no outputs: name one of a PPF, "
                  "'ppf.output'"
                : "only the control functions of a module put packets on "
                  "channels");
    return nullptr;
  }
  auto *name = llvm::dyn_cast<NameExpr>(&channel);
  if (!name) {
    if (channel.kind != ExprKind::Error)
      error(DiagId::NotAnOutput, channel.range,
            "the first argument is the name of an output");
    return nullptr;
  }
  const PpfDecl *ppf = function->ppf;
  if (!ppf)
    return nullptr;
  auto *endpoint =
      llvm::dyn_cast_or_null<EndpointDecl>(ppf->scope.find(name->name));
  if (endpoint && !endpoint->isInput) {
    name->decl = endpoint;
    return endpoint;
  }
  if (endpoint) {
    error(DiagId::NotAnOutput, name->range,
          "'" + name->name + "' is an input of '" + ppf->name + "'")
        .note(endpoint->range, "declared here");
    return nullptr;
  }
  if (isExplained(name->name))
    return nullptr;
  auto &diagnostic =
      error(DiagId::NotAnOutput, name->range,
            "the PPF '" + ppf->name + "' has no output '" + name->name + "'");
  std::vector<const Decl *> outputs;
  for (auto &other : ppf->endpoints)
    if (!other->isInput)
      outputs.push_back(other.get());
  suggest(diagnostic, name->name, outputs);
  return nullptr;
}

const Type *Sema::checkChannelPut(CallExpr &expr) {
  if (!checkArgumentCount(expr, 2, 2, "channel_put"))
    return types.error();
  if (section)
    error(DiagId::PutInSection, expr.range,
          "'channel_put' is not allowed in a critical section: the PPF that "
          "takes the packet may wait for the lock")
        .note(section->range, "the section; put the packet after it");
  EndpointDecl *output = checkOutput(*expr.arguments[0]);
  Expr &packet = *expr.arguments[1];
  if (!output) {
    check(packet, types.error());
    return types.voidType();
  }
  expr.endpoint = output;
  // From here on `ppf.output` is a name like a PPF's own output.
  if (auto *field = llvm::dyn_cast<FieldExpr>(expr.arguments[0].get())) {
    auto name = std::make_unique<NameExpr>(field->field.range);
    name->name = output->name;
    name->decl = output;
    name->type = types.voidType();
    expr.arguments[0] = std::move(name);
  }
  const Type *type = check(packet, output->type);
  if (!type->isError() && !output->type->isError() && type != output->type)
    error(DiagId::CannotConvert, packet.range,
          "the output '" + output->name + "' carries '" + output->type->str() +
              "', this is '" + type->str() + "'")
        .note(output->range, "declared here");
  return types.voidType();
}

} // namespace karakal::lang
