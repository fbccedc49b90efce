// From the syntax tree to the baker dialect.

#ifndef KARAKAL_BAKER_LANG_LOWER_LOWERING_H
#define KARAKAL_BAKER_LANG_LOWER_LOWERING_H

#include "baker-lang/lower/Ssa.h"
#include "baker-lang/syntax/Declarations.h"
#include "ir/dialect/Baker.h"
#include "ir/dialect/Services.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace karakal::lang {

/// A field of more than 64 bits is two fields of the dialect, of which the
/// second has 64 bits.
inline constexpr const char *wideHigh = ".high", *wideLow = ".low";

/// Built-in metadata that the PPF at `rx` sets, if the program asks for them.
inline constexpr const char *rxLengthName = "rx.length",
                            *rxTimeName = "rx.time";

/// How a pointer's place is reached from its global variable. Two pointers with
/// one path differ in indices alone.
struct PointedPath {
  std::string global;
  mlir::Type type;                ///< of a reference to it
  std::vector<std::string> steps; ///< names of fields; empty: an index

  size_t indexCount() const {
    return size_t(std::count(steps.begin(), steps.end(), ""));
  }
  bool operator<(const PointedPath &other) const {
    return std::tie(global, steps) < std::tie(other.global, other.steps);
  }
};

/// Symbols and types of a program in the dialect.
class Lowering {
public:
  Lowering(const Program &program, const SourceManager &sources,
           mlir::MLIRContext &context, bool hasTraces);

  mlir::OwningOpRef<mlir::ModuleOp> run();

  mlir::Location location(SourceRange range) const;
  mlir::Type type(const Type *type);
  mlir::Type packetType(const ProtocolDecl *protocol);
  /// The symbol of `decl`, or, if it takes pointers, of its copy for pointers
  /// that lead along `paths`, which is made when first asked for.
  std::string functionFor(const FunctionDecl &decl,
                          const std::vector<PointedPath> &paths);
  /// Whether packets carry `rx.length` or `rx.time`.
  bool isUsed(const char *metadata) const;
  const EndpointDecl *receiver() const { return program.receiver(); }
  /// Sets the built-in metadata of a packet that has just come to be, those
  /// that the program asks for.
  void setReceived(mlir::OpBuilder &builder, mlir::Value packet,
                   mlir::Location at) const;

  /// Whether `trace` does anything.
  const bool hasTraces;

  /// The number of a loop with a bound, from 1.
  uint32_t newLoop() { return ++loopCount; }

private:
  void protocol(const ProtocolDecl &decl);
  void global(const GlobalDecl &decl);
  void channels(const PpfDecl &decl);
  void declareReason(llvm::StringRef name);
  void receivers();
  void sortByPort();
  void function(const FunctionDecl &decl);
  void function(const FunctionDecl &decl, const std::string &symbol,
                const std::vector<PointedPath> &paths);
  void controlSignature(mlir::func::FuncOp op, const FunctionDecl &decl);

  using CopyKey = std::pair<const FunctionDecl *, std::vector<PointedPath>>;
  std::map<CopyKey, std::string> copies;
  std::map<const FunctionDecl *, unsigned> copyCounts;
  uint32_t loopCount = 0;

  const Program &program;
  const SourceManager &sources;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The body of one function.
class FunctionLowering {
public:
  FunctionLowering(Lowering &parent, const FunctionDecl &decl,
                   mlir::func::FuncOp op,
                   const std::vector<PointedPath> &paths);
  void run();

private:
  /// Something that can be read and, mostly, written.
  struct Place {
    enum Kind { Local, PacketField, Metadata, Global } kind = Local;
    const Type *type = nullptr;
    const VarDecl *variable = nullptr;
    /// Local: which of its scalars it can be, and if several, which one: the
    /// number, from 0, among them.
    std::vector<unsigned> parts = {0};
    mlir::Value part;
    mlir::Value base;            ///< packet, or reference into global data
    const Decl *field = nullptr; ///< of a packet
    mlir::Value index;           ///< of an array field of a packet
  };

  // Statements (LowerStatements.cpp).
  void lower(const Stmt &stmt);
  void lowerBlock(const std::vector<StmtPtr> &body);
  void lowerDeclaration(const DeclarationStmt &stmt);
  void lowerIf(const IfStmt &stmt);
  void lowerFor(const ForStmt &stmt);
  void lowerWhile(const WhileStmt &stmt);
  void lowerDo(const DoStmt &stmt);
  void lowerSwitch(const SwitchStmt &stmt);
  void lowerCritical(const CriticalStmt &stmt);
  void lowerInitial(const VarDecl *variable, const Type *type, unsigned &part,
                    const Initializer *value, SourceRange where);
  /// Gives back the lock of the section that control leaves, if there is one.
  void leaveSection(SourceRange where);
  void lowerReturn(const ReturnStmt &stmt);
  /// Goes to the head of a loop; its number, if it has a bound.
  uint32_t enterLoop(const Stmt &loop, mlir::Block *head);
  /// Lowers a loop's body with its targets of break and continue.
  void lowerBody(const Stmt &loop, const Stmt &body, uint32_t number,
                 mlir::Block *breakTo, mlir::Block *continueTo);

  // Pointers (LowerPointers.cpp).
  void bindParameters(mlir::Block *entry);
  /// The place that a pointer leads to, as a reference.
  mlir::Value pointedBy(const Expr &pointer);
  /// The way to `place`; appends the indices on it to `indices`.
  PointedPath pathTo(mlir::Value place, std::vector<mlir::Value> &indices);
  mlir::Value lowerFunctionCall(const CallExpr &expr);

