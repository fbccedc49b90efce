// The profile of a program as attributes.
//
// One table per record links its members to the entries of the dictionary, so
// that reading and setting agree.

#include "ir/dialect/ProfileAttributes.h"
#include "support/Assert.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace karakal::ir {

namespace {

template <typename Record> struct Member {
  StringLiteral key;
  uint64_t Record::*value;
};

constexpr Member<ProgramProfile> programMembers[] = {
    {"received", &ProgramProfile::received},
    {"traces", &ProgramProfile::traces},
};

constexpr Member<FunctionProfile> functionMembers[] = {
    {"packets", &FunctionProfile::packets},
    {"instructions", &FunctionProfile::instructions},
    {"packet_reads", &FunctionProfile::packetReads},
    {"packet_writes", &FunctionProfile::packetWrites},
    {"head_moves", &FunctionProfile::headMoves},
    {"length_reads", &FunctionProfile::lengthReads},
    {"meta_reads", &FunctionProfile::metaReads},
    {"meta_writes", &FunctionProfile::metaWrites},
    {"puts", &FunctionProfile::puts},
    {"drops", &FunctionProfile::drops},
    {"copies", &FunctionProfile::copies},
};

constexpr Member<GlobalProfile> globalMembers[] = {
    {"reads", &GlobalProfile::reads},
    {"writes", &GlobalProfile::writes},
    {"read_words", &GlobalProfile::readWords},
    {"write_words", &GlobalProfile::writeWords},
    {"updates", &GlobalProfile::updates},
    {"extent", &GlobalProfile::extent},
};

template <typename Record, size_t N>
std::optional<Record> read(Operation *op, const Member<Record> (&members)[N]) {
  auto profile = op->getAttrOfType<DictionaryAttr>(profileAttrName);
  if (!profile)
    return std::nullopt;
  Record record;
  for (const Member<Record> &member : members)
    if (auto number = profile.getAs<IntegerAttr>(member.key))
      record.*member.value = number.getValue().getZExtValue();
  return record;
}

template <typename Record, size_t N>
void write(Operation *op, const Record &record,
           const Member<Record> (&members)[N]) {
  Builder builder(op->getContext());
  SmallVector<NamedAttribute> entries;
  for (const Member<Record> &member : members)
    entries.push_back(builder.getNamedAttr(
        member.key, builder.getI64IntegerAttr(record.*member.value)));
  op->setAttr(profileAttrName, builder.getDictionaryAttr(entries));
}

using Hits = std::array<uint64_t, localitySizes.size()>;

std::optional<Hits> hitsOf(Operation *op) {
  auto attribute = op->getAttrOfType<DenseI64ArrayAttr>(localityAttrName);
  if (!attribute)
    return std::nullopt;
  KARAKAL_ASSERT(attribute.size() == int64_t(localitySizes.size()),
                 "a count for each cache size");
  Hits hits{};
  llvm::copy(attribute.asArrayRef().take_front(hits.size()), hits.begin());
  return hits;
}

void setHits(Operation *op, ArrayRef<uint64_t> hits) {
  KARAKAL_ASSERT(hits.size() == localitySizes.size() && llvm::is_sorted(hits),
                 "a larger cache hits at least as often");
  op->setAttr(
      localityAttrName,
      DenseI64ArrayAttr::get(op->getContext(),
                             SmallVector<int64_t>(hits.begin(), hits.end())));
}

} // namespace

double GlobalProfile::hitRate(uint32_t entries) const {
  auto size = llvm::find(localitySizes, entries);
  if (size == localitySizes.end() || reads == 0)
    return 0;
  return double(hits[size - localitySizes.begin()]) / double(reads);
}

std::optional<ProgramProfile> profileOf(ModuleOp module) {
  return read(module, programMembers);
}

std::optional<FunctionProfile> profileOf(func::FuncOp function) {
  return read(function, functionMembers);
}

std::optional<GlobalProfile> profileOf(GlobalOp global) {
  std::optional<GlobalProfile> profile = read(global, globalMembers);
  std::optional<Hits> hits = hitsOf(global);
  if (profile && hits)
    profile->hits = *hits;
  return profile;
}

std::optional<Hits> lookupHitsOf(func::FuncOp lookup) { return hitsOf(lookup); }

std::optional<uint64_t> profileOf(ChannelOp channel) {
  auto profile = channel->getAttrOfType<DictionaryAttr>(profileAttrName);
  if (!profile)
    return std::nullopt;
  return profile.getAs<IntegerAttr>("packets").getValue().getZExtValue();
}

