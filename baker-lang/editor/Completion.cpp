#include "baker-lang/editor/Completion.h"

#include "baker-lang/editor/Describe.h"
#include "baker-lang/editor/Protocol.h"
#include "baker-lang/editor/WordHelp.h"
#include "baker-lang/syntax/Keywords.h"
#include "support/Error.h"

#include <filesystem>
#include <set>

namespace fs = std::filesystem;
using nlohmann::json;

namespace karakal::lang {

namespace {

/// Values of CompletionItemKind in the protocol.
enum class ItemKind {
  Function = 3,
  Field = 5,
  Variable = 6,
  Class = 7,
  Module = 9,
  Property = 10,
  Keyword = 14,
  File = 17,
  EnumMember = 20,
  Constant = 21,
  Struct = 22,
  Event = 23,
};

ItemKind kindOf(const Decl &decl) {
  switch (decl.kind) {
  case DeclKind::Function:
    return ItemKind::Function;
  case DeclKind::ProtocolField:
  case DeclKind::Metadata:
    return ItemKind::Field;
  case DeclKind::Const:
    return ItemKind::Constant;
  case DeclKind::Protocol:
  case DeclKind::Ppf:
    return ItemKind::Class;
  case DeclKind::Struct:
  case DeclKind::Enum:
    return ItemKind::Struct;
  case DeclKind::DropReason:
    return ItemKind::EnumMember;
  case DeclKind::Module:
    return ItemKind::Module;
  case DeclKind::Endpoint:
    return ItemKind::Event;
  default:
    return ItemKind::Variable;
  }
}

/// The name that stands for what the user has yet to write.
constexpr const char *placeholder = "karakal_completion";

/// Items by label.
class Items {
public:
  void add(const std::string &label, ItemKind kind,
           const std::string &detail = "") {
    if (label.empty() || label == placeholder)
      return;
    items[label] = {{"label", label}, {"kind", kind}};
    if (!detail.empty())
      items[label]["detail"] = detail;
  }
  void add(const Decl *decl) {
    add(decl->name, kindOf(*decl), describe(*decl));
  }
  /// Names that begin with `#` and the like are the compiler's own.
  void addAll(const Scope &scope) {
    for (auto &[name, decl] : scope.names)
      if (name == decl->name)
        add(decl);
  }
  bool empty() const { return items.empty(); }
  json list() const {
    json all = json::array();
    for (auto &[label, item] : items)
      all.push_back(item);
    return all;
  }

private:
  std::map<std::string, json> items;
};

/// Where names are completed.
struct Place {
  const Document &document; ///< with the placeholder in its text
  uint32_t offset;          ///< where the name begins
  size_t token;             ///< index of the placeholder's token
  NamedPlace named;         ///< the placeholder as an expression

