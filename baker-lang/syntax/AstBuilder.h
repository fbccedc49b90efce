// Builds the syntax tree from ANTLR's parse tree.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_ASTBUILDER_H
#define KARAKAL_BAKER_LANG_SYNTAX_ASTBUILDER_H

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/syntax/TokenRanges.h"
#include "baker-lang/tree/Program.h"

#include "BakerParser.h"

#include <map>

namespace karakal::lang {

class AstBuilder;

/// A module with parameters, and the PPF bodies that are defined outside it.
struct ParameterizedModule {
  BakerParser::ModuleDeclarationContext *tree = nullptr;
  AstBuilder *builder = nullptr; ///< of the file that contains it
  struct Body {
    BakerParser::PpfBodyContext *tree;
    AstBuilder *builder;
  };
  std::vector<Body> bodies;
};

/// The parameterized modules of all files, by name.
using ParameterizedModules = std::map<std::string, ParameterizedModule>;

/// Builds the syntax tree of one file. Parts that did not parse become error
/// nodes. The names in them go to Program::unparsedNames.
class AstBuilder {
public:
  AstBuilder(const TokenRanges &tokenRanges, Program &program,
             Diagnostics &diagnostics,
             ParameterizedModules &parameterizedModules)
      : tokenRanges(tokenRanges), program(program), diagnostics(diagnostics),
        parameterizedModules(parameterizedModules) {}

  /// Collects the parameterized modules of the file. All files do this before
  /// the first one calls `build`.
  void collectParameterizedModules(BakerParser::ProgramContext *context);
  /// Assigns the file's PPF bodies to the parameterized modules that they
  /// belong to, once those of all files are known.
  void assignBodies();
  /// Adds the file's declarations to the program.
  void build(BakerParser::ProgramContext *context);

private:
  using P = BakerParser;

  // Files and modules (AstBuilder.cpp).
  void topLevel(P::TopLevelContext *context);
  void moduleDeclaration(P::ModuleDeclarationContext *context);
  void moduleItems(P::ModuleDeclarationContext *context, DeclList &list);
  void moduleItem(P::ModuleItemContext *context, DeclList &list);
  /// Builds a declaration that both files and modules can contain. `Item` is
  /// either of their item contexts.
  template <typename Item> void commonItem(Item *item, DeclList &list);

  // Instances of parameterized modules (AstInstances.cpp).
  void instance(P::InstanceDeclarationContext *context);
  void instanceParameters(P::InstanceDeclarationContext *context,
                          const ParameterizedModule &module, DeclList &list);
  /// The parameterized module that a body outside all modules belongs to, or
  /// null.
  ParameterizedModule *parameterizedModuleOf(P::PpfBodyContext *context);

  // Declarations (AstDeclarations.cpp).
  void staticAssert(P::StaticAssertContext *context, DeclList &list);
  /// Adds a constant to `list.constants`, or to `list.globals` if it is an
  /// array or struct.
  void constant(P::ConstDeclarationContext *context, bool isPrivate,
                DeclList &list);
  std::unique_ptr<ConstDecl>
  scalarConstant(P::ConstDeclarationContext *context);
  void enumeration(P::EnumDeclarationContext *context, bool isPrivate,
                   DeclList &list);
  void protocol(P::ProtocolDeclarationContext *context);
  std::unique_ptr<ProtocolFieldDecl>
  protocolField(P::FieldItemContext *context);
  void structure(P::StructDeclarationContext *context, bool isPrivate,
                 DeclList &list);
  void metadata(P::MetadataDeclarationContext *context, DeclList &list);

  // Tables (AstTables.cpp).
  void table(P::TableDeclarationContext *context, bool isPrivate,
             DeclList &list);
  void tableFields(P::TableFieldsContext *context, TableDecl &table);
  void tableNumber(P::TableNumberContext *context, TableDecl &table);
  void tableCounters(P::TableNamesContext *context, TableDecl &table);
  void tableFlag(P::TableFlagContext *context, TableDecl &table);
  std::vector<TableValue> tableRow(P::TableRowContext *context);
  void unknownTableItem(const Identifier &word, const char *known);

  void dropReasons(P::DropReasonDeclarationContext *context, DeclList &list);
  std::vector<Annotation>
  annotations(const std::vector<P::AnnotationContext *> &items);
  void ppf(P::PpfDeclarationContext *context, DeclList &list);
  void wiring(P::WiringDeclarationContext *context, DeclList &list);
  void ppfBody(P::PpfBodyContext *context, DeclList &list);
  void variableOrFunction(P::VariableOrFunctionContext *context,
                          DeclList &list);
  void function(P::FunctionDeclarationContext *context, DeclList &list);
  void globals(P::VariableDeclarationContext *context, DeclList &list);
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
  ExprPtr binary(P::BinaryExpressionContext *context, SourceRange range);
  ExprPtr call(P::CallExpressionContext *context, SourceRange range);
  ExprPtr field(P::FieldExpressionContext *context, SourceRange range);
  ExprPtr unary(P::UnaryExpressionContext *context, SourceRange range);
  ExprPtr increment(antlr4::Token *op, P::ExpressionContext *operand,
                    bool isPrefix, SourceRange range);
  ExprPtr assignment(P::AssignmentExpressionContext *context,
                     SourceRange range);
  ExprPtr primary(P::PrimaryContext *context);
  ExprPtr sizeOf(P::SizeofPrimaryContext *context, SourceRange range);
  ExprPtr number(antlr4::tree::TerminalNode *node);
  ExprPtr rate(antlr4::tree::TerminalNode *node);
  ExprPtr character(antlr4::tree::TerminalNode *node);
  ExprPtr string(antlr4::tree::TerminalNode *node);

  // Helpers (AstBuilder.cpp).
  SourceRange range(antlr4::ParserRuleContext *context) const;
  /// The name of a token, or an empty one if it is missing in the text.
  Identifier identifier(antlr4::tree::TerminalNode *node) const;
  Identifier identifier(P::FieldNameContext *context) const;
  TypeSyntax type(P::TypeContext *context) const;
  TypeSyntax scalarType(P::ScalarTypeContext *context) const;
  /// True if one of the direct tokens of `context` is `text`.
  static bool hasToken(antlr4::ParserRuleContext *context, const char *text);
  void noteUnparsedNames(antlr4::ParserRuleContext *context);
  /// True if `context` was not parsed to its end. Then notes its names.
  bool isBroken(antlr4::ParserRuleContext *context);
  /// True if `context` contains a syntax error.
  bool containsError(antlr4::ParserRuleContext *context) const;
  Diagnostic &error(DiagId id, SourceRange where, std::string message) {
    return report(diagnostics, id, where, std::move(message));
  }

  const TokenRanges &tokenRanges;
  Program &program;
  Diagnostics &diagnostics;
  ParameterizedModules &parameterizedModules;
  std::vector<BakerParser::PpfBodyContext *> topLevelBodies;
  unsigned expressionDepth = 0;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_ASTBUILDER_H
