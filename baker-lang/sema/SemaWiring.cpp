// Wiring: every output is wired, and each receive port's packets enter the
// program at one input. Wires connect endpoints of one protocol. Several
// outputs may feed one input, and one output several inputs.

#include "baker-lang/sema/Sema.h"

#include "ir/dialect/Runtime.h"
#include "support/Error.h"

namespace karakal::lang {

EndpointDecl *Sema::findEndpoint(const std::vector<Identifier> &path,
                                 ModuleDecl &module, bool wantsInput) {
  if (path.size() < 2 || path.size() > 3) {
    error(DiagId::NoSuchEndpoint, pathRange(path),
          "'" + pathText(path) + "' is no endpoint: write 'ppf." +
              (wantsInput ? "input" : "output") +
              "', 'module.ppf.endpoint', or '" + (wantsInput ? "tx" : "rx") +
              "'");
    return nullptr;
  }
  PpfDecl *ppf =
      findPpf(path, path.size() - 1, &module, DiagId::NoSuchEndpoint);
  if (!ppf)
    return nullptr;
  if (ppf->module != &module)
    checkVisible(*ppf, ppf->module->scope, path[1].range);
  const Identifier &name = path.back();
  auto *endpoint =
      llvm::dyn_cast_or_null<EndpointDecl>(ppf->scope.find(name.name));
  if (!endpoint) {
    if (isExplained(name.name))
      return nullptr;
    auto &diagnostic = error(DiagId::NoSuchEndpoint, name.range,
                             "the PPF '" + ppf->name + "' has no endpoint '" +
                                 name.name + "'");
    suggest(diagnostic, name.name, candidatesIn(ppf->endpoints));
    return nullptr;
  }
  if (endpoint->isInput == wantsInput)
    return endpoint;
  error(DiagId::WrongDirection, pathRange(path),
        wantsInput ? "'" + pathText(path) +
                         "' is an output; a wire ends at an input or at 'tx'"
                   : "'" + pathText(path) +
                         "' is an input; a wire begins at an output or at 'rx'")
      .note(endpoint->range, "declared here");
  return nullptr;
}

void Sema::resolveWire(Wire &wire, ModuleDecl &module) {
  uint32_t errorsBefore = diagnostics.errorCount();
  connect(wire, module);
  hasBadWires |= diagnostics.errorCount() != errorsBefore;
}

void Sema::connect(Wire &wire, ModuleDecl &module) {
  KARAKAL_ASSERT(!wire.from.empty() && !wire.to.empty(), "a wire has two ends");
  auto isNamed = [](const std::vector<Identifier> &path, const char *name) {
    return path.size() == 1 && path[0].name == name;
  };
  if (isNamed(wire.from, "tx") || isNamed(wire.to, "rx")) {
    bool isFromTx = isNamed(wire.from, "tx");
    error(DiagId::WrongDirection, pathRange(isFromTx ? wire.from : wire.to),
          isFromTx ? "nothing comes from 'tx'" : "nothing goes to 'rx'");
    return;
  }
  bool isToTx = isNamed(wire.to, "tx");
  bool isFromRx = isNamed(wire.from, "rx");
  EndpointDecl *to =
      isToTx ? nullptr : findEndpoint(wire.to, module, /*wantsInput=*/true);
  EndpointDecl *from =
      isFromRx ? nullptr
               : findEndpoint(wire.from, module, /*wantsInput=*/false);
  if (to)
    ++to->feederCount;
  const std::vector<ExprPtr> &misplacedPorts =
      isFromRx || wire.receivePorts.empty() ? wire.portsOfTarget
                                            : wire.receivePorts;
  if (!misplacedPorts.empty())
    error(DiagId::BadPort, misplacedPorts[0]->range,
          "only a wire from 'rx' can name ports");
  if (isFromRx && isToTx)
    error(DiagId::WireMismatch, wire.range,
          "'rx' cannot be wired to 'tx': put a PPF between them");
  else if (isFromRx && to)
    connectReceiver(wire, *to, module);
  if (from)
    connectOutput(wire, *from, to);
}

/// `to` is null if the wire leads to tx, or nowhere after an error.
void Sema::connectOutput(const Wire &wire, EndpointDecl &from,
                         EndpointDecl *to) {
  for (const EndpointDecl::Destination &other : from.destinations)
    if (other.input == to) {
      error(DiagId::WiredTwice, wire.range,
            "the output '" + from.name + "' of '" + from.ppf->name +
                "' is wired there twice")
          .note(other.wire, "first wired here");
      return;
    }
  from.destinations.push_back({to, wire.range});
  if (to && from.type != to->type && !from.type->isError() &&
      !to->type->isError())
    error(DiagId::WireMismatch, wire.range,
          "'" + from.name + "' carries '" + from.type->str() + "', but '" +
              to->name + "' takes '" + to->type->str() + "'")
        .note(from.range, "the output")
        .note(to->range, "the input");
}

void Sema::checkPort(const Expr &port) {
  if (!port.constant || *port.constant < ir::portCount)
    return;
  error(DiagId::NoSuchPort, port.range,
        "there is no port " + constantText(*port.constant, port.type) +
            ": the chip has the ports 0 to " +
            std::to_string(ir::portCount - 1));
}

bool Sema::resolveReceivePorts(Wire &wire, ModuleDecl &module,
                               std::vector<uint8_t> &ports) {
  for (ExprPtr &expr : wire.receivePorts) {
    auto port = constantOf(*expr, module.scope, "a port");
    if (!port)
      return false;
    if (*port > UINT8_MAX) {
      error(DiagId::BadPort, expr->range,
            "there is no port " + constantText(*port, expr->type) +
                ": ports have numbers from 0 to 255");
      return false;
    }
    checkPort(*expr);
    auto [first, isNew] = wiredPorts.emplace(uint8_t(*port), expr->range);
    if (!isNew)
      error(DiagId::WiredTwice, expr->range,
            "port " + std::to_string(*port) + " of 'rx' is wired twice")
          .note(first->second, "first wired here");
    ports.push_back(uint8_t(*port));
  }
  return true;
}

void Sema::connectReceiver(Wire &wire, EndpointDecl &to, ModuleDecl &module) {
  Receiver added{&to, wire.range, {}};
  if (!resolveReceivePorts(wire, module, added.ports))
    return;
  for (const Receiver &other : program.receivers) {
    if (added.ports.empty() && other.ports.empty())
      error(DiagId::WiredTwice, pathRange(wire.from), "'rx' is wired twice")
          .note(other.input->range, "it already feeds this input")
          .note(wire.range, "'rx[0, 1] -> …' takes the packets of two ports");
    if (other.input->type != to.type && !other.input->type->isError() &&
        !to.type->isError())
      error(DiagId::WireMismatch, wire.range,
            "all inputs that 'rx' feeds must take packets of one protocol")
          .note(to.range, "this input takes '" + to.type->str() + "'")
          .note(other.input->range,
                "this one takes '" + other.input->type->str() + "'");
  }
  program.receivers.push_back(std::move(added));
}

//===----------------------------------------------------------------------===//
// Completeness
//===----------------------------------------------------------------------===//

void Sema::checkWiring() {
  for (auto &module : program.modules)
    for (auto &ppf : module->members.ppfs) {
      bool isRedeclared = module->scope.find(ppf->name) != ppf.get();
      if (isRedeclared || isUnparsed(ppf->name))
        continue;
      for (auto &endpoint : ppf->endpoints)
        if (!isUnparsed(endpoint->name))
          checkEndpoint(*endpoint, *ppf, *module);
    }
}

void Sema::checkEndpoint(const EndpointDecl &endpoint, const PpfDecl &ppf,
                         const ModuleDecl &module) {
  std::string name = "'" + endpoint.name + "' of '" + ppf.name + "'";
  if (endpoint.isInput && !endpoint.body) {
    if (ppf.hasBodyOfUnknownInput || hasBadBodies)
      return; // one of them may be the body of this input
    error(DiagId::BodyMissing, endpoint.range,
          "the input " + name + " has no body")
        .note("write '" + module.name + "." + ppf.name + "." + endpoint.name +
              "(" + endpoint.type->str() + " ph) { … }'");
    return;
  }
  if (hasBadWires)
    return; // one of them may be meant for this endpoint
  if (endpoint.isInput && endpoint.feederCount == 0)
    error(DiagId::NotFed, endpoint.range,
          "nothing is wired to the input " + name);
  if (!endpoint.isInput && endpoint.destinations.empty())
    error(DiagId::NotWired, endpoint.range,
          "the output " + name + " is not wired");
}

} // namespace karakal::lang
