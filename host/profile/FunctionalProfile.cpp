// The functional profile.

#include "host/profile/FunctionalProfile.h"
#include "host/Instrument.h"
#include "ir/analysis/Lookups.h"
#include "ir/analysis/OperationCost.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Services.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace karakal::host {

using namespace mlir;
using func::FuncOp;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Returns the FNV-1a hash of `text`.
static uint64_t hashText(llvm::StringRef text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

template <typename Printable> static std::string textOf(Printable value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

namespace {

/// Hashes functions. MLIR takes long to print a type or an attribute, so each
/// is printed once.
class Shapes {
public:
  uint64_t of(FuncOp function);

private:
  void describe(Operation &op, const llvm::DenseMap<Block *, int> &blocks,
                llvm::raw_ostream &out);
  template <typename Printable> llvm::StringRef text(Printable value) {
    std::string &text = texts[value.getAsOpaquePointer()];
    if (text.empty())
      text = textOf(value);
    return text;
  }

  llvm::DenseMap<const void *, std::string> texts;
};

} // namespace

/// Prints one line per operation: its name, the attributes that belong to the
/// program, its types and its successors.
void Shapes::describe(Operation &op, const llvm::DenseMap<Block *, int> &blocks,
                      llvm::raw_ostream &out) {
  out << op.getName().getStringRef();
  for (NamedAttribute attribute : op.getAttrs())
    if (!attribute.getName().getValue().starts_with("baker."))
      out << ' ' << attribute.getName().getValue() << '='
          << text(attribute.getValue());
  for (Type type : op.getOperandTypes())
    out << ' ' << text(type);
  out << " ->";
  for (Type type : op.getResultTypes())
    out << ' ' << text(type);
  for (Block *successor : op.getSuccessors())
    out << " ^" << blocks.lookup(successor);
  out << '\n';
}

uint64_t Shapes::of(FuncOp function) {
  llvm::DenseMap<Block *, int> blocks;
  for (Block &block : function.getBody())
    blocks.try_emplace(&block, blocks.size());
  std::string described;
  llvm::raw_string_ostream out(described);
  out << text(Type(function.getFunctionType())) << '\n';
  for (Block &block : function.getBody())
    for (Operation &op : block)
      describe(op, blocks, out);
  return hashText(described);
}

//===----------------------------------------------------------------------===//
// From a run
//===----------------------------------------------------------------------===//

/// Adds the run's counters to their functions.
static void addFunctions(Profile &profile, ModuleOp baker, const HostRun &run) {
  std::vector<CounterSite> sites = counterSites(baker);
  KARAKAL_ASSERT(sites.size() == run.profile.size(),
                 "the run's counters are those of the program");
  Shapes shapes;
  FuncOp current;
  for (size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].function != current) {
      current = sites[i].function;
      profile.functions.push_back(
          {current.getSymName().str(), shapes.of(current), {}, {}, {}, {}});
    }
    FunctionCounts &counts = profile.functions.back();
    uint64_t count = run.profile[i];
    if (sites[i].successor == CounterSite::wholeBlock) {
      counts.blocks.push_back(count);
      counts.updates.push_back(run.updates[i]);
    } else if (isa<cf::CondBranchOp>(sites[i].block->getTerminator())) {
      counts.branches.push_back({count, counts.blocks.back() - count});
    } else {
      if (sites[i].successor == 0)
        counts.branches.emplace_back();
      counts.branches.back().push_back(count);
    }
  }
}

/// Returns the hits for each cache size of a profile.
static std::array<uint64_t, ir::localitySizes.size()>
hitsOf(const LruStack &stack) {
  std::array<uint64_t, ir::localitySizes.size()> hits{};
  for (size_t i = 0; i < hits.size(); ++i)
    hits[i] = stack.hits(ir::localitySizes[i]);
  return hits;
}

Profile makeProfile(ModuleOp baker, const HostRun &run) {
  Profile profile;
  profile.program = baker.getName().value_or("program").str();
  profile.traces = 1;
  profile.received = run.packets.received;
  addFunctions(profile, baker, run);
  auto stack = run.locality.begin();
  for (auto global : baker.getOps<ir::GlobalOp>()) {
    GlobalCounts counts{
        global.getSymName().str(), hashText(textOf(global.getType())), {}, 0};
    counts.hits = hitsOf(*stack);
    counts.extent = stack->extent();
    profile.globals.push_back(std::move(counts));
    ++stack;
  }
  for (FuncOp lookup : ir::lookupsOf(baker)) {
    auto counts = llvm::find_if(profile.functions, [&](FunctionCounts &each) {
      return each.name == lookup.getSymName();
    });
    counts->lookupHits = hitsOf(*stack++);
  }
  return profile;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

template <typename Numbers> static void add(Numbers &to, const Numbers &from) {
  for (size_t i = 0; i < to.size(); ++i)
    to[i] += from[i];
}

template <typename Part>
static bool sameParts(const std::vector<Part> &a, const std::vector<Part> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Part &x, const Part &y) {
                      return x.name == y.name && x.shape == y.shape;
                    });
}

