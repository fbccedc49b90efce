// Lowers the body of a function or PPF to the baker dialect.

#ifndef KARAKAL_BAKER_LANG_LOWER_FUNCTIONLOWERING_H
#define KARAKAL_BAKER_LANG_LOWER_FUNCTIONLOWERING_H

#include "baker-lang/lower/ProgramLowering.h"
#include "baker-lang/lower/SsaBuilder.h"

#include "ir/dialect/Baker.h"
#include "ir/dialect/Services.h"

namespace karakal::lang {

class FunctionLowering {
public:
  /// `paths`: the access paths of the pointer parameters, in their order.
  FunctionLowering(ProgramLowering &parent, const FunctionDecl &decl,
                   mlir::func::FuncOp op, const std::vector<AccessPath> &paths);
  void run();

private:
  /// Something that can be read and, in most cases, written.
  struct Lvalue {
    enum Kind { Local, PacketField, Metadata, Global } kind = Local;
    const Type *type = nullptr;

    // Local. An element at an index that is not constant can be any of several
    // scalars of the variable.
    const VarDecl *variable = nullptr;
    std::vector<unsigned> scalars = {0}; ///< their numbers in the variable
    mlir::Value selector; ///< if several: an index into `scalars`

    mlir::Value base;            ///< packet, or reference to global data
    const Decl *field = nullptr; ///< PacketField, Metadata
    mlir::Value index;           ///< PacketField: of an array
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
  void lowerReturn(const ReturnStmt &stmt);
  void lowerBreak(const Stmt &stmt);
  void lowerContinue(const Stmt &stmt);
  /// Writes the initial values of the scalars of `type`, which begin at number
  /// `scalar`. Parts without a value get zero.
  void lowerInitial(const VarDecl *variable, const Type *type, unsigned &scalar,
                    const Initializer *value, SourceRange where);
  /// Releases the lock of the critical section that control leaves, if any.
  void leaveSection(SourceRange where);
  /// Jumps to the head of a loop. Returns the number of a loop with a bound.
  uint32_t enterLoop(const Stmt &loop, mlir::Block *head);
  void lowerLoopBody(const Stmt &loop, uint32_t number, mlir::Block *breakTo,
                     mlir::Block *continueTo);

  // Control flow (LowerStatements.cpp).
  mlir::Block *newBlock() { return new mlir::Block(); }
  /// Appends `block` and continues in it. `isSealed`: all its predecessors are
  /// known.
  void start(mlir::Block *block, bool isSealed = true);
  void jump(mlir::Block *to, SourceRange where);
  void branch(const Expr &condition, mlir::Block *whenTrue,
              mlir::Block *whenFalse);
  mlir::Block *currentBlock() { return builder.getInsertionBlock(); }

  // Expressions (LowerExpressions.cpp).
  mlir::Value lower(const Expr &expr);
  mlir::Value lowerKind(const Expr &expr);
  /// The value of `expr`, converted to `type`.
  mlir::Value lowerAs(const Expr &expr, const Type *type);
  mlir::Value lowerUnary(const UnaryExpr &expr);
  mlir::Value lowerIncrement(const IncrementExpr &expr);
  mlir::Value lowerBinary(const BinaryExpr &expr);
  mlir::Value lowerAssign(const AssignExpr &expr);
  /// Branches on `condition` and merges the values of the two paths. A null
  /// expression stands for true or false.
  mlir::Value lowerChoice(const Expr &condition, const Expr *whenTrue,
                          const Expr *whenFalse, const Type *type,
                          SourceRange where);

  // Arithmetic (LowerArithmetic.cpp).
  mlir::Value constant(uint64_t bits, const Type *type, SourceRange where);
  mlir::Value convert(mlir::Value value, const Type *from, const Type *to,
                      SourceRange where);
  /// `rightExpr`: the expression of `right`, whose range of values may make
  /// guards unnecessary.
  mlir::Value binary(BinaryOp op, mlir::Value left, const Expr &rightExpr,
                     mlir::Value right, const Type *type, SourceRange where);
  mlir::Value shift(BinaryOp op, mlir::Value left, const Expr &amountExpr,
                    mlir::Value amount, const Type *type, SourceRange where);
  mlir::Value divide(BinaryOp op, mlir::Value left, const Expr &rightExpr,
                     mlir::Value right, const Type *type, SourceRange where);
  mlir::Value divideByConstant(bool wantsQuotient, mlir::Value left,
                               mlir::Value right, uint64_t divisor,
                               const Type *type, SourceRange where);
  /// A division that assumes the divisor is neither 0 nor, if signed, -1.
  mlir::Value plainDivide(bool wantsQuotient, mlir::Value left,
                          mlir::Value divisor, const Type *type,
                          SourceRange where);
  mlir::Value compare(BinaryOp op, mlir::Value left, mlir::Value right,
                      const Type *type, SourceRange where);

