// PPFs, their bodies, and wiring.
//
// Every output is wired, every input has one body, and each port's packets
// enter the program at one input. Wires connect endpoints of one protocol;
// several outputs may feed one input, and one output several inputs.

#include "baker-lang/sema/Sema.h"

#include <functional>

namespace karakal::lang {

std::string PpfDecl::symbol() const { return module->name + "." + name; }
std::string EndpointDecl::symbol() const { return ppf->symbol() + "." + name; }

void Sema::resolvePpf(PpfDecl &decl, ModuleDecl &module) {
  decl.module = &module;
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
                "'; '@cold' is "
                "the one that a PPF can bear");
  }
  bool hasInput = false;
  for (auto &endpoint : decl.endpoints) {
    endpoint->ppf = &decl;
    declare(decl.scope, endpoint.get());
    hasInput |= endpoint->isInput;
    endpoint->type = resolveType(endpoint->typeSyntax, module.scope);
    if (!endpoint->type->isPacket() && !endpoint->type->isError()) {
      error(DiagId::BadTypeHere, endpoint->typeSyntax.range,
            "a channel carries packets, not '" + endpoint->type->str() + "'");
      endpoint->type = types.error();
    }
  }
  if (!hasInput && !isSuspect(decl.name))
    error(DiagId::EmptyDeclaration, decl.range,
          "the PPF '" + decl.name + "' has no input");
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static std::string dotted(const std::vector<Identifier> &path) {
  std::string text;
  for (const Identifier &part : path)
    text += (text.empty() ? "" : ".") + part.name;
  return text;
}

static SourceRange rangeOf(const std::vector<Identifier> &path) {
  return spanning(path.front().range, path.back().range);
}

/// The PPF named by the first `used` parts of `path`: `ppf` inside its module,
/// or `module.ppf`.
PpfDecl *Sema::findPpf(const std::vector<Identifier> &path, size_t used,
                       ModuleDecl *module, DiagId id) {
  if (used == 2) {
    auto *named =
        llvm::dyn_cast_or_null<ModuleDecl>(program.scope.find(path[0].name));
    if (!named) {
      if (isSuspect(path[0].name))
        return nullptr;
      std::vector<const Decl *> modules;
      for (auto &other : program.modules)
        modules.push_back(other.get());
      auto &diagnostic =
          error(id, path[0].range, "there is no module '" + path[0].name + "'");
      suggest(diagnostic, path[0].name, modules);
      return nullptr;
    }
    module = named;
  }
  const Identifier &name = path[used - 1];
  if (!module) {
    error(id, name.range,
          "a PPF is named with its module: 'module." + dotted(path) + "'");
    return nullptr;
  }
  if (auto *ppf =
          llvm::dyn_cast_or_null<PpfDecl>(module->scope.find(name.name)))
    return ppf;
  if (isSuspect(name.name))
    return nullptr;
  auto &diagnostic =
      error(id, name.range,
            "the module '" + module->name + "' has no PPF '" + name.name + "'");
  std::vector<const Decl *> candidates;
  for (auto &ppf : module->members.ppfs)
    candidates.push_back(ppf.get());
  suggest(diagnostic, name.name, candidates);
  return nullptr;
}

