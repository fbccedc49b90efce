// Files and modules of the syntax tree.
//
// Walks ANTLR's tree once. If the text has a syntax error, any child may be
// missing. The declaration is then left out, or kept without that part.

#include "baker-lang/syntax/AstBuilder.h"

#include "support/Error.h"

namespace karakal::lang {

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

SourceRange AstBuilder::range(antlr4::ParserRuleContext *context) const {
  return tokenRanges.range(context->getStart(), context->getStop());
}

/// True for a token that ANTLR made up because it is missing in the text.
static bool isMissing(antlr4::tree::TerminalNode *node) {
  return !node || node->getSymbol()->getTokenIndex() == INVALID_INDEX ||
         node->getText().rfind("<missing", 0) == 0;
}

Identifier AstBuilder::identifier(antlr4::tree::TerminalNode *node) const {
  if (isMissing(node))
    return {};
  return {node->getText(), tokenRanges.range(node->getSymbol())};
}

Identifier AstBuilder::identifier(P::FieldNameContext *context) const {
  if (!context || context->children.empty() || context->exception)
    return {};
  return {context->getText(), range(context)};
}

TypeSyntax AstBuilder::type(P::TypeContext *context) const {
  if (!context || context->children.empty() || context->exception)
    return {};
  return {context->getText(), range(context), false};
}

TypeSyntax AstBuilder::scalarType(P::ScalarTypeContext *context) const {
  if (!context || context->children.empty())
    return {};
  return {context->getText(), range(context), false};
}

bool AstBuilder::hasToken(antlr4::ParserRuleContext *context,
                          const char *text) {
  for (antlr4::tree::ParseTree *child : context->children)
    if (auto *node = dynamic_cast<antlr4::tree::TerminalNode *>(child))
      if (node->getText() == text)
        return true;
  return false;
}

void AstBuilder::noteUnparsedNames(antlr4::ParserRuleContext *context) {
  if (!context || !context->getStart())
    return;
  // Error recovery skips tokens that then belong to no node. So take the text
  // from the start of the part to the end of its last line.
  SourceRange part = range(context);
  std::string_view text = diagnostics.sources().file(part.file).text();
  size_t end = std::min(text.find('\n', part.end), text.size());
  std::string word;
  for (size_t i = part.begin; i <= end; ++i) {
    char c = i < end ? text[i] : ' ';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
    } else {
      program.unparsedNames.insert(word);
      word.clear();
    }
  }
}

bool AstBuilder::isBroken(antlr4::ParserRuleContext *context) {
  if (context && !context->exception)
    return false;
  noteUnparsedNames(context);
  return true;
}

bool AstBuilder::containsError(antlr4::ParserRuleContext *context) const {
  const antlr4::Token *start = context->getStart(), *stop = context->getStop();
  if (!start || !stop)
    return true;
  auto line = program.brokenLines.lower_bound(
      {tokenRanges.range(start).file, start->getLine()});
  return line != program.brokenLines.end() &&
         line->first == tokenRanges.range(start).file &&
         line->second <= stop->getLine();
}

//===----------------------------------------------------------------------===//
// Files and modules
//===----------------------------------------------------------------------===//

void AstBuilder::build(P::ProgramContext *context) {
  KARAKAL_ASSERT(context, "a file without a parse tree");
  for (P::TopLevelContext *item : context->topLevel())
    topLevel(item);
  KARAKAL_ASSERT(expressionDepth == 0, "an expression was left half built");
}

template <typename Item>
void AstBuilder::commonItem(Item *item, DeclList &list) {
  bool isPrivate = hasToken(item, "private");
  if (auto *part = item->staticAssert())
    staticAssert(part, list);
  else if (auto *part = item->constDeclaration())
    constant(part, isPrivate, list);
  else if (auto *part = item->enumDeclaration())
    enumeration(part, isPrivate, list);
  else if (auto *part = item->structDeclaration())
    structure(part, isPrivate, list);
  else if (auto *part = item->tableDeclaration())
    table(part, isPrivate, list);
  else if (auto *part = item->metadataDeclaration())
    metadata(part, list);
  else if (auto *part = item->dropReasonDeclaration())
    dropReasons(part, list);
  else if (auto *part = item->variableOrFunction())
    variableOrFunction(part, list);
}

void AstBuilder::topLevel(P::TopLevelContext *context) {
  isBroken(context); // for its names; some parts may be intact
  if (auto *part = context->instanceDeclaration()) {
    instance(part);
  } else if (auto *part = context->protocolDeclaration()) {
    protocol(part);
  } else if (auto *part = context->moduleDeclaration()) {
    if (!part->moduleParameters())
      moduleDeclaration(part);
  } else if (auto *part = context->ppfBody()) {
    if (!parameterizedModuleOf(part))
      ppfBody(part, program.decls);
  } else {
    commonItem(context, program.decls);
  }
}

void AstBuilder::moduleDeclaration(P::ModuleDeclarationContext *context) {
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return;
  auto decl = std::make_unique<ModuleDecl>(name);
  moduleItems(context, decl->members);
  program.modules.push_back(std::move(decl));
}

void AstBuilder::moduleItems(P::ModuleDeclarationContext *context,
                             DeclList &list) {
  for (P::ModuleItemContext *item : context->moduleItem())
    moduleItem(item, list);
}

void AstBuilder::moduleItem(P::ModuleItemContext *context, DeclList &list) {
  isBroken(context);
  if (auto *part = context->ppfDeclaration())
    ppf(part, list);
  else if (auto *part = context->wiringDeclaration())
    wiring(part, list);
  else if (auto *part = context->ppfBody())
    ppfBody(part, list);
  else
    commonItem(context, list);
}

} // namespace karakal::lang