  // Lvalues (LowerLvalues.cpp).
  Lvalue lvalue(const Expr &expr);
  Lvalue nameLvalue(const NameExpr &expr);
  Lvalue elementLvalue(const IndexExpr &expr);
  Lvalue fieldLvalue(const FieldExpr &expr);
  Lvalue globalLvalue(const Decl *decl, const Type *type, SourceRange where);
  mlir::Value load(const Lvalue &from, SourceRange where);
  void store(const Lvalue &to, mlir::Value value, SourceRange where);
  /// `index` as i32, limited to an array of `elementCount` elements.
  mlir::Value limitedIndex(const Expr &index, uint64_t elementCount);

  // Numbers of more than 64 bits (LowerWide.cpp).
  struct WideParts {
    mlir::Value high, low;
  };
  WideParts splitWide(mlir::Value value, const Type *type, SourceRange where);
  mlir::Value joinWide(const WideParts &parts, const Type *type,
                       SourceRange where);
  /// References to the two parts of a number in global data.
  WideParts partsInMemory(mlir::Value reference, SourceRange where);
  /// The two parts of a field of a packet or of its metadata.
  struct WideField {
    std::string high, low;
    mlir::Value highIndex, lowIndex; ///< of an array
  };
  WideField wideField(const Lvalue &field, SourceRange where);
  mlir::Value loadWide(const Lvalue &from, SourceRange where);
  void storeWide(const Lvalue &to, mlir::Value value, SourceRange where);

  // Local variables (LowerLocals.cpp).
  /// The name for SsaBuilder of one scalar of a local variable.
  SsaBuilder::Variable scalarOf(const VarDecl *variable, unsigned scalar);
  mlir::Value readScalar(const VarDecl *variable, unsigned scalar,
                         const Type *type);
  mlir::Value readVariable(const VarDecl *decl);
  mlir::Value loadLocal(const Lvalue &from, SourceRange where);
  void storeLocal(const Lvalue &to, mlir::Value value, SourceRange where);
  // What a debugger shows (LowerVariables.cpp).
  /// Assigns a scalar of a local variable.
  void setScalar(const VarDecl *variable, unsigned scalar, mlir::Value value,
                 SourceRange where);
  /// Says that `scalar` is `value`, if variables are kept.
  void keepValue(mlir::OpBuilder &at, mlir::Location where,
                 SsaBuilder::Variable scalar, mlir::Value value);
  /// Ends the construction of SSA form.
  void finishVariables();

  /// The local variables that lie in memory instead of registers.
  void findMemoryLocals();
  /// Declares `variable`, which lies in memory, and sets its initial values.
  void lowerMemoryLocal(const VarDecl *variable, const Initializer *value,
                        SourceRange where);
  Lvalue memoryLocal(const VarDecl *variable);
  /// A reference to `array[index]`, which may lie in rows.
  mlir::Value elementInMemory(mlir::Value array, uint64_t elementCount,
                              mlir::Value index, SourceRange where);
  /// Sets the words of an object in memory to zero.
  void setToZero(mlir::Value object, SourceRange where);
  void storeInitial(const Lvalue &to, const Initializer &value,
                    SourceRange where);
  /// `base[index]` and `base.field` of a local variable.
  Lvalue localElement(const IndexExpr &expr, Lvalue base);
  Lvalue localField(const FieldExpr &expr, Lvalue base);

  // Parameters, pointers and calls (LowerCalls.cpp).
  void bindParameters(mlir::Block *entry);
  /// Sets the receive metadata of a packet at the input that `rx` is wired to,
  /// unless the program sent the packet there itself (LowerReceive.cpp).
  void setReceiveMetadataOnce(mlir::Value packet, SourceRange where);
  /// The reference that a pointer holds.
  mlir::Value pointee(const Expr &pointer);
  /// The access path of a reference. Appends its indices to `indices`.
  AccessPath accessPathOf(mlir::Value reference,
                          std::vector<mlir::Value> &indices);
  mlir::Value lowerCall(const CallExpr &expr);
  mlir::Value lowerFunctionCall(const CallExpr &expr);