Status merge(Profile &profile, const Profile &other) {
  if (!sameParts(profile.functions, other.functions) ||
      !sameParts(profile.globals, other.globals))
    return makeError("E-host-007", "the profiles of '" + profile.program +
                                       "' and '" + other.program +
                                       "' are of different programs; only "
                                       "profiles of one program merge");
  profile.traces += other.traces;
  profile.received += other.received;
  for (size_t i = 0; i < profile.functions.size(); ++i) {
    FunctionCounts &to = profile.functions[i];
    const FunctionCounts &from = other.functions[i];
    add(to.blocks, from.blocks);
    add(to.updates, from.updates);
    add(to.lookupHits, from.lookupHits);
    for (size_t j = 0; j < to.branches.size(); ++j)
      add(to.branches[j], from.branches[j]);
  }
  for (size_t i = 0; i < profile.globals.size(); ++i) {
    add(profile.globals[i].hits, other.globals[i].hits);
    profile.globals[i].extent =
        std::max(profile.globals[i].extent, other.globals[i].extent);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// On the program
//===----------------------------------------------------------------------===//

namespace {

/// Sets the attributes of a profile on a program.
class Annotator {
public:
  Annotator(ModuleOp baker, const Profile &profile)
      : baker(baker), profile(profile) {}

  Status run();

private:
  Status check();
  Status stale(const std::string &why);
  void annotate(FuncOp function, const FunctionCounts &counts);
  void count(Operation &op, uint64_t times, ir::FunctionProfile &to);
  void countAccess(Value ref, uint64_t times, uint64_t updates, bool isStore);

  ModuleOp baker;
  const Profile &profile;
  llvm::StringMap<ir::GlobalProfile> globals;
  llvm::StringMap<uint64_t> channels;
};

} // namespace

Status Annotator::stale(const std::string &why) {
  return makeError("E-host-008",
                   "the profile is stale: " + why +
                       ". Make a new one with --profile-trace and "
                       "--emit-profile.");
}

/// Whether there is a count for each block and each successor.
static bool fits(FuncOp function, const FunctionCounts &counts) {
  size_t branch = 0;
  for (Block &block : function.getBody()) {
    Operation *last = block.getTerminator();
    if (!isa<cf::CondBranchOp, cf::SwitchOp>(last))
      continue;
    if (branch == counts.branches.size() ||
        counts.branches[branch++].size() != last->getNumSuccessors())
      return false;
  }
  size_t blocks = function.getBody().getBlocks().size();
  return branch == counts.branches.size() && counts.blocks.size() == blocks &&
         counts.updates.size() == blocks;
}

Status Annotator::check() {
  llvm::StringMap<const FunctionCounts *> functions;
  for (const FunctionCounts &counts : profile.functions)
    functions[counts.name] = &counts;
  size_t bodies = 0;
  Shapes shapes;
  for (FuncOp function : baker.getOps<FuncOp>()) {
    if (function.isExternal())
      continue;
    ++bodies;
    auto found = functions.find(function.getSymName());
    if (found == functions.end())
      return stale("it does not contain function " +
                   function.getSymName().str());
    if (found->second->shape != shapes.of(function) ||
        !fits(function, *found->second))
      return stale("function " + function.getSymName().str() +
                   " has changed since");
  }
  if (bodies != functions.size())
    return stale("it has functions that the program does not have");
  llvm::StringMap<uint64_t> types;
  for (const GlobalCounts &counts : profile.globals)
    types[counts.name] = counts.shape;
  for (auto global : baker.getOps<ir::GlobalOp>())
    if (types.lookup(global.getSymName()) != hashText(textOf(global.getType())))
      return stale("global " + global.getSymName().str() +
                   " is new or has another type");
  return success();
}

void Annotator::countAccess(Value ref, uint64_t times, uint64_t updates,
                            bool isStore) {
  uint64_t words = ir::wordCount(cast<ir::RefType>(ref.getType()).getPointee());
  Operation *op = ref.getDefiningOp();
  while (op && !isa<ir::GlobalRefOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (!op)
    return;
  ir::GlobalProfile &to = globals[cast<ir::GlobalRefOp>(op).getGlobal()];
  (isStore ? to.writes : to.reads) += times;
  (isStore ? to.writeWords : to.readWords) += times * words;
  if (isStore)
    to.updates += updates;
}

void Annotator::count(Operation &op, uint64_t times, ir::FunctionProfile &to) {
  to.instructions += times * ir::costOf(&op).instructions;
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](ir::PacketReadOp) { to.packetReads += times; })
      .Case([&](ir::PacketWriteOp) { to.packetWrites += times; })
      .Case<ir::PacketDecapOp, ir::PacketEncapOp, ir::PacketAddTailOp,
            ir::PacketRemoveTailOp>([&](auto) { to.headMoves += times; })
      .Case<ir::PacketLengthOp, ir::PacketHeadroomOp>(
          [&](auto) { to.lengthReads += times; })
      .Case([&](ir::MetaReadOp) { to.metaReads += times; })
      .Case([&](ir::MetaWriteOp) { to.metaWrites += times; })
      .Case([&](ir::PacketDropOp) { to.drops += times; })
      .Case<ir::PacketCopyOp, ir::PacketCreateOp>(
          [&](auto) { to.copies += times; })
      .Case([&](ir::ChannelPutOp put) {
        to.puts += times;
        channels[put.getChannel()] += times;
      });
}

void Annotator::annotate(FuncOp function, const FunctionCounts &counts) {
  ir::FunctionProfile to;
  to.packets = counts.blocks.empty() ? 0 : counts.blocks.front();
  size_t index = 0, branch = 0;
  for (Block &block : function.getBody()) {
    uint64_t times = counts.blocks[index], updates = counts.updates[index];
    ++index;
    for (Operation &op : block) {
      count(op, times, to);
      if (auto load = dyn_cast<ir::LoadOp>(op))
        countAccess(load.getRef(), times, 0, false);
      else if (auto store = dyn_cast<ir::StoreOp>(op))
        countAccess(store.getRef(), times, updates, true);
      else if (auto atomic = dyn_cast<ir::AtomicOp>(op))
        countAccess(atomic.getRef(), times, updates, true);
    }
    Operation *last = block.getTerminator();
    if (isa<cf::CondBranchOp, cf::SwitchOp>(last)) {
      const std::vector<uint64_t> &taken = counts.branches[branch++];
      ir::setBranchCounts(last,
                          SmallVector<int64_t>(taken.begin(), taken.end()));
    }
  }
  ir::setProfile(function, to);
  if (ir::isLookup(function))
    ir::setLookupHits(function, counts.lookupHits);
}

Status Annotator::run() {
  if (Status status = check(); !status)
    return status;
  ir::removeProfile(baker);
  SymbolTable symbols(baker);
  for (const FunctionCounts &counts : profile.functions)
    annotate(symbols.lookup<FuncOp>(counts.name), counts);
  for (const GlobalCounts &counts : profile.globals) {
    globals[counts.name].hits = counts.hits;
    globals[counts.name].extent = counts.extent;
  }
  for (auto global : baker.getOps<ir::GlobalOp>())
    ir::setProfile(global, globals[global.getSymName()]);
  for (auto channel : baker.getOps<ir::ChannelOp>())
    ir::setProfile(channel, channel.comesFromRx()
                                ? profile.received
                                : channels[channel.getSymName()]);
  ir::setProfile(baker, {profile.received, profile.traces});
  return success();
}

Status annotate(ModuleOp baker, const Profile &profile) {
  return Annotator(baker, profile).run();
}

Counts eventCounts(ModuleOp annotated) {
  Counts counts;
  auto add = [&](const std::string &what, uint64_t count) {
    if (count != 0)
      counts.emplace_back(what, count);
  };
  for (auto channel : annotated.getOps<ir::ChannelOp>())
    if (!channel.comesFromRx())
      add("channel " + channel.getSymName().str(),
          ir::profileOf(channel).value_or(0));
  for (auto global : annotated.getOps<ir::GlobalOp>()) {
    auto profile = ir::profileOf(global).value_or(ir::GlobalProfile());
    add("read " + global.getSymName().str(), profile.reads);
    add("write " + global.getSymName().str(), profile.writes);
  }
  return counts;
}

} // namespace karakal::host
