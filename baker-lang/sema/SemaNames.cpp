// Names: scopes, look-up, suggestions and visibility.
//
// All names are declared before anything is resolved, so that the order of
// declarations in the text does not matter.

#include "baker-lang/sema/Sema.h"

#include "support/Error.h"
#include "support/NearestName.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace karakal::lang {

std::string pathText(const std::vector<Identifier> &path) {
  std::string text;
  for (const Identifier &part : path)
    text += (text.empty() ? "" : ".") + part.name;
  return text;
}

SourceRange pathRange(const std::vector<Identifier> &path) {
  KARAKAL_ASSERT(!path.empty(), "an empty path has no range");
  return spanning(path.front().range, path.back().range);
}

//===----------------------------------------------------------------------===//
// Declaring
//===----------------------------------------------------------------------===//

void Sema::declareBuiltins() {
  auto metadata = [&](const char *name, unsigned width, bool isReadOnly) {
    auto decl = std::make_unique<MetadataDecl>(Identifier{name, {}});
    decl->type = types.integer(width, false);
    decl->isReadOnly = isReadOnly;
    decl->isBuiltin = true;
    program.metadata[name] = decl.get();
    program.builtinMetadata.push_back(std::move(decl));
  };
  metadata("rx.port", 8, true);
  metadata("rx.length", 16, true);
  metadata("rx.time", 32, true);
  metadata("tx.port", 8, false);
  metadata("sequence", 32, true);
  for (const char *name : {"unspecified", "truncated", "no_port", "no_room",
                           "too_many_rounds", noReceiverName, queueFullName}) {
    auto decl = std::make_unique<DropReasonDecl>(Identifier{name, {}});
    program.dropReasons[name] = decl.get();
    program.builtinReasons.push_back(std::move(decl));
  }
}

void Sema::declareNames() {
  for (auto &module : program.modules) {
    module->scope.parent = &program.scope;
    declare(program.scope, module.get());
  }
  program.forEachDeclList(
      [&](DeclList &list, ModuleDecl *module) { declareList(list, module); });
}

void Sema::declareList(DeclList &list, ModuleDecl *module) {
  Scope &home = module ? module->scope : program.scope;
  std::string prefix = module ? module->name + "." : "";
  for (auto &decl : list.constants) {
    decl->scope = decl->isParameter ? &program.scope : &home;
    if (auto entry = constantOverrides.find(prefix + decl->name);
        entry != constantOverrides.end())
      decl->overrideValue = entry->second;
    declare(home, decl.get());
  }
  for (auto &decl : list.protocols) {
    declare(home, decl.get());
    declareSymbol(decl.get());
  }
  for (auto &decl : list.structs) {
    decl->scope = &home;
    declare(home, decl.get());
  }
  for (auto &decl : list.enums)
    declare(home, decl.get());
  for (auto &decl : list.tables) {
    decl->scope = decl->record->scope = &home;
    decl->symbol = prefix + decl->name;
    declare(home, decl.get());
    if (!module)
      declareSymbol(decl.get());
  }
  for (auto &decl : list.globals) {
    decl->scope = &home;
    decl->symbol = prefix + decl->name;
    declare(home, decl.get());
    if (!module)
      declareSymbol(decl.get());
  }
  for (auto &decl : list.functions) {
    decl->scope = &home;
    decl->module = module;
    decl->symbol = prefix + decl->name;
    declare(home, decl.get());
    if (!module)
      declareSymbol(decl.get());
  }
  for (auto &decl : list.ppfs)
    declare(home, decl.get());
  declareMetadata(list);
  declareDropReasons(list);
}

/// Several modules may declare the same metadata field. It then is one field.
void Sema::declareMetadata(DeclList &list) {
  std::map<std::string, SourceRange> declaredHere;
  for (auto &decl : list.metadata) {
    MetadataDecl *&entry = program.metadata[decl->name];
    if (entry && entry->isBuiltin)
      error(DiagId::ReservedName, decl->range,
            "the metadata field '" + decl->name + "' is built in");
    else if (entry)
      decl->first = entry;
    else
      declareSymbol((entry = decl.get()));
    if (auto other = declaredHere.find(decl->name); other != declaredHere.end())
      error(DiagId::Redeclared, decl->range,
            "the metadata field '" + decl->name + "' is declared twice")
          .note(other->second, "first declared here");
    declaredHere[decl->name] = decl->range;
  }
}

