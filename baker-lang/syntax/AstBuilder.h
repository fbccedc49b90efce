// From ANTLR's tree to the syntax tree.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_ASTBUILDER_H
#define KARAKAL_BAKER_LANG_SYNTAX_ASTBUILDER_H

#include "baker-lang/syntax/Declarations.h"
#include "baker-lang/syntax/SyntaxErrors.h"

#include "BakerParser.h"

#include <map>
#include <set>

namespace karakal::lang {

class AstBuilder;

/// A module with parameters, and the bodies of its PPFs that stand outside it.
struct ModulePattern {
  BakerParser::ModuleDeclarationContext *tree = nullptr;
  AstBuilder *builder = nullptr; ///< of the file that it stands in
  struct Body {
    BakerParser::PpfBodyContext *tree;
    AstBuilder *builder;
  };
  std::vector<Body> bodies;
};

/// The patterns of all files by name.
using ModulePatterns = std::map<std::string, ModulePattern>;

/// Builds the syntax tree of one file. Parts that were not understood become
/// error nodes; the names in them are collected, so that analysis does not
/// report them a second time as undeclared.
class AstBuilder {
public:
  AstBuilder(const TokenPlaces &places, Program &program,
             Diagnostics &diagnostics, std::set<std::string> &suspects,
             ModulePatterns &patterns)
      : places(places), program(program), diagnostics(diagnostics),
        suspects(suspects), patterns(patterns) {}

  /// Adds the modules with parameters to the patterns. Goes over all files
  /// before `build` does.
  void collectPatterns(BakerParser::ProgramContext *context);
  /// Gives the patterns the bodies that stand outside them, once all patterns
  /// are known.
  void placeBodies();
  /// Adds the file's declarations to the program.
  void build(BakerParser::ProgramContext *context);

private:
  using P = BakerParser;

  // Declarations (AstBuilder.cpp).
  void topLevel(P::TopLevelContext *context);
  void moduleDeclaration(P::ModuleDeclarationContext *context);
  void moduleItems(P::ModuleDeclarationContext *context, DeclList &list);
  void moduleItem(P::ModuleItemContext *context, DeclList &list);
  void instance(P::InstanceDeclarationContext *context);
  void instanceParameters(P::InstanceDeclarationContext *context,
                          const ModulePattern &pattern, DeclList &list);
  ModulePattern *patternOf(P::PpfBodyContext *context);
  void staticAssert(P::StaticAssertContext *context, DeclList &list);
  /// Adds the constant to the list; one with braces as data.
  void constant(P::ConstDeclarationContext *context, bool isPrivate,
                DeclList &list);
  std::unique_ptr<ConstDecl> constant(P::ConstDeclarationContext *context);
  void enumeration(P::EnumDeclarationContext *context, bool isPrivate,
                   DeclList &list);
  void protocol(P::ProtocolDeclarationContext *context);
  void structure(P::StructDeclarationContext *context, bool isPrivate,
                 DeclList &list);
  void metadata(P::MetadataDeclarationContext *context, DeclList &list);
  void dropReasons(P::DropReasonDeclarationContext *context, DeclList &list);
  std::vector<Annotation>
  annotations(const std::vector<P::AnnotationContext *> &items);
  void ppf(P::PpfDeclarationContext *context, DeclList &list);
  void wiring(P::WiringDeclarationContext *context, DeclList &list);
  void ppfBody(P::PpfBodyContext *context, DeclList &list);
  void variableOrFunction(P::VariableOrFunctionContext *context,
                          DeclList &list);
  void parameters(P::ParametersContext *context, FunctionDecl &function);
  Declarator declarator(P::DeclaratorContext *context);
  Initializer initializer(P::InitializerContext *context);
  std::vector<ExprPtr>
  dimensions(const std::vector<P::DimensionContext *> &contexts);

  // Statements (AstStatements.cpp).
  std::unique_ptr<BlockStmt> block(P::BlockContext *context);
  StmtPtr statement(P::StatementContext *context);
  StmtPtr simpleStatement(P::StatementContext *context, SourceRange range);
  StmtPtr loop(P::StatementContext *context, SourceRange range);
  StmtPtr annotated(P::AnnotatedStatementContext *context);
  StmtPtr forStatement(P::ForStatementContext *context, SourceRange range);
  StmtPtr switchStatement(P::SwitchStatementContext *context,
                          SourceRange range);
  StmtPtr declarationStatement(P::TypeContext *type,
                               const std::vector<P::DeclaratorContext *> &names,
                               SourceRange range);

  // Expressions (AstExpressions.cpp).
  ExprPtr expression(P::ExpressionContext *context);
  ExprPtr operation(P::ExpressionContext *context, SourceRange range);
  ExprPtr assignment(P::AssignmentExpressionContext *context,
                     SourceRange range);
  ExprPtr primary(P::PrimaryContext *context);
  ExprPtr number(antlr4::tree::TerminalNode *node);
  ExprPtr rate(antlr4::tree::TerminalNode *node);
  ExprPtr character(antlr4::tree::TerminalNode *node);
  ExprPtr string(antlr4::tree::TerminalNode *node);

  // Small parts.
  SourceRange range(antlr4::ParserRuleContext *context) const;
  Identifier identifier(antlr4::tree::TerminalNode *node) const;
  Identifier identifier(P::FieldNameContext *context) const;
  TypeSyntax type(P::TypeContext *context) const;
  TypeSyntax scalarType(P::ScalarTypeContext *context) const;
  /// True if one of the direct tokens of `context` is `text`.
  static bool has(antlr4::ParserRuleContext *context, const char *text);
  /// Collects the names in a part that was not understood.
  void suspect(antlr4::ParserRuleContext *context);
  /// True, with `context` suspected, if it was not parsed to its end.
  bool isBroken(antlr4::ParserRuleContext *context);
  Diagnostic &error(DiagId id, SourceRange where, std::string message) {
    return report(diagnostics, id, where, std::move(message));
  }

  const TokenPlaces &places;
  Program &program;
  Diagnostics &diagnostics;
  std::set<std::string> &suspects;
  ModulePatterns &patterns;
  std::vector<BakerParser::PpfBodyContext *> unplacedBodies;
  unsigned depth = 0;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_ASTBUILDER_H
