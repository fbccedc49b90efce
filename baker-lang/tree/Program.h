// The syntax tree: modules, wires and the whole program.

#ifndef KARAKAL_BAKER_LANG_TREE_PROGRAM_H
#define KARAKAL_BAKER_LANG_TREE_PROGRAM_H

#include "baker-lang/tree/TableDecl.h"

#include <set>

namespace karakal::lang {

/// One wire of a `wiring` block.
struct Wire {
  SourceRange range;
  std::vector<Identifier> from, to;
  std::vector<ExprPtr> receivePorts;  ///< `0, 1` of `rx[0, 1] -> …`
  std::vector<ExprPtr> portsOfTarget; ///< an error if there are any
};

/// Drop reason of packets from ports that no receiver takes.
inline constexpr const char *noReceiverName = "no_receiver";
/// That for packets that find their queue full.
inline constexpr const char *queueFullName = "queue_full";

/// An input that received packets go to.
struct Receiver {
  EndpointDecl *input;
  SourceRange wire;
  /// The receive ports. If empty, all ports that no other receiver names.
  std::vector<uint8_t> ports;
};

struct StaticAssert {
  SourceRange range;
  ExprPtr condition;
};

/// The declarations of one module, or of the file level.
struct DeclList {
  std::vector<StaticAssert> asserts;
  std::vector<std::unique_ptr<ConstDecl>> constants;
  std::vector<std::unique_ptr<ProtocolDecl>> protocols;
  std::vector<std::unique_ptr<StructDecl>> structs;
  std::vector<std::unique_ptr<EnumDecl>> enums;
  std::vector<std::unique_ptr<TableDecl>> tables;
  std::vector<std::unique_ptr<MetadataDecl>> metadata;
  std::vector<std::unique_ptr<DropReasonDecl>> dropReasons;
  std::vector<std::unique_ptr<GlobalDecl>> globals;
  std::vector<std::unique_ptr<FunctionDecl>> functions;
  std::vector<std::unique_ptr<FunctionDecl>> bodies; ///< of PPFs
  std::vector<std::unique_ptr<PpfDecl>> ppfs;
  std::vector<Wire> wires;

  /// Calls `visit` for each function, then for each body of a PPF.
  template <typename Visit> void forEachFunction(Visit visit) const {
    for (const auto *list : {&functions, &bodies})
      for (const auto &function : *list)
        visit(*function);
  }
};

struct ModuleDecl : DeclOf<DeclKind::Module> {
  using DeclOf::DeclOf;
  DeclList members;
  Scope scope; ///< set by analysis
};

/// A whole program: the declarations of all its files.
struct Program {
  TypeTable types;
  DeclList decls; ///< file level
  std::vector<std::unique_ptr<ModuleDecl>> modules;
  /// Names of the parameterized modules. Their instances are in `modules`.
  std::vector<Identifier> parameterizedModules;
  /// Names in text that did not parse. They may be declared there, so analysis
  /// does not report them as undeclared.
  std::set<std::string> unparsedNames;
  /// File and line of each syntax error. Analysis reports nothing there.
  std::set<std::pair<uint32_t, size_t>> brokenLines;
  /// Any unknown name may be declared in a file that was not found.
  bool hasMissingImport = false;

  // Set by analysis.
  Scope scope;
  std::vector<std::unique_ptr<MetadataDecl>> builtinMetadata;
  std::vector<std::unique_ptr<DropReasonDecl>> builtinReasons;
  std::map<std::string, MetadataDecl *> metadata;
  std::map<std::string, DropReasonDecl *> dropReasons;
  std::vector<Receiver> receivers;

  /// The input that all received packets go to; null if receive ports have
  /// receivers of their own.
  EndpointDecl *onlyReceiver() const {
    bool isOnly = receivers.size() == 1 && receivers[0].ports.empty();
    return isOnly ? receivers[0].input : nullptr;
  }

  /// Calls `visit(list, module)` for the file level, with a null module, then
  /// for each module.
  template <typename Visit> void forEachDeclList(Visit visit) {
    visit(decls, static_cast<ModuleDecl *>(nullptr));
    for (auto &module : modules)
      visit(module->members, module.get());
  }
  template <typename Visit> void forEachDeclList(Visit visit) const {
    visit(decls, static_cast<const ModuleDecl *>(nullptr));
    for (const auto &module : modules)
      visit(module->members, static_cast<const ModuleDecl *>(module.get()));
  }

  /// Calls `visit` for each function and body of the program.
  template <typename Visit> void forEachFunction(Visit visit) const {
    forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
      list.forEachFunction(visit);
    });
  }
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_PROGRAM_H