void Sema::resolveBody(FunctionDecl &decl, ModuleDecl *module) {
  decl.scope = module ? &module->scope : &program.scope;
  decl.module = module;
  resolveSignature(decl);
  size_t parts = decl.path.size();
  if (parts < 2 || parts > 3 || (parts == 2 && !module)) {
    error(DiagId::NoSuchPpf, rangeOf(decl.path),
          "the body of a PPF is named 'module.ppf_name.ppf' or "
          "'module.ppf_name.input'");
    return;
  }
  PpfDecl *ppf = findPpf(decl.path, parts - 1, module, DiagId::NoSuchPpf);
  if (!ppf)
    return;
  decl.ppf = ppf;
  decl.module = ppf->module;
  decl.scope = &ppf->module->scope;
  EndpointDecl *input = bodyInput(decl, *ppf);
  if (!input) {
    ppf->hasUnclearBody = true;
    return;
  }
  decl.input = input;
  decl.symbol = input->symbol();
  if (input->body) {
    error(DiagId::BodyTwice, rangeOf(decl.path),
          "the input '" + input->name + "' of '" + ppf->name +
              "' has two bodies")
        .note(input->body->range, "the first one stands here");
    return;
  }
  input->body = &decl;
  if (decl.parameters.size() != 1) {
    error(DiagId::BodyMismatch, decl.range,
          "the body of a PPF takes one packet")
        .note(input->range, "of this input");
    return;
  }
  const Type *type = decl.parameters[0].decl->type;
  if (type != input->type && !type->isError() && !input->type->isError())
    error(DiagId::BodyMismatch, decl.parameters[0].typeSyntax.range,
          "the body takes '" + type->str() + "', but its input carries '" +
              input->type->str() + "'")
        .note(input->range, "the input");
}

