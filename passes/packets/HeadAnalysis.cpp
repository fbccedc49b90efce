// A dataflow analysis of the positions of packets' heads.
//
// It consists of a sparse forward analysis in MLIR's solver, through blocks and
// calls, and a second one through channels: the packet that a PPF takes is the
// meet of the packets put on its channels.
//
// Every packet comes from Rx or packet_create, both with the head at byte 128,
// or is a copy with the head of the original. So no value is left at ⊤, and the
// backward pass of the paper's steps 4 and 7 has nothing to do.

#include "passes/packets/HeadAnalysis.h"
#include "ir/dialect/Attributes.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace karakal::passes {

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

/// Alignment beyond a DRAM quadword is useless.
constexpr uint32_t modulusMax = 8;

Residue Residue::join(const Residue &a, const Residue &b) {
  if (!a.isSet || !b.isSet)
    return a.isSet ? a : b;
  if (a == b)
    return a;
  uint32_t difference =
      a.value > b.value ? a.value - b.value : b.value - a.value;
  uint32_t common = std::gcd(std::gcd(a.modulus, b.modulus), difference);
  uint32_t modulus = std::gcd(common, modulusMax);
  KARAKAL_ASSERT(modulus != 0 && modulusMax % modulus == 0,
                 "the meet of different residues is modulo 8, 4, 2 or 1");
  return modulo(modulus, a.value);
}

void Residue::print(raw_ostream &stream) const {
  if (!isSet)
    stream << "top";
  else if (modulus == 0)
    stream << value;
  else
    stream << value << " mod " << modulus;
}

ir::HeadAttr Residue::attribute(MLIRContext *context) const {
  if (!isSet || modulus == 1 || (modulus == 0 && value > target::BufferBytes))
    return nullptr;
  return ir::HeadAttr::get(context, modulus, value);
}

Residue Residue::of(ir::HeadAttr attribute) {
  return attribute ? modulo(attribute.getModulus(), attribute.getValue())
                   : unknown();
}

/// Returns the modulus of a sum, which is 0 for two exact numbers.
static uint32_t commonModulus(const Residue &a, const Residue &b) {
  uint32_t common = std::gcd(a.modulus, b.modulus);
  return common == 0 ? 0 : std::gcd(common, modulusMax);
}

static bool isAnyUnset(const Residue &a, const Residue &b) {
  return !a.isSet || !b.isSet;
}

Residue operator+(const Residue &a, const Residue &b) {
  if (isAnyUnset(a, b))
    return {};
  return Residue::modulo(commonModulus(a, b), a.value + b.value);
}

Residue operator-(const Residue &a, const Residue &b) {
  if (isAnyUnset(a, b))
    return {};
  // Unsigned wrap-around preserves remainders modulo a power of two.
  return Residue::modulo(commonModulus(a, b), a.value - b.value);
}

