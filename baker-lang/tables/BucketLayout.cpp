// Where a hash table of buckets has the words of an entry: the choice.

#include "baker-lang/tables/BucketLayout.h"

#include "baker-lang/tables/SlotLayout.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Target.h"
#include "support/Assert.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::lang {
namespace {

/// Words of the two bursts that read a bucket.
constexpr unsigned bucketWordsOf[] = {8, 15};
/// The most data words that a look-up returns.
constexpr unsigned dataWordsMax = 3;
/// The fewest buckets whose number takes as many bits as the flags.
constexpr uint64_t hashedBucketsMin = 512;
/// What a command costs beside the words that it moves, in words.
constexpr double commandWords = 8;

/// The expected accesses of a look-up with `slots` in a bucket of which `load`
/// are used: each entry of those was put into the first bucket of a random
/// sequence that was not full.
double accessesAt(double load, unsigned slots) {
  constexpr unsigned steps = 200;
  std::vector<double> share(slots + 1, 0); // of buckets with so many entries
  share[0] = 1;
  double sum = 0;
  for (unsigned i = 0; i < steps; ++i) {
    double probes = 1 / (1 - share[slots]);
    sum += probes;
    double moved = load * slots / steps * probes;
    for (unsigned n = slots; n > 0; --n)
      share[n] += moved * (share[n - 1] - (n == slots ? 0 : share[n]));
    share[0] -= moved * share[0];
  }
  return sum / steps;
}

double loadMaxOf(unsigned slots) {
  return slots == 1 ? 0.25 : slots == 2 ? 0.5 : 0.67;
}

} // namespace

BucketLayout::BucketLayout(ir::TableOp table) {
  keyWords = KeyLayout(ir::keysOf(table)).packedWords;
  auto types = cast<ir::StructType>(table.getRecord()).getFieldTypes();
  fields.resize(types.size());
  unsigned constantWords = 0;
  for (unsigned i = 0; i < types.size(); ++i) {
    if (ir::isMutable(table, i)) {
      fields[i].kind = FieldPlace::State;
      hasStates = true;
      continue;
    }
    fields[i].word = constantWords;
    constantWords += unsigned(ir::wordCount(types[i]));
  }
  hasValues = constantWords + hasStates > dataWordsMax;
  slotFieldWords = hasValues ? 0 : constantWords;
  if (hasValues)
    for (FieldPlace &field : fields)
      if (field.kind == FieldPlace::Slot)
        field.kind = FieldPlace::Value;

  const uint64_t limit = table.getLimit();
  const uint64_t sramWords = ir::sramBytesOf(table) / 4;
  double best = 0;
  for (bool hashed : {false, true})
    for (unsigned burst : bucketWordsOf) {
      unsigned code = hashed
                          ? unsigned(llvm::PowerOf2Ceil(std::max(2u, keyWords)))
                          : 1 + keyWords;
      unsigned slots = burst / (code + dataWords());
      if (slots == 0 || (hashed && keyWords > 4))
        continue;
      auto count = llvm::PowerOf2Ceil(std::max<uint64_t>(
          2, uint64_t(double(limit) / slots / loadMaxOf(slots)) + 1));
      unsigned read = burst == 8 ? slots * (code + dataWords()) : burst;
      if ((hashed && count < hashedBucketsMin) ||
          count * read > sramWords / 32 * 31)
        continue;
      double expected =
          accessesAt(double(limit) / double(count * slots), slots);
      // A table that leaves room for others is worth a longer command.
      double cost = expected * (commandWords + read) *
                    (count * read > sramWords / 8 ? 4 : 1);
      if (best != 0 && cost >= best)
        continue;
      best = cost;
      isHashed = hashed;
      codeWords = code;
      bucketWords = read;
      bucketCount = count;
      accesses = expected + hasValues;
    }
}

unsigned BucketLayout::bucketBits() const {
  KARAKAL_ASSERT(fits(), "a table that fits has buckets");
  return llvm::Log2_64(bucketCount);
}

unsigned BucketLayout::foundBits() const {
  return dataWords() == 0 ? 32 : dataWords() == 1 ? 64 : 128;
}

unsigned BucketLayout::shiftOf(unsigned word) const {
  KARAKAL_ASSERT(word < dataWords(), "a look-up returns the data of a slot");
  return dataWords() == 1 ? 0 : 64 - 32 * word;
}

} // namespace karakal::lang