EndpointDecl *Sema::bodyInput(FunctionDecl &decl, PpfDecl &ppf) {
  const Identifier &name = decl.path.back();
  std::vector<const Decl *> inputs;
  for (auto &endpoint : ppf.endpoints)
    if (endpoint->isInput)
      inputs.push_back(endpoint.get());
  auto *named = llvm::dyn_cast_or_null<EndpointDecl>(ppf.scope.find(name.name));
  if (named && named->isInput)
    return named;
  if (name.name != "ppf") {
    auto &diagnostic =
        error(DiagId::NoSuchEndpoint, name.range,
              "the PPF '" + ppf.name + "' has no input '" + name.name + "'");
    suggest(diagnostic, name.name, inputs);
    return nullptr;
  }
  if (inputs.size() == 1)
    return llvm::cast<EndpointDecl>(const_cast<Decl *>(inputs[0]));
  if (!inputs.empty())
    error(DiagId::BodyMismatch, name.range,
          "the PPF '" + ppf.name +
              "' has several inputs: name one instead of "
              "'ppf', for example '" +
              inputs[0]->name + "'");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Wires
//===----------------------------------------------------------------------===//

EndpointDecl *Sema::findEndpoint(const std::vector<Identifier> &path,
                                 ModuleDecl &module, bool wantsInput) {
  if (path.size() < 2 || path.size() > 3) {
    error(DiagId::NoSuchEndpoint, rangeOf(path),
          "'" + dotted(path) + "' names no endpoint: write 'ppf." +
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
    if (isSuspect(name.name))
      return nullptr;
    auto &diagnostic = error(DiagId::NoSuchEndpoint, name.range,
                             "the PPF '" + ppf->name + "' has no endpoint '" +
                                 name.name + "'");
    std::vector<const Decl *> candidates;
    for (auto &other : ppf->endpoints)
      candidates.push_back(other.get());
    suggest(diagnostic, name.name, candidates);
    return nullptr;
  }
  if (endpoint->isInput == wantsInput)
    return endpoint;
  error(DiagId::WrongDirection, rangeOf(path),
        wantsInput ? "'" + dotted(path) +
                         "' is an output; a wire leads to an input or to 'tx'"
                   : "'" + dotted(path) +
                         "' is an input; a wire begins at an output or 'rx'")
      .note(endpoint->range, "declared here");
  return nullptr;
}

void Sema::wire(Wire &wire, ModuleDecl &module) {
  uint32_t errorsBefore = diagnostics.errorCount();
  connect(wire, module);
  hasBadWires |= diagnostics.errorCount() != errorsBefore;
}

void Sema::connect(Wire &wire, ModuleDecl &module) {
  auto isNamed = [](const std::vector<Identifier> &path, const char *name) {
    return path.size() == 1 && path[0].name == name;
  };
  for (const auto *path : {&wire.from, &wire.to})
    if (isNamed(*path, path == &wire.from ? "tx" : "rx")) {
      error(DiagId::WrongDirection, rangeOf(*path),
            path == &wire.from ? "nothing comes from 'tx'"
                               : "nothing goes to 'rx'");
      return;
    }
  bool isToTx = isNamed(wire.to, "tx");
  bool isFromRx = isNamed(wire.from, "rx");
  EndpointDecl *to =
      isToTx ? nullptr : findEndpoint(wire.to, module, /*wantsInput=*/true);
  EndpointDecl *from =
      isFromRx ? nullptr : findEndpoint(wire.from, module, false);
  if (to)
    ++to->feederCount;
  const std::vector<ExprPtr> &misplaced =
      isFromRx || wire.ports.empty() ? wire.portsTo : wire.ports;
  if (!misplaced.empty())
    error(DiagId::BadPort, misplaced[0]->range,
          "only a wire from 'rx' tells ports apart");
  if (isFromRx && isToTx)
    error(DiagId::WireMismatch, wire.range,
          "'rx' cannot be wired to 'tx': a PPF must stand between");
  else if (isFromRx && to)
    connectReceiver(wire, *to, module);
  if (!from)
    return;
  for (const EndpointDecl::Destination &other : from->destinations)
    if (other.input == to) {
      error(DiagId::WiredTwice, wire.range,
            "the output '" + from->name + "' of '" + from->ppf->name +
                "' is wired there twice")
          .note(other.wire, "first wired here");
      return;
    }
  from->destinations.push_back({to, wire.range});
  if (to && from->type != to->type && !from->type->isError() &&
      !to->type->isError())
    error(DiagId::WireMismatch, wire.range,
          "'" + from->name + "' carries '" + from->type->str() + "', but '" +
              to->name + "' takes '" + to->type->str() + "'")
        .note(from->range, "the output")
        .note(to->range, "the input");
}

void Sema::connectReceiver(Wire &wire, EndpointDecl &to, ModuleDecl &module) {
  Receiver added{&to, wire.range, {}};
  for (ExprPtr &expr : wire.ports) {
    auto port = constantOf(*expr, module.scope, "a port");
    if (!port)
      return;
    if (*port > UINT8_MAX) {
      error(DiagId::BadPort, expr->range,
            "there is no port " + constantText(*port, expr->type) +
                ": ports have numbers from 0 to 255");
      return;
    }
    auto [first, isNew] = wiredPorts.emplace(uint8_t(*port), expr->range);
    if (!isNew)
      error(DiagId::WiredTwice, expr->range,
            "port " + std::to_string(*port) + " of 'rx' is wired twice")
          .note(first->second, "first wired here");
    added.ports.push_back(uint8_t(*port));
  }
  for (const Receiver &other : program.receivers) {
    if (added.ports.empty() && other.ports.empty())
      error(DiagId::WiredTwice, rangeOf(wire.from), "'rx' is wired twice")
          .note(other.input->range, "it feeds this input already")
          .note(wire.range, "'rx[0, 1] -> …' is for the packets of ports");
    if (other.input->type != to.type && !other.input->type->isError() &&
        !to.type->isError())
      error(DiagId::WireMismatch, wire.range,
            "all that 'rx' feeds take packets of one protocol")
          .note(to.range, "this input takes '" + to.type->str() + "'")
          .note(other.input->range,
                "this one takes '" + other.input->type->str() + "'");
  }
  program.receivers.push_back(std::move(added));
}

void Sema::checkWiring() {
  for (auto &module : program.modules)
    for (auto &ppf : module->members.ppfs)
      for (auto &endpoint : ppf->endpoints) {
        bool isSecond = module->scope.find(ppf->name) != ppf.get();
        if (isSecond || isSuspect(endpoint->name) || isSuspect(ppf->name))
          continue;
        if (endpoint->isInput && !endpoint->body && ppf->hasUnclearBody)
          continue; // its body was not understood
        if (endpoint->isInput && !endpoint->body)
          error(DiagId::BodyMissing, endpoint->range,
                "the input '" + endpoint->name + "' of '" + ppf->name +
                    "' has no body")
              .note("write '" + module->name + "." + ppf->name + "." +
                    endpoint->name + "(" + endpoint->type->str() +
                    " ph) { … }'");
        else if (hasBadWires)
          continue; // one of them may have been meant for this endpoint
        else if (endpoint->isInput && endpoint->feederCount == 0)
          error(DiagId::NotFed, endpoint->range,
                "nothing is wired to the input '" + endpoint->name + "' of '" +
                    ppf->name + "'");
        if (!endpoint->isInput && endpoint->destinations.empty())
          error(DiagId::NotWired, endpoint->range,
                "the output '" + endpoint->name + "' of '" + ppf->name +
                    "' is not wired");
      }
}

void Sema::checkReceiver() {
  if (!program.receivers.empty() || diagnostics.hasErrors())
    return;
  bool hasPpf = false;
  for (auto &module : program.modules)
    hasPpf |= !module->members.ppfs.empty();
  diagnostics.add(
      Severity::Error, idText(DiagId::NothingReceived),
      hasPpf ? "no PPF takes the received packets: wire 'rx -> ppf.input;'"
             : "the program has no PPF");
}

//===----------------------------------------------------------------------===//
// Recursion
//===----------------------------------------------------------------------===//

void Sema::checkRecursion() {
  std::map<const FunctionDecl *, Progress> progress;
  std::vector<FunctionDecl::CallSite> path;
  std::function<void(FunctionDecl *)> visit = [&](FunctionDecl *decl) {
    progress[decl] = Progress::Busy;
    for (const FunctionDecl::CallSite &call : decl->calls) {
      path.push_back(call);
      Progress state = progress[call.callee];
      if (state == Progress::Fresh)
        visit(call.callee);
      if (state == Progress::Busy) {
        auto &diagnostic =
            error(DiagId::Recursion, call.range,
                  "the function '" + call.callee->name + "' calls itself" +
                      (call.callee == decl ? ""
                                           : " by way of "
                                             "others") +
                      ", which Baker does not allow");
        // The calls since the function was entered.
        size_t start = path.size() - 1;
        while (start > 0 && path[start - 1].callee != call.callee)
          --start;
        for (size_t i = start; i + 1 < path.size(); ++i)
          diagnostic.note(path[i].range,
                          "by calling '" + path[i].callee->name + "' here");
        diagnostic.note(call.callee->range, "declared here");
      }
      path.pop_back();
    }
    progress[decl] = Progress::Done;
  };
  program.forEachList([&](DeclList &list, ModuleDecl *) {
    for (auto &decl : list.functions)
      if (progress[decl.get()] == Progress::Fresh)
        visit(decl.get());
  });
}

/// No critical section begins inside another one by way of calls.
void Sema::checkSections() {
  std::map<const FunctionDecl *, bool> reaches;
  std::function<bool(const FunctionDecl *)> visit =
      [&](const FunctionDecl *decl) -> bool {
    auto [entry, isNew] = reaches.emplace(decl, decl->hasSection);
    if (!isNew || entry->second)
      return entry->second;
    bool isReached = false;
    for (const FunctionDecl::CallSite &call : decl->calls)
      isReached |= visit(call.callee);
    return reaches[decl] = isReached;
  };
  program.forEachList([&](DeclList &list, ModuleDecl *) {
    for (auto *functions : {&list.functions, &list.bodies})
      for (auto &decl : *functions)
        for (const FunctionDecl::CallSite &call : decl->calls)
          if (call.isInSection && visit(call.callee))
            error(DiagId::NestedSection, call.range,
                  "'" + call.callee->name +
                      "' has a critical section and is called inside another "
                      "one")
                .note(call.callee->range, "declared here");
  });
}

} // namespace karakal::lang
