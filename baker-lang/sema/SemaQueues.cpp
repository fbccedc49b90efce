// Queues of packets.
//
//   ether_queue waiting[3][64];       three queues of at most 64 packets
//   queue_put(waiting[class], ph);    ph has lost its packet
//   ether_pkt * next = queue_take(waiting[0]);
//   if (next) …                       next has a packet

#include "baker-lang/sema/Sema.h"

#include "support/Error.h"

namespace karakal::lang {

/// The packets that all queues of a program can hold: half of the chip's
/// buffers, so that packets can still be received.
static constexpr uint64_t queuedPacketsMax = 2048;

void Sema::resolveQueue(GlobalDecl &decl) {
  if (decl.declarator.initializer)
    error(DiagId::BadInitializer, decl.declarator.initializer->range,
          "a queue has no initial value; it starts empty");
  uint64_t queues = 1;
  const Type *queue = decl.type;
  for (; queue->is(TypeKind::Array); queue = queue->element)
    queues *= queue->elementCount;
  if (queue->isError())
    return;
  KARAKAL_ASSERT(queue->is(TypeKind::Queue), "an array of queues");
  if (queue->elementCount == 0) {
    error(DiagId::BadQueue, decl.range,
          "the queue '" + decl.name + "' needs the number of packets it holds")
        .note("for example '" + queue->str() + " " + decl.name + "[64];'");
    decl.type = types.error();
    return;
  }
  uint64_t before = queuedPackets;
  queuedPackets += queues * queue->elementCount;
  if (queuedPackets > queuedPacketsMax && before <= queuedPacketsMax)
    error(DiagId::BadQueue, decl.range,
          "with '" + decl.name + "' the queues hold " +
              std::to_string(queuedPackets) + " packets, more than " +
              std::to_string(queuedPacketsMax) +
              ": packets that wait would leave no buffers to receive others")
        .note("make the queues shorter");
}

const Type *Sema::checkQueueCall(CallExpr &expr) {
  const std::string &name = llvm::cast<NameExpr>(*expr.callee).name;
  bool isPut = expr.primitive == Primitive::QueuePut;
  if (!checkArgumentCount(expr, 1 + isPut, 1 + isPut, name))
    return types.error();
  const Type *queue = check(*expr.arguments[0]);
  if (!queue->isError() && !queue->is(TypeKind::Queue)) {
    error(DiagId::BadOperand, expr.arguments[0]->range,
          "'" + name + "' needs a queue, this is of type '" + queue->str() +
              "'")
        .note(queue->is(TypeKind::Array)
                  ? "an index selects one of several queues"
                  : "declare one in the module: 'ether_queue waiting[64];'");
    queue = types.error();
  }
  if (queue->isError()) {
    if (isPut)
      check(*expr.arguments[1], types.error());
    return types.error();
  }
  const Type *packet = types.packet(queue->protocol, queue->declName);
  if (isPut) {
    const Type *given = check(*expr.arguments[1], packet);
    if (!given->isError() && given != packet)
      error(DiagId::CannotConvert, expr.arguments[1]->range,
            "the queue holds '" + packet->str() + "', this is '" +
                given->str() + "'");
  }
  if (expr.primitive == Primitive::QueueLength)
    return types.word();
  // The others change or read several words of the queue, under its lock.
  if (section)
    error(DiagId::NestedSection, expr.range,
          "'" + name +
              "' takes the queue's lock, so it cannot be inside a critical "
              "section")
        .note(section->range, "the section; use the queue before or after it");
  KARAKAL_ASSERT(function, "a call outside of functions");
  function->hasCriticalSection = true;
  return expr.primitive == Primitive::QueueTake ? packet
         : isPut                                ? types.voidType()
                                                : types.word();
}

} // namespace karakal::lang