  const SourceToken *before(size_t count) const {
    return token >= count ? &document.tokens()[token - count] : nullptr;
  }
  const Program &program() const { return document.program(); }
  /// The module around the place, or null.
  const ModuleDecl *module() const {
    return named.function ? named.function->module : nullptr;
  }
};

void addFields(const StructDecl &decl, Items &items) {
  for (const StructField &field : decl.fields)
    items.add(field.name.name, ItemKind::Field,
              describe(Symbol{&decl, &field}));
}

/// What can follow `.` or `->` after an expression of `type`.
void addMembers(const Type &type, const Program &program, Items &items) {
  if (type.isPointer())
    return addMembers(*type.element, program, items);
  if (type.is(TypeKind::Struct) && type.structDecl)
    addFields(*type.structDecl, items);
  if (type.isPacket()) {
    items.add("metadata", ItemKind::Property, "metadata of the packet");
    if (type.protocol)
      for (const auto &field : type.protocol->fields)
        items.add(field.get());
  }
  if (type.is(TypeKind::Metadata)) {
    items.add("rx", ItemKind::Property, "port and length at arrival");
    items.add("tx", ItemKind::Property, "port to leave by");
    for (auto &[name, decl] : program.metadata)
      if (name.find('.') == std::string::npos)
        items.add(name, ItemKind::Field, describe(*decl));
  }
}

/// What can follow `ph->metadata.rx.`; `port` is `rx` or `tx`.
void addPortMetadata(const std::string &port, const Program &program,
                     Items &items) {
  for (auto &[name, decl] : program.metadata)
    if (name.rfind(port + ".", 0) == 0)
      items.add(name.substr(port.size() + 1), ItemKind::Field, describe(*decl));
}

/// The module, PPF or other declaration that a dotted name stands for.
const Decl *resolve(const Place &place, const std::string &dotted) {
  const Decl *found = nullptr;
  for (size_t begin = 0; begin <= dotted.size();) {
    size_t end = std::min(dotted.find('.', begin), dotted.size());
    std::string part = dotted.substr(begin, end - begin);
    begin = end + 1;
    if (!found) {
      const ModuleDecl *own = place.module();
      found = own ? own->scope.find(part) : nullptr;
      found = found ? found : place.program().scope.find(part);
      for (const auto &module : place.program().modules)
        found = found ? found : module->scope.find(part);
    } else if (auto *module = llvm::dyn_cast<ModuleDecl>(found)) {
      found = module->scope.find(part);
    } else if (auto *ppf = llvm::dyn_cast<PpfDecl>(found)) {
      found = ppf->scope.find(part);
    }
    if (!found)
      return nullptr;
  }
  return found;
}

void addAfterDot(const Place &place, Items &items) {
  auto *field = llvm::dyn_cast_or_null<FieldExpr>(place.named.expr);
  if (field && field->base->type &&
      field->base->type->is(TypeKind::PortMetadata))
    return addPortMetadata(llvm::cast<FieldExpr>(*field->base).field.name,
                           place.program(), items);
  if (field && field->base->type && !field->base->type->isError() &&
      !field->base->type->is(TypeKind::Module))
    return addMembers(*field->base->type, place.program(), items);
  const Decl *owner = resolve(
      place, dottedNameBefore(place.document.tokens(), place.token - 1));
  if (auto *module = llvm::dyn_cast_or_null<ModuleDecl>(owner))
    items.addAll(module->scope);
  else if (auto *ppf = llvm::dyn_cast_or_null<PpfDecl>(owner))
    items.addAll(ppf->scope);
}

/// Files that `import` can name after the folders that are written already.
void addFiles(const Place &place, const std::vector<std::string> &importFolders,
              Items &items) {
  std::string folders;
  const SourceTokens &tokens = place.document.tokens();
  for (size_t i = place.token; i > 1 && tokens[i - 1].is("."); i -= 2)
    folders = "/" + std::string(tokens[i - 2].text) + folders;
  std::vector<std::string> roots = {
      fs::path(place.document.path()).parent_path().string()};
  roots.insert(roots.end(), importFolders.begin(), importFolders.end());
  for (const std::string &root : roots) {
    std::error_code failed;
    for (fs::directory_iterator entry(root + folders, failed), end;
         !failed && entry != end; entry.increment(failed)) {
      bool isFile = entry->path().extension() == ".baker";
      bool isFolder = entry->is_directory(failed) && root != roots.front();
      if (isFile || isFolder)
        items.add(entry->path().stem().string(),
                  isFile ? ItemKind::File : ItemKind::Module);
    }
  }
}

bool isInImport(const Place &place) {
  size_t count = 0;
  while (const SourceToken *token = place.before(++count)) {
    if (token->is("import"))
      return true;
    if (!token->is(".") && !token->isWord())
      return false;
  }
  return false;
}

/// Names in scope, types, primitives and keywords.
void addNames(const Place &place, Items &items) {
  for (const std::string &word : keywords())
    items.add(word, ItemKind::Keyword);
  for (const std::string &word : primitiveNames())
    items.add(word, ItemKind::Function, helpFor(word)->form);
  for (const char *type : {"u8", "u16", "u32", "u48", "u64", "u128"})
    items.add(type, ItemKind::Keyword);
  items.addAll(place.program().scope);
  for (auto &[name, decl] : place.program().scope.names)
    if (decl->kind == DeclKind::Protocol)
      for (const char *ending : {"_pkt", "_queue"})
        items.add(name + ending, ItemKind::Class, describe(*decl));
  const FunctionDecl *function = place.named.function;
  if (!function) {
    for (const auto &module : place.program().modules)
      items.addAll(module->scope);
    return;
  }
  if (function->module)
    items.addAll(function->module->scope);
  if (function->ppf)
    items.addAll(function->ppf->scope);
  for (const auto &variable : function->variables)
    if (variable->range.begin < place.offset)
      items.add(variable.get());
}

/// The arguments that only certain names can be.
bool addArguments(const Place &place, Items &items) {
  CallAround call = callAround(place.document.tokens(), place.token);
  bool isReason = (call.callee == "packet_drop" && call.argument == 1) ||
                  (call.callee == "drop_count" && call.argument == 0);
  if (isReason)
    for (auto &[name, decl] : place.program().dropReasons)
      items.add(decl);
  bool isChannel = call.callee == "channel_put" && call.argument == 0;
  if (isChannel && place.named.function && place.named.function->ppf)
    for (const auto &endpoint : place.named.function->ppf->endpoints)
      if (!endpoint->isInput)
        items.add(endpoint.get());
  return !items.empty();
}

/// What the statement before token `end` lacks: brackets and a `;`.
std::string missingAfter(const SourceTokens &tokens, size_t end) {
  std::string missing;
  unsigned closed = 0;
  for (size_t i = end; i-- > 0;) {
    const SourceToken &token = tokens[i];
    if (token.is(";") || token.is("{") || token.is("}"))
      break;
    if (token.is(")") || token.is("]"))
      ++closed;
    else if (token.is("(") || token.is("[")) {
      if (closed > 0)
        --closed;
      else
        missing += token.is("(") ? ')' : ']';
    }
  }
  return missing + ";";
}

/// A word that may be empty, or a comment or string.
struct WordAround {
  uint32_t begin, end; ///< bytes
  bool isCode;
};

WordAround wordAround(const SourceTokens &tokens, uint32_t offset) {
  for (const SourceToken &token : tokens) {
    if (token.begin >= offset || token.end < offset)
      continue;
    if (token.isWord())
      return {token.begin, token.end, true};
    if (token.kind == TokenClass::Comment || token.kind == TokenClass::String)
      return {token.begin, token.end, false};
  }
  return {offset, offset, true};
}

} // namespace

json completionItems(const std::string &path, const json &position,
                     const SourceTexts &texts, const SourceManager &known,
                     const std::vector<std::string> &importFolders) {
  const std::string &text = texts.at(path);
  SourceTokens tokens = scanTokens(text);
  uint32_t offset = offsetOf(SourceFile(path, text), position);
  auto [begin, end, isCode] = wordAround(tokens, offset);
  if (!isCode)
    return json::array();
  // A statement that is being written at the end of a line has no end yet.
  std::string inserted = placeholder;
  size_t next = text.find_first_not_of(" \t\r", end);
  if (next == std::string::npos || text[next] == '\n')
    inserted += missingAfter(tokens, tokenFrom(tokens, begin));
  SourceTexts changed = texts;
  for (uint32_t file = 0; file < known.size(); ++file)
    changed.emplace(realPath(known.file(file).path()), known.file(file).text());
  changed[path] = text.substr(0, begin) + inserted + text.substr(end);
  for (auto &[name, contents] : changed)
    contents = withoutBodies(contents, name == path ? begin : 0);
  Document analyzed(path, changed, importFolders);
  Place place{analyzed, begin, tokenFrom(analyzed.tokens(), begin),
              expressionAt(analyzed.program(), analyzed.fileNumber(), begin)};
  KARAKAL_ASSERT(place.token < analyzed.tokens().size(),
                 "the placeholder is a token");
  Items items;
  const SourceToken *before = place.before(1);
  if (before && before->is("@"))
    for (const char *name : annotationNames)
      items.add(name, ItemKind::Property);
  else if (isInImport(place))
    addFiles(place, importFolders, items);
  else if (before && (before->is(".") || before->is("->")))
    addAfterDot(place, items);
  else if (!addArguments(place, items))
    addNames(place, items);
  return items.list();
}

} // namespace karakal::lang