  // Control flow.
  mlir::Block *newBlock() { return new mlir::Block(); }
  /// Goes on in `block`, all of whose predecessors are known if `isSealed`.
  void start(mlir::Block *block, bool isSealed = true);
  void jump(mlir::Block *to, SourceRange where);
  /// Branches on the truth of `condition`.
  void branch(const Expr &condition, mlir::Block *whenTrue,
              mlir::Block *whenFalse);
  mlir::Block *here() { return builder.getInsertionBlock(); }

  // Expressions (LowerExpressions.cpp).
  mlir::Value lower(const Expr &expr);
  mlir::Value lowerKind(const Expr &expr);
  mlir::Value lowerAs(const Expr &expr, const Type *type);
  mlir::Value lowerUnary(const UnaryExpr &expr);
  mlir::Value lowerStep(const StepExpr &expr);
  mlir::Value lowerBinary(const BinaryExpr &expr);
  mlir::Value lowerAssign(const AssignExpr &expr);
  /// A value that needs a decision: joins the values of two branches.
  mlir::Value lowerChoice(const Expr &condition, const Expr *whenTrue,
                          const Expr *whenFalse, const Type *type,
                          SourceRange where);

  // Arithmetic (LowerArithmetic.cpp).
  mlir::Value constant(uint64_t bits, const Type *type, SourceRange where);
  mlir::Value convert(mlir::Value value, const Type *from, const Type *to,
                      SourceRange where);
  mlir::Value binary(BinaryOp op, mlir::Value left, const Expr &rightExpr,
                     mlir::Value right, const Type *type, SourceRange where);
  mlir::Value shift(BinaryOp op, mlir::Value left, const Expr &amountExpr,
                    mlir::Value amount, const Type *type, SourceRange where);
  mlir::Value divide(BinaryOp op, mlir::Value left, const Expr &rightExpr,
                     mlir::Value right, const Type *type, SourceRange where);
  mlir::Value compare(BinaryOp op, mlir::Value left, mlir::Value right,
                      const Type *type, SourceRange where);

  // Places, packets, calls (LowerPackets.cpp).
  Place place(const Expr &expr);
  Place fieldPlace(const FieldExpr &expr);
  Place globalPlace(const Decl *decl, const Type *type, SourceRange where);
  mlir::Value load(const Place &place, SourceRange where);
  /// The two parts of a packet's field of more than 64 bits.
  struct WideField {
    std::string high, low;
    mlir::Value highIndex, lowIndex; ///< of an array
  };
  WideField wideField(const Place &place, SourceRange where);
  mlir::Value loadWide(const Place &place, SourceRange where);
  void storeWide(const Place &place, mlir::Value value, SourceRange where);
  void store(const Place &place, mlir::Value value, SourceRange where);
  /// `index` as i32 inside an array of `size` elements.
  mlir::Value indexInside(const Expr &index, uint64_t size);
  /// A scalar of a local variable, and its name for Ssa.
  Ssa::Variable partOf(const VarDecl *variable, unsigned part);
  mlir::Value readPart(const VarDecl *variable, unsigned part,
                       const Type *type);
  mlir::Value loadLocal(const Place &place, SourceRange where);
  void storeLocal(const Place &place, mlir::Value value, SourceRange where);
  /// `base[index]` and `base.field` of a local variable.
  Place localElement(const IndexExpr &expr, Place base);
  Place localField(const FieldExpr &expr, Place base);
  mlir::Value lowerCall(const CallExpr &expr);
  mlir::Value lowerService(const CallExpr &expr);
  mlir::Value lowerPrimitive(const CallExpr &expr);
  void lowerPut(const EndpointDecl &output, mlir::Value packet,
                mlir::Location at);
  void setReceivedUnlessSet(mlir::Value packet, SourceRange where);
  mlir::Value lowerDecap(const CallExpr &expr);
  mlir::Value lowerEncap(const CallExpr &expr);
  mlir::Value lowerCreate(const CallExpr &expr);
  void lowerResize(const CallExpr &expr);
  mlir::Value moveHeadBack(const CallExpr &expr, mlir::Value packet,
                           mlir::Value bytes, const ProtocolDecl *outer);
  void dropIf(mlir::Value isBad, const CallExpr &expr, mlir::Value packet,
              llvm::StringRef reasonName);
  /// For want of room, if `left` is less than `right`.
  void dropIfLess(mlir::Value left, mlir::Value right, const CallExpr &expr,
                  mlir::Value packet);
  void dropIfShort(const CallExpr &expr, mlir::Value packet, mlir::Value bytes,
                   std::optional<uint64_t> bound, uint64_t restBytes);

  mlir::Value readVariable(const VarDecl *decl);
  mlir::Location location(SourceRange range) { return parent.location(range); }

  struct Targets {
    mlir::Block *breakTo, *continueTo; ///< continueTo is null in a switch
    mlir::Value lock;                  ///< of the section around it
  };

  /// Names of the scalars of arrays and structs.
  std::map<const VarDecl *, std::vector<char>> parts;
  mlir::Value lock; ///< of the critical section here, or null

  /// Where the pointers of this function lead: references into global data.
  std::map<const VarDecl *, mlir::Value> pointers;
  const std::vector<PointedPath> &paths;

  Lowering &parent;
  const FunctionDecl &decl;
  mlir::func::FuncOp op;
  mlir::OpBuilder builder;
  Ssa ssa;
  std::vector<Targets> targets;
  /// The packet whose fields a demux expression means.
  mlir::Value demuxPacket;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_LOWERING_H