  // Tables (LowerTables.cpp).
  /// A call of a table's function; without a value for `find`.
  mlir::Value lowerTableCall(const CallExpr &expr);
  /// The entry that a call of `find` returns.
  mlir::Value lowerFind(const CallExpr &call);
  /// Whether a pointer to an entry of a table points to an entry that was
  /// found.
  mlir::Value lowerHit(const Expr &pointer);

  // Queues of packets (LowerQueues.cpp).
  struct QueueRefs {
    mlir::Value queue, lock;
  };
  QueueRefs queueRefs(const Expr &expr);
  mlir::Value lowerQueueCall(const CallExpr &expr);

  // Packet primitives and services (LowerPackets.cpp, LowerServices.cpp).
  mlir::Value lowerPrimitive(const CallExpr &expr);
  mlir::Value lowerService(const CallExpr &expr);
  mlir::Value lowerAtomic(const CallExpr &expr);
  void lowerPut(const EndpointDecl &output, mlir::Value packet,
                mlir::Location at);
  void lowerDrop(const CallExpr &expr);
  mlir::Value lowerDecap(const CallExpr &expr);
  mlir::Value lowerEncap(const CallExpr &expr);
  mlir::Value lowerCreate(const CallExpr &expr);
  void lowerResize(const CallExpr &expr);
  void lowerMove(const CallExpr &expr);
  void lowerCopyHeader(const CallExpr &expr);
  /// Moves `count` bytes of a packet of the protocol `bytesProtocolName`.
  void moveBytes(mlir::Value packet, uint32_t from, uint32_t to, uint32_t count,
                 SourceRange where);
  mlir::Value addTail(const CallExpr &expr, mlir::Value packet,
                      mlir::Value bytes);
  mlir::Value prependHeader(const CallExpr &expr, mlir::Value packet,
                            mlir::Value bytes, const ProtocolDecl *outer);
  /// Ends the invocation if `isBad`: drops `packet`, if not null, and the
  /// packets of the other handles held at `expr`.
  void dropIf(mlir::Value isBad, const CallExpr &expr, mlir::Value packet,
              llvm::StringRef reasonName);
  /// Ends the invocation with reason "no room" if `available` < `needed`.
  void dropIfNoSpace(mlir::Value available, mlir::Value needed,
                     const CallExpr &expr, mlir::Value packet);
  /// Ends the invocation unless the packet has `bytes` and `restBytes` more.
  /// `bound`: an upper bound of `bytes`, if known.
  void dropIfShort(const CallExpr &expr, mlir::Value packet, mlir::Value bytes,
                   std::optional<uint64_t> bound, uint64_t restBytes);

  mlir::Location location(SourceRange range) { return parent.location(range); }
  /// `u32`, the type of sizes and indices.
  const Type *wordType() const { return parent.types().word(); }

  /// Where `break` and `continue` go in the innermost loop or switch.
  struct JumpTargets {
    mlir::Block *breakTo;
    mlir::Block *continueTo; ///< null in a switch
    mlir::Value lock;        ///< of the critical section around the statement
  };

  ProgramLowering &parent;
  const FunctionDecl &decl;
  mlir::func::FuncOp op;
  const std::vector<AccessPath> &paths;
  mlir::OpBuilder builder;
  SsaBuilder ssa;
  std::vector<JumpTargets> jumpTargets;
  mlir::Value lock; ///< of the critical section around this point, or null
  /// The references that pointer variables hold.
  std::map<const VarDecl *, mlir::Value> pointers;
  /// One byte for each scalar of an array or struct. Its address names the
  /// scalar.
  std::map<const VarDecl *, std::vector<char>> scalarNames;
  /// The scalars whose values are kept.
  std::map<SsaBuilder::Variable, std::pair<const VarDecl *, unsigned>>
      keptScalars;
  /// References to the local variables that lie in memory; null before their
  /// declaration.
  std::map<const VarDecl *, mlir::Value> memoryLocals;
  /// The packet whose fields a demux expression reads.
  mlir::Value demuxPacket;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_FUNCTIONLOWERING_H
