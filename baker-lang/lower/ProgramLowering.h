// Lowers the declarations of a program to the baker dialect.

#ifndef KARAKAL_BAKER_LANG_LOWER_PROGRAMLOWERING_H
#define KARAKAL_BAKER_LANG_LOWER_PROGRAMLOWERING_H

#include "baker-lang/lower/AccessPath.h"
#include "baker-lang/lower/LoweringOptions.h"
#include "baker-lang/tree/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace karakal::lang {

/// The protocol whose fields are any bytes of a packet: "12:32" is the word at
/// byte 12.
inline constexpr const char *bytesProtocolName = "packet.bytes";

/// Suffixes of the two parts that a number of more than 64 bits has in packets,
/// metadata, global data and calls of control functions. The low one has 64
/// bits.
inline constexpr const char *wideHighSuffix = ".high", *wideLowSuffix = ".low";

/// Built-in metadata that the PPF wired to `rx` sets if the program uses it.
inline constexpr const char *rxLengthName = "rx.length",
                            *rxTimeName = "rx.time";

/// True if `decl` takes a parameter of `type` as two arguments.
inline bool isPassedInParts(const FunctionDecl &decl, const Type *type) {
  return decl.role == Role::Control && type->isWide();
}

/// Creates the module, its symbols and its functions. FunctionLowering lowers
/// the bodies of the functions.
class ProgramLowering {
public:
  ProgramLowering(const Program &program, const SourceManager &sources,
                  mlir::MLIRContext &context, const LoweringOptions &options);

  mlir::OwningOpRef<mlir::ModuleOp> run();

  mlir::Location location(SourceRange range) const;
  mlir::Type lowerType(const Type *type);
  /// The type of a variable of `type` in global data: a struct of two parts for
  /// a number of more than 64 bits, `lowerType` of any other type.
  mlir::Type storedType(const Type *type);
  mlir::Type packetType(const ProtocolDecl *protocol);

  /// The symbol of `decl`. A function with pointer parameters is copied for
  /// each combination of access paths that it is called with. The copy is made
  /// at the first request.
  std::string functionFor(const FunctionDecl &decl,
                          const std::vector<AccessPath> &paths);

  const TypeTable &types() const { return program.types; }
  /// The input that all received packets go to, or null.
  const EndpointDecl *onlyReceiver() const { return program.onlyReceiver(); }
  /// True if packets carry the metadata `name`, `rx.length` or `rx.time`.
  bool carries(const char *name) const;
  /// Sets `rx.length` and `rx.time` of a packet that was received or created,
  /// if the program uses them.
  void setReceiveMetadata(mlir::OpBuilder &builder, mlir::Value packet,
                          mlir::Location at) const;

  bool keepsTraces() const { return options.keepsTraces; }
  bool keepsVariables() const { return options.keepsVariables; }
  /// The line, from 1, where `range` begins.
  uint32_t lineOf(SourceRange range) const;
  /// What `refusal(text)` returns; the same text has one number.
  int32_t refusalNumber(const std::string &text);
  /// A number for a loop with a bound, from 1.
  uint32_t nextLoopNumber() { return ++loopCount; }

private:
  void lowerMetadata();
  void lowerMetadata(const MetadataDecl &decl);
  void lowerDropReasons();
  void lowerProtocol(const ProtocolDecl &decl);
  void lowerGlobal(const GlobalDecl &decl);
  void lowerTable(const TableDecl &decl); ///< LowerTables.cpp
  // Queues (LowerQueues.cpp).
  mlir::Type queueType(const Type *queue);
  /// Declares the locks of a variable of queues, if it is one.
  void lowerQueueLocks(const GlobalDecl &decl);
  void lowerChannels(const PpfDecl &decl);
  void lowerFunction(const FunctionDecl &decl, const std::string &symbol,
                     const std::vector<AccessPath> &paths);
  mlir::func::FuncOp createFunction(const FunctionDecl &decl,
                                    const std::string &symbol,
                                    const std::vector<AccessPath> &paths);
  void setControlSignature(mlir::func::FuncOp op, const FunctionDecl &decl);
  /// Declares a built-in drop reason if the module uses it.
  void declareBuiltinReason(llvm::StringRef name);

  // Receiving (LowerReceive.cpp).
  void lowerReceiveChannels();
  void lowerPortDispatch();
  void declareBytesProtocol();

  using CopyKey = std::pair<const FunctionDecl *, std::vector<AccessPath>>;
  std::map<CopyKey, std::string> copies; ///< to their symbols
  std::map<const FunctionDecl *, unsigned> copyCounts;
  uint32_t loopCount = 0;
  std::vector<std::string> refusals; ///< the texts, in the order of numbers

  const Program &program;
  const SourceManager &sources;
  const LoweringOptions options;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_PROGRAMLOWERING_H
