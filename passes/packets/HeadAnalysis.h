// Where the heads of packets are.
//
// The lattices of Figures 10 and 11 of the paper as one: of a number is known
// nothing yet (⊤), its value, its remainder modulo 8, 4 or 2, or nothing at
// all (⊥). The numbers are the head pointers of packets, as byte offsets in
// their buffers, and the integers that heads are moved by.

#ifndef KARAKAL_PASSES_PACKETS_HEADANALYSIS_H
#define KARAKAL_PASSES_PACKETS_HEADANALYSIS_H

#include "ir/dialect/Baker.h"

#include "mlir/Analysis/DataFlowFramework.h"
#include "llvm/ADT/DenseMap.h"

namespace karakal::passes {

/// What is known of a number.
struct Residue {
  /// 0: it is `value`; m: modulo m it is `value`; 1: nothing is known.
  uint32_t modulus = 1;
  uint32_t value = 0;
  /// False: no path has brought anything yet.
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
  /// Needed by mlir::dataflow::Lattice.
  static Residue join(const Residue &a, const Residue &b);
  void print(llvm::raw_ostream &stream) const;

  /// The attribute that says the same, or null.
  ir::HeadAttr attribute(mlir::MLIRContext *context) const;
  static Residue of(ir::HeadAttr attribute);
};

/// Of a sum, a difference, a product.
Residue operator+(const Residue &a, const Residue &b);
Residue operator-(const Residue &a, const Residue &b);
Residue operator*(const Residue &a, const Residue &b);

/// Solves for all packets of a module: one core's program, in which packets
/// come from rings, or the whole program, in which they come from channels.
class HeadAnalysis {
public:
  explicit HeadAnalysis(mlir::ModuleOp module);

  /// The head of a packet, or what is known of an integer.
  Residue of(mlir::Value value) const;
  /// The heads of all packets that are put on a channel.
  Residue ofChannel(ir::ChannelOp channel) const;

private:
  mlir::DataFlowSolver solver;
  /// The packets that PPFs take from channels, by channel.
  llvm::DenseMap<mlir::StringAttr, mlir::Value> takers;
};

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_HEADANALYSIS_H
