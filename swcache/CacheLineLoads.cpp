// Loads of array elements through cache lines in local memory.
//
//   probe: hit = …                    // see below
//          if (hit) goto read
//          g = generation
//          words = element            // one burst
//          if (g != generation) goto home
//          line = …; lines[line].entry = words; set the key of the line
//          value = of words
//   read:  value = load of lines[line]
//   home:  value = load               // a refresh came in between
//
// With the CAM the key is the index with the array's tag bits. The CAM finds
// the cache line. If none has the element, a second CAM look-up after the burst
// names the least recently used one. A direct-mapped cache takes the line from
// the lowest bits of the index, and the line holds the index of its element as
// a tag.
//
// Contexts swap only at the burst, so a cache line and its key are always read
// and written together.

#include "swcache/CacheLineLoads.h"

#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Returns the words from the start of `element` to `ref` inside of it, or
/// nothing if that is variable.
std::optional<uint64_t> constantOffset(Value ref, ir::ElementOp element) {
  uint64_t words = 0;
  for (Operation *op = ref.getDefiningOp(); op != element;
       op = op->getOperand(0).getDefiningOp()) {
    auto field = dyn_cast<ir::FieldOp>(op);
    if (!field)
      return std::nullopt;
    auto record = cast<ir::StructType>(ir::pointeeOf(field.getRecord()));
    words += ir::fieldWordOffset(record, *record.fieldIndex(field.getField()));
  }
  return words;
}

/// Emits the code of one load.
class CacheLineLoad {
public:
  CacheLineLoad(Operation *load, ir::ElementOp element, const ArrayCache &cache,
                ir::GlobalOp generation)
      : load(load), element(element), cache(cache), generation(generation),
        loc(load->getLoc()) {}

  bool make();

private:
  CacheCode at(Block *block) {
    return CacheCode(OpBuilder::atBlockEnd(block), loc);
  }
  Value field(CacheCode &code, Value line, StringRef name);
  void probe(CacheCode &code, Block *read, Block *miss);
  Value replacedCacheLine(CacheCode &code);
  Value hitCacheLine(CacheCode &code);
  void setKey(CacheCode &code, Value line);
  SmallVector<Value> resultsFrom(CacheCode &code, ValueRange words);
  SmallVector<int64_t> counts() const;

  Operation *load;
  ir::ElementOp element;
  const ArrayCache &cache;
  ir::GlobalOp generation;
  Location loc;
  uint64_t first = 0;   ///< first word of the element that is loaded
  Value key, camResult; ///< the key of the CAM look-up and its result
};

/// Returns the reference to a field of cache line `line`.
Value CacheLineLoad::field(CacheCode &code, Value line, StringRef name) {
  Value ref = code.element(cache.lines, line);
  auto record = cast<ir::StructType>(ir::pointeeOf(ref));
  Type type = ir::RefType::get(ref.getContext(), record.fieldType(name));
  return code.builder.create<ir::FieldOp>(
      loc, type, ref, StringAttr::get(ref.getContext(), name));
}

/// Returns the hits and the misses of the array's loads in the profile.
SmallVector<int64_t> CacheLineLoad::counts() const {
  auto profile = ir::profileOf(cache.home);
  if (!profile || profile->reads == 0)
    return {};
  double rate = profile->hitRate(
      cache.isDirectMapped ? uint32_t(cache.count()) / cacheLinesPerCamEntry
                           : target::CamEntries);
  auto hits = int64_t(rate * double(profile->reads));
  return {hits, int64_t(profile->reads) - hits};
}

/// Returns the cache line that a missing element replaces.
Value CacheLineLoad::replacedCacheLine(CacheCode &code) {
  if (!cache.isDirectMapped)
    return code.entryOf(code.lookUpCam(key));
  return code.builder.create<arith::AndIOp>(
      loc, element.getIndex(), code.word(int64_t(cache.count() - 1)));
}

/// Returns the cache line of an element that hit.
Value CacheLineLoad::hitCacheLine(CacheCode &code) {
  return cache.isDirectMapped ? replacedCacheLine(code)
                              : code.entryOf(camResult);
}

void CacheLineLoad::probe(CacheCode &code, Block *read, Block *miss) {
  Value hit;
  if (cache.isDirectMapped) {
    // No memory command may come between the loads of tag and element.
    code.barrier();
    Value tag = code.builder.create<ir::LoadOp>(
        loc, field(code, replacedCacheLine(code), cacheLineTagName));
    hit = code.compare(arith::CmpIPredicate::eq, tag, element.getIndex());
  } else {
    key = element.getIndex();
    if (cache.tag != 0)
      key = code.builder.create<arith::OrIOp>(loc, key, code.word(cache.tag));
    camResult = code.lookUpCam(key);
    hit = code.isHit(camResult);
  }
  code.branchIf(hit, read, miss, counts());
}

