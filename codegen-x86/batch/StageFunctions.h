// The functions of a batch's stages, in the LLVM dialect.

#ifndef KARAKAL_CODEGEN_X86_BATCH_STAGEFUNCTIONS_H
#define KARAKAL_CODEGEN_X86_BATCH_STAGEFUNCTIONS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace karakal::x86 {

/// The number of the stage in which packets run to their end.
inline constexpr unsigned LastStage = std::numeric_limits<unsigned>::max();

/// A place where packets wait.
struct Cut {
  mlir::Operation *call;
  unsigned stage;
  /// The block after the call.
  mlir::Block *next;
  /// The numbers of the values that are live there.
  std::vector<unsigned> live;
};

/// Makes the stages of `batch` and the function that runs them.
class StageFunctions {
public:
  /// `values` are the values live at any cut, by number.
  StageFunctions(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp batch,
                 std::vector<Cut> cuts, const std::vector<mlir::Value> &values);

  void make();

private:
  /// A function under construction: its stack slots by number of the value.
  struct Copy {
    mlir::LLVM::LLVMFuncOp function;
    mlir::IRMapping map;
    std::map<unsigned, mlir::Value> slots;
    unsigned stage;
  };
  /// What a stage has of the batch's function.
  struct Part {
    std::set<mlir::Block *> blocks;
    std::vector<const Cut *> ends;
    /// Numbers of values.
    std::set<unsigned> live;
  };

  Part partOf(unsigned stage);
  void copyBlocks(Copy &copy, const Part &part);
  mlir::LLVM::LLVMFuncOp makeStage(unsigned stage);
  void useSlots(Copy &copy);
  void enter(Copy &copy, mlir::OpBuilder &builder);
  void leave(Copy &copy, const Cut &cut);
  std::optional<unsigned> endOfLoop(unsigned first);
  void makeRun();
  void makeLoop(mlir::OpBuilder &builder, unsigned first, unsigned last,
                mlir::Value start);

  mlir::Value global(mlir::OpBuilder &builder, const std::string &name,
                     mlir::Type type);
  mlir::Value element(mlir::OpBuilder &builder, mlir::Value array,
                      mlir::Type type, mlir::Value slot);
  mlir::Value liveElement(mlir::OpBuilder &builder, unsigned number,
                          mlir::Value slot);
  mlir::Type waitingType();
  mlir::Value waiting(mlir::OpBuilder &builder, unsigned stage);
  mlir::Value call(mlir::OpBuilder &builder, llvm::StringRef name,
                   mlir::Type result, mlir::ValueRange operands);
  mlir::Value functionAddress(mlir::OpBuilder &builder, unsigned stage);

  mlir::ModuleOp module;
  mlir::LLVM::LLVMFuncOp batch;
  std::vector<Cut> cuts;
  const std::vector<mlir::Value> &values;
  mlir::Location loc;
  mlir::Type i8, i32, pointer;
  /// The globals that this adds, by name.
  std::map<std::string, mlir::LLVM::GlobalOp> globals;
  /// The functions by stage, and the stages that each can lead to.
  std::map<unsigned, mlir::LLVM::LLVMFuncOp> functions;
  std::map<unsigned, std::set<unsigned>> leadsTo;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_BATCH_STAGEFUNCTIONS_H