ArrayRef<int64_t> branchCountsOf(Operation *branch) {
  auto counts = branch->getAttrOfType<DenseI64ArrayAttr>(branchAttrName);
  return counts ? counts.asArrayRef() : ArrayRef<int64_t>();
}

double branchProbability(Operation *branch, unsigned index) {
  KARAKAL_ASSERT(index < branch->getNumSuccessors(),
                 "the branch has the successor");
  ArrayRef<int64_t> counts = branchCountsOf(branch);
  double sum = 0;
  for (int64_t count : counts)
    sum += double(count);
  if (sum == 0 || index >= counts.size())
    return 1.0 / branch->getNumSuccessors();
  return double(counts[index]) / sum;
}

void setProfile(ModuleOp module, const ProgramProfile &profile) {
  write(module, profile, programMembers);
}

void setProfile(func::FuncOp function, const FunctionProfile &profile) {
  write(function, profile, functionMembers);
}

void setProfile(GlobalOp global, const GlobalProfile &profile) {
  write(global, profile, globalMembers);
  setHits(global, profile.hits);
}

void setLookupHits(func::FuncOp lookup, ArrayRef<uint64_t> hits) {
  setHits(lookup, hits);
}

void setProfile(ChannelOp channel, uint64_t packets) {
  Builder builder(channel.getContext());
  channel->setAttr(profileAttrName,
                   builder.getDictionaryAttr(builder.getNamedAttr(
                       "packets", builder.getI64IntegerAttr(packets))));
}

void setBranchCounts(Operation *branch, ArrayRef<int64_t> counts) {
  KARAKAL_ASSERT(counts.size() == branch->getNumSuccessors(),
                 "a count for each successor");
  branch->setAttr(branchAttrName,
                  DenseI64ArrayAttr::get(branch->getContext(), counts));
}

void removeProfile(ModuleOp module) {
  module->walk([](Operation *op) {
    for (StringLiteral name :
         {profileAttrName, branchAttrName, localityAttrName})
      op->removeAttr(name);
  });
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

template <typename Record, size_t N>
static bool isMember(StringRef key, const Member<Record> (&members)[N]) {
  return llvm::any_of(members, [&](auto &member) { return member.key == key; });
}

static bool isProfileKey(Operation *op, StringRef key) {
  if (isa<ModuleOp>(op))
    return isMember(key, programMembers);
  if (isa<func::FuncOp>(op))
    return isMember(key, functionMembers);
  if (isa<GlobalOp>(op))
    return isMember(key, globalMembers);
  return isa<ChannelOp>(op) && key == "packets";
}

LogicalResult verifyProfile(Operation *op, Attribute attribute) {
  auto profile = dyn_cast<DictionaryAttr>(attribute);
  bool needsPackets = isa<func::FuncOp, ChannelOp>(op);
  if (!profile || (needsPackets && !profile.get("packets")))
    return op->emitOpError("'baker.profile' must be {")
           << (needsPackets ? "packets = N : i64, " : "") << "...}";
  for (NamedAttribute entry : profile) {
    if (!isProfileKey(op, entry.getName()))
      return op->emitOpError("'baker.profile' has no entry '")
             << entry.getName().getValue() << "'";
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    if (!number || !number.getType().isSignlessInteger(64) ||
        number.getInt() < 0)
      return op->emitOpError("'")
             << entry.getName().getValue()
             << "' of 'baker.profile' must be a 64-bit count";
  }
  return success();
}

LogicalResult verifyBranch(Operation *op, Attribute attribute) {
  auto counts = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!counts || counts.size() != op->getNumSuccessors() ||
      llvm::any_of(counts.asArrayRef(), [](int64_t n) { return n < 0; }))
    return op->emitOpError("'baker.branch' must be array<i64: ...> with one "
                           "count for each of ")
           << op->getNumSuccessors() << " successors";
  return success();
}

LogicalResult verifyLocality(Operation *op, Attribute attribute) {
  auto hits = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!hits || hits.size() != int64_t(localitySizes.size()) ||
      !llvm::is_sorted(hits.asArrayRef()) || hits[0] < 0)
    return op->emitOpError("'baker.locality' must be array<i64: ...> with ")
           << localitySizes.size() << " non-decreasing counts";
  return success();
}

} // namespace karakal::ir