Residue operator*(const Residue &a, const Residue &b) {
  if (isAnyUnset(a, b))
    return {};
  if (a.modulus == 0 && b.modulus == 0)
    return Residue::exactly(a.value * b.value);
  // (a.value + i * a.modulus) * (b.value + j * b.modulus)
  uint32_t common = std::gcd(std::gcd(a.value * b.modulus, b.value * a.modulus),
                             a.modulus * b.modulus);
  return Residue::modulo(common == 0 ? 0 : std::gcd(common, modulusMax),
                         a.value * b.value);
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

namespace {

using HeadLattice = dataflow::Lattice<Residue>;

/// The arguments of PPFs for packets from channels, by channel.
using Takers = llvm::DenseMap<StringAttr, Value>;

class HeadFlow : public dataflow::SparseForwardDataFlowAnalysis<HeadLattice> {
public:
  HeadFlow(DataFlowSolver &solver, const Takers &takers)
      : SparseForwardDataFlowAnalysis(solver) {
    for (auto &[channel, packet] : takers)
      taken.insert(packet);
  }

  void visitOperation(Operation *op, ArrayRef<const HeadLattice *> operands,
                      ArrayRef<HeadLattice *> results) override;
  void setToEntryState(HeadLattice *lattice) override;

private:
  llvm::DenseSet<Value> taken;
};

/// Propagates heads from puts on channels to the arguments of consumers.
class ChannelFlow : public DataFlowAnalysis {
public:
  ChannelFlow(DataFlowSolver &solver, const Takers &takers)
      : DataFlowAnalysis(solver), takers(takers) {}

  LogicalResult initialize(Operation *top) override;
  LogicalResult visit(ProgramPoint point) override;

private:
  void flow(Value packet, const Residue &head);

  const Takers &takers;
};

/// Returns the residue of the result of an arith operation on `known`.
Residue arithmetic(Operation *op, ArrayRef<Residue> known) {
  return TypeSwitch<Operation *, Residue>(op)
      .Case([&](arith::AddIOp) { return known[0] + known[1]; })
      .Case([&](arith::SubIOp) { return known[0] - known[1]; })
      .Case([&](arith::MulIOp) { return known[0] * known[1]; })
      .Case([&](arith::ShLIOp) {
        if (!known[1].isExact() || known[1].value > 31)
          return Residue::unknown();
        return known[0] * Residue::exactly(1u << known[1].value);
      })
      .Case([&](arith::AndIOp) {
        // A mask with zeros in its low bits gives a multiple.
        for (const Residue &mask : known)
          if (mask.isExact() && mask.value % 2 == 0)
            return Residue::modulo(
                std::gcd(mask.value & -mask.value, modulusMax), 0);
        return Residue::unknown();
      })
      .Case([&](arith::SelectOp) { return Residue::join(known[1], known[2]); })
      .Case<arith::ExtUIOp>([&](auto) { return known[0]; })
      .Default([](Operation *) { return Residue::unknown(); });
}

/// Returns the head of the packet that `op` makes.
Residue headOf(Operation *op, ArrayRef<Residue> known) {
  return TypeSwitch<Operation *, Residue>(op)
      .Case([&](ir::PacketTakeOp take) {
        if (take.getFromRx())
          return Residue::exactly(target::BufferHeadroom);
        return Residue::of(take->getAttrOfType<ir::HeadAttr>(ir::headAttrName));
      })
      .Case([&](ir::PacketDecapOp) { return known[0] + known[1]; })
      .Case([&](ir::PacketEncapOp) { return known[0] - known[1]; })
      .Case([&](ir::PacketViewOp) { return known[1]; })
      .Case<ir::PacketCreateOp, ir::PacketBlankOp>(
          [](auto) { return Residue::exactly(target::BufferHeadroom); })
      .Case<ir::PacketCopyOp, ir::PacketCloneOp, ir::PacketAddTailOp,
            ir::PacketRemoveTailOp>([&](auto) { return known[0]; })
      .Case([&](arith::SelectOp) { return Residue::join(known[1], known[2]); })
      .Default([](Operation *) { return Residue::unknown(); });
}

/// Returns `known` as the residue of an integer of `type`.
Residue cutTo(Type type, const Residue &known) {
  unsigned width = type.isInteger() ? type.getIntOrFloatBitWidth() : 0;
  if (width < 8 || width > 32)
    return Residue::unknown();
  if (!known.isExact() || width == 32)
    return known;
  return Residue::exactly(known.value & ((1u << width) - 1));
}

void HeadFlow::visitOperation(Operation *op,
                              ArrayRef<const HeadLattice *> operands,
                              ArrayRef<HeadLattice *> results) {
  if (results.size() != 1)
    return setAllToEntryStates(results);
  SmallVector<Residue> known;
  for (const HeadLattice *operand : operands)
    known.push_back(operand->getValue());
  Residue result;
  APInt constant;
  if (isa<ir::PacketType>(op->getResult(0).getType()))
    result = headOf(op, known);
  else if (matchPattern(op, m_ConstantInt(&constant)))
    result = constant.getBitWidth() <= 32
                 ? Residue::exactly(uint32_t(constant.getZExtValue()))
                 : Residue::unknown();
  else
    result = cutTo(op->getResult(0).getType(), arithmetic(op, known));
  propagateIfChanged(results[0], results[0]->join(result));
}

/// Values without incoming flow in the solver are unknown, except for packets
/// from channels.
void HeadFlow::setToEntryState(HeadLattice *lattice) {
  if (!taken.contains(lattice->getPoint()))
    propagateIfChanged(lattice, lattice->join(Residue::unknown()));
}

void ChannelFlow::flow(Value packet, const Residue &head) {
  auto *lattice = getOrCreate<HeadLattice>(packet);
  propagateIfChanged(lattice, lattice->join(head));
}

LogicalResult ChannelFlow::initialize(Operation *top) {
  for (auto channel : cast<ModuleOp>(top).getOps<ir::ChannelOp>())
    if (channel.comesFromRx())
      if (Value packet = takers.lookup(channel.getSymNameAttr()))
        flow(packet, Residue::exactly(target::BufferHeadroom));
  top->walk([&](ir::ChannelPutOp put) { (void)visit(put.getOperation()); });
  return mlir::success();
}

LogicalResult ChannelFlow::visit(ProgramPoint point) {
  auto put = cast<ir::ChannelPutOp>(point.get<Operation *>());
  if (Value packet = takers.lookup(put.getChannelAttr().getAttr()))
    flow(packet,
         getOrCreateFor<HeadLattice>(point, put.getPacket())->getValue());
  return mlir::success();
}

} // namespace

HeadAnalysis::HeadAnalysis(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto channel : module.getOps<ir::ChannelOp>())
    if (auto ppf = symbols.lookup<func::FuncOp>(channel.getConsumer()))
      takers[channel.getSymNameAttr()] = ppf.getArgument(0);
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<HeadFlow>(takers);
  solver.load<ChannelFlow>(takers);
  LogicalResult solved = solver.initializeAndRun(module);
  KARAKAL_ASSERT(succeeded(solved), "the analysis of heads ends");
}

Residue HeadAnalysis::of(Value value) const {
  auto *lattice = solver.lookupState<HeadLattice>(value);
  return lattice ? lattice->getValue() : Residue();
}

Residue HeadAnalysis::ofChannel(ir::ChannelOp channel) const {
  Value packet = takers.lookup(channel.getSymNameAttr());
  return packet ? of(packet) : Residue();
}

} // namespace karakal::passes