/// Returns the results of the load from the words of the element.
SmallVector<Value> CacheLineLoad::resultsFrom(CacheCode &code,
                                              ValueRange words) {
  KARAKAL_ASSERT(first < words.size(), "the load begins inside the element");
  words = words.drop_front(first);
  if (isa<ir::LoadWordsOp>(load))
    return llvm::to_vector(words.take_front(load->getNumResults()));
  Type type = load->getResult(0).getType();
  unsigned width = type.getIntOrFloatBitWidth();
  OpBuilder &builder = code.builder;
  if (width == 32)
    return {words[0]};
  if (width < 32)
    return {builder.create<arith::TruncIOp>(loc, type, words[0])};
  // The high word comes first.
  Type wide = builder.getI64Type();
  Value high = builder.create<arith::ExtUIOp>(loc, wide, words[0]);
  Value low = builder.create<arith::ExtUIOp>(loc, wide, words[1]);
  Value shift =
      builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(32));
  Value all = builder.create<arith::OrIOp>(
      loc, builder.create<arith::ShLIOp>(loc, high, shift), low);
  return {width == 64 ? all : builder.create<arith::TruncIOp>(loc, type, all)};
}

/// Sets the key of a cache line.
void CacheLineLoad::setKey(CacheCode &code, Value line) {
  if (cache.isDirectMapped)
    code.builder.create<ir::StoreOp>(loc, element.getIndex(),
                                     field(code, line, cacheLineTagName));
  else
    code.writeCam(line, key);
}

bool CacheLineLoad::make() {
  KARAKAL_ASSERT(generation, "the plan has a generation for array caches");
  KARAKAL_ASSERT(!cache.isDirectMapped || llvm::isPowerOf2_64(cache.count()),
                 "index bits choose one of 2^n cache lines");
  std::optional<uint64_t> offset = constantOffset(load->getOperand(0), element);
  if (!offset)
    return false;
  first = *offset;
  if (auto words = dyn_cast<ir::LoadWordsOp>(load))
    first += words.getAt();
  Block *before = load->getBlock();
  Block *rest = before->splitBlock(load->getNextNode());
  OpBuilder builder(load->getContext());
  auto addBlock = [&] { return builder.createBlock(rest); };
  Block *read = addBlock(), *miss = addBlock(), *fill = addBlock(),
        *home = addBlock();
  for (Value result : load->getResults())
    result.replaceAllUsesWith(rest->addArgument(result.getType(), loc));
  load->moveBefore(home, home->end());
  at(home).builder.create<cf::BranchOp>(loc, rest, load->getResults());

  CacheCode code = at(before);
  probe(code, read, miss);

  code = at(read);
  Operation *fast = code.builder.clone(*load);
  code.builder.setInsertionPoint(fast);
  fast->setOperand(0,
                   rebase(code.builder, load->getOperand(0), element,
                          field(code, hitCacheLine(code), cacheLineEntryName)));
  at(read).builder.create<cf::BranchOp>(loc, rest, fast->getResults());

  code = at(miss);
  Value seen = code.load(generation);
  code.barrier();
  uint64_t count = ir::wordCount(ir::pointeeOf(element.getResult()));
  auto burst = code.builder.create<ir::LoadWordsOp>(
      loc, SmallVector<Type>(count, builder.getI32Type()), element.getResult(),
      code.builder.getI32IntegerAttr(0));
  code.barrier();
  code.branchIf(
      code.compare(arith::CmpIPredicate::eq, seen, code.load(generation)), fill,
      home, {seldom[1], seldom[0]});

  code = at(fill);
  Value line = replacedCacheLine(code);
  code.builder.create<ir::StoreWordsOp>(loc, burst.getWords(),
                                        field(code, line, cacheLineEntryName),
                                        code.builder.getI32IntegerAttr(0));
  setKey(code, line);
  code.builder.create<cf::BranchOp>(loc, rest,
                                    resultsFrom(code, burst.getWords()));
  return true;
}

} // namespace

void sinkToUse(Operation *load) {
  Operation *to = load->getNextNode();
  while (!to->hasTrait<OpTrait::IsTerminator>() &&
         !llvm::is_contained(load->getUsers(), to) &&
         (isa<ir::LoadOp, ir::LoadWordsOp>(to) || isMemoryEffectFree(to)))
    to = to->getNextNode();
  load->moveBefore(to);
}

bool loadFromCacheLine(Operation *load, ir::ElementOp element,
                       const ArrayCache &cache, ir::GlobalOp generation) {
  return CacheLineLoad(load, element, cache, generation).make();
}

void clearCacheLines(CacheCode &code, const ArrayCache &cache) {
  KARAKAL_ASSERT(cache.isDirectMapped, "cache lines with the CAM have no tag");
  code.repeat(cache.count(), [&](CacheCode &body, Value index) {
    Value ref = body.element(cache.lines, index);
    Type word = ir::RefType::get(ref.getContext(), body.builder.getI32Type());
    Value tag = body.builder.create<ir::FieldOp>(
        body.loc, word, ref,
        StringAttr::get(ref.getContext(), cacheLineTagName));
    body.builder.create<ir::StoreOp>(body.loc, body.word(noTag), tag);
  });
}

} // namespace karakal::swcache
