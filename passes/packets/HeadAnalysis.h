// A dataflow analysis of the positions of packets' heads.
//
// The analysis combines the lattices of Figures 10 and 11 of the paper. A
// number is unvisited (⊤), has a known value, has a known remainder modulo 8, 4
// or 2, or is unknown (⊥). The numbers are the head pointers of packets, as
// byte offsets in their buffers, and the integers by which heads move.

#ifndef KARAKAL_PASSES_PACKETS_HEADANALYSIS_H
#define KARAKAL_PASSES_PACKETS_HEADANALYSIS_H

#include "ir/dialect/Baker.h"

#include "mlir/Analysis/DataFlowFramework.h"
#include "llvm/ADT/DenseMap.h"

namespace karakal::passes {

/// The lattice value of a number.
struct Residue {
  /// 0: the number is `value`; m: it is `value` modulo m; 1: it is unknown.
  uint32_t modulus = 1;
  uint32_t value = 0;
  /// False if no path has reached the number yet.
  bool isSet = false;

  static Residue exactly(uint32_t value) { return {0, value, true}; }
  static Residue unknown() { return {1, 0, true}; }
  static Residue modulo(uint32_t modulus, uint32_t value) {
    return {modulus, modulus == 0 ? value : value % modulus, true};
  }

  bool isExact() const { return isSet && modulus == 0; }
  bool operator==(const Residue &other) const {
    return isSet == other.isSet && modulus == other.modulus &&
           value == other.value;
  }
  /// The dataflow meet, as mlir::dataflow::Lattice names it.
  static Residue join(const Residue &a, const Residue &b);
  void print(llvm::raw_ostream &stream) const;

  /// Returns the attribute for this residue, or null if it is unknown.
  ir::HeadAttr attribute(mlir::MLIRContext *context) const;
  static Residue of(ir::HeadAttr attribute);
};

/// The residues of a sum, a difference and a product.
Residue operator+(const Residue &a, const Residue &b);
Residue operator-(const Residue &a, const Residue &b);
Residue operator*(const Residue &a, const Residue &b);

/// The solution for all packets of a module. The module is one core's program,
/// in which packets come from rings, or the whole program, in which they come
/// from channels.
class HeadAnalysis {
public:
  explicit HeadAnalysis(mlir::ModuleOp module);

  /// The residue of the head of a packet, or of an integer.
  Residue of(mlir::Value value) const;
  /// The meet of the heads of all packets that are put on a channel.
  Residue ofChannel(ir::ChannelOp channel) const;

private:
  mlir::DataFlowSolver solver;
  /// The arguments of PPFs for packets from channels, by channel.
  llvm::DenseMap<mlir::StringAttr, mlir::Value> takers;
};

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_HEADANALYSIS_H