/// Several modules may declare the same drop reason, too.
void Sema::declareDropReasons(DeclList &list) {
  std::map<std::string, SourceRange> declaredHere;
  for (auto &decl : list.dropReasons) {
    DropReasonDecl *&entry = program.dropReasons[decl->name];
    auto [other, isNew] = declaredHere.emplace(decl->name, decl->range);
    bool isBuiltin = entry && entry->range.end == 0;
    if (isBuiltin)
      error(DiagId::ReservedName, decl->range,
            "the drop reason '" + decl->name + "' is built in");
    else if (!isNew)
      error(DiagId::Redeclared, decl->range,
            "the drop reason '" + decl->name + "' is declared twice")
          .note(other->second, "first declared here");
    else if (!entry)
      declareSymbol((entry = decl.get()));
  }
}

void Sema::declare(Scope &to, Decl *decl) {
  if (primitiveNamed(decl->name) != Primitive::None) {
    error(DiagId::ReservedName, decl->range,
          "'" + decl->name + "' is a packet primitive of the language");
    return;
  }
  Decl *&entry = to.names[decl->name];
  // The words of a line with a syntax error declare what they did not mean to.
  if (!entry || isOnBrokenLine(entry->range)) {
    entry = decl;
    return;
  }
  error(DiagId::Redeclared, decl->range,
        "'" + decl->name + "' is declared twice")
      .note(entry->range,
            std::string("first declared here, as a ") + noun(entry->kind));
}

void Sema::declareSymbol(Decl *decl) {
  if (decl->name == "rx" || decl->name == "tx") {
    error(DiagId::ReservedName, decl->range,
          "'" + decl->name + "' is the name of the receiver or transmitter");
    return;
  }
  // Protocols, metadata, drop reasons and file-level names share the top-level
  // symbols of the baker dialect.
  const Decl *&entry = symbols[decl->name];
  if (entry && entry->kind != decl->kind)
    error(DiagId::Redeclared, decl->range,
          std::string("the ") + noun(decl->kind) + " '" + decl->name +
              "' has the name of a " + noun(entry->kind))
        .note(entry->range, "declared here");
  else if (!entry)
    entry = decl;
}

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

Decl *Sema::lookup(const std::string &name, const Scope &from) {
  for (const Scope *at = &from; at; at = at->parent)
    if (Decl *decl = at->find(name))
      return decl;
  return nullptr;
}

bool Sema::suggest(Diagnostic &diagnostic, const std::string &name,
                   const std::vector<const Decl *> &candidates) {
  std::vector<std::string> names;
  for (const Decl *decl : candidates)
    names.push_back(decl->name);
  std::string nearest = nearestName(name, names);
  if (nearest.empty())
    return false;
  const Decl *decl = *llvm::find_if(
      candidates, [&](const Decl *other) { return other->name == nearest; });
  diagnostic.fix(diagnostic.range, nearest);
  bool isBuiltin = decl->range.end == 0;
  if (isBuiltin)
    diagnostic.note("did you mean '" + nearest + "'?");
  else
    diagnostic.note(decl->range, "did you mean '" + nearest + "'?");
  return true;
}

/// Where to insert an import in `file`: before the first one, or at the start.
static SourceRange importPlace(uint32_t number, const SourceFile &file) {
  size_t at = file.text().rfind("\nimport ");
  if (at != std::string_view::npos)
    return {number, uint32_t(at + 1), uint32_t(at + 1)};
  return {number, 0, 0};
}

bool Sema::isExplained(const std::string &name) {
  // A name that is missing in the text was reported by the parser.
  if (!name.empty() && !isUnparsed(name) && reportedNames.insert(name).second)
    return false;
  if (function)
    function->hasErrors = true;
  return true;
}

bool Sema::isExplained(const std::string &name, SourceRange where,
                       NameKind kind) {
  if (isExplained(name))
    return true;
  bool isDeclared = kind == NameKind::Declaration && program.scope.find(name);
  std::string import = isDeclared ? "" : importable.importOf(kind, name);
  if (import.empty())
    return false;
  if (reportedImports.insert(import).second) {
    SourceRange place =
        importPlace(where.file, diagnostics.sources().file(where.file));
    error(DiagId::ImportMissing, where,
          "'" + name + "' is declared in a file that is not imported")
        .note("write 'import " + import + ";'")
        .fix(place, "import " + import + ";\n");
  }
  return true;
}

/// What stands for an atomic operation that other systems have and the chip's
/// memories do not, or null.
static const char *atomicRemedy(const std::string &name) {
  static const std::set<std::string> exchanges = {"atomic_compare_swap",
                                                  "atomic_compare_and_swap",
                                                  "atomic_compare_exchange",
                                                  "atomic_cmpxchg",
                                                  "atomic_cas",
                                                  "compare_and_swap"};
  if (exchanges.count(name))
    return "the chip's memories have no compare-and-swap; write 'critical "
           "(lock) { if (word == expected) word = value; }', or take a flag "
           "by the old value of 'atomic_or'";
  if (name == "atomic_sub")
    return "add the negative number: 'atomic_add(word, -number)'";
  if (name == "atomic_xor")
    return "the chip's memories cannot do this; write 'critical (lock) { word "
           "^= bits; }'";
  return nullptr;
}

void Sema::reportUndeclared(const std::string &name, SourceRange where,
                            const Scope &from) {
  if (isExplained(name, where))
    return;
  auto &diagnostic = error(DiagId::UndeclaredName, where,
                           "there is no name '" + name + "' here");
  if (const char *remedy = atomicRemedy(name)) {
    diagnostic.note(remedy);
    return;
  }
  // It may be the name of another module's member.
  for (auto &module : program.modules)
    if (Decl *decl = module->scope.find(name)) {
      std::string qualified = module->name + "." + name;
      diagnostic.note(decl->range, "did you mean '" + qualified + "'?");
      diagnostic.fix(where, qualified);
      return;
    }
  std::vector<const Decl *> candidates;
  for (const Scope *at = &from; at; at = at->parent)
    for (auto &[other, decl] : at->names)
      candidates.push_back(decl);
  if (suggest(diagnostic, name, candidates))
    return;
  std::vector<std::string> words = primitiveNames();
  words.insert(words.end(), {"return", "break", "continue", "true", "false"});
  if (std::string word = nearestName(name, words); !word.empty())
    diagnostic.note("did you mean '" + word + "'?").fix(where, word);
}

void Sema::noteNames(Diagnostic &diagnostic, const char *what,
                     const std::vector<std::string> &names) {
  constexpr size_t countMax = 30;
  std::string list;
  for (size_t i = 0; i < names.size() && i < countMax; ++i)
    list += (i ? ", " : "") + names[i];
  if (names.size() > countMax)
    list += ", …";
  if (!names.empty())
    diagnostic.note(std::string(what) + ": " + list);
}

//===----------------------------------------------------------------------===//
// Visibility
//===----------------------------------------------------------------------===//

bool Sema::canSeePrivate(const Scope &home, SourceRange declared,
                         SourceRange use) const {
  // Outside all modules, private means visible in the file.
  if (&home == &program.scope)
    return declared.file == use.file;
  for (const Scope *at = scope; at; at = at->parent)
    if (at == &home)
      return true;
  return false;
}

void Sema::checkVisible(const Decl &decl, const Scope &home, SourceRange use) {
  // An unqualified name that is not found at the file level was found in the
  // enclosing module.
  bool isInOwnModule = &home == &program.scope && home.find(decl.name) != &decl;
  if (!decl.isPrivate || isInOwnModule || canSeePrivate(home, decl.range, use))
    return;
  std::string owner = "its file";
  for (auto &module : program.modules)
    if (&module->scope == &home)
      owner = "the module '" + module->name + "'";
  error(DiagId::PrivateMember, use,
        "'" + decl.name + "' is private to " + owner)
      .note(decl.range, "declared here");
}

/// A private metadata field is visible in all modules that declare it.
void Sema::checkMetadataVisible(const std::string &name, SourceRange use) {
  const MetadataDecl *privateDecl = nullptr;
  bool isVisible = false;
  program.forEachDeclList([&](DeclList &list, ModuleDecl *module) {
    for (auto &decl : list.metadata)
      if (decl->name == name) {
        privateDecl = decl->isPrivate ? decl.get() : privateDecl;
        isVisible |= canSeePrivate(module ? module->scope : program.scope,
                                   decl->range, use);
      }
  });
  if (privateDecl && !isVisible)
    error(DiagId::PrivateMember, use,
          "the metadata field '" + name +
              "' is private to the modules that declare it")
        .note(privateDecl->range, "declared here");
}

} // namespace karakal::lang
