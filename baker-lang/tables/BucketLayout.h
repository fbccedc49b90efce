// Where a hash table of buckets has the words of an entry.

#ifndef KARAKAL_BAKER_LANG_TABLES_BUCKETLAYOUT_H
#define KARAKAL_BAKER_LANG_TABLES_BUCKETLAYOUT_H

#include "ir/dialect/Tables.h"

#include <vector>

namespace karakal::lang {

/// Where a field of an entry is.
struct FieldPlace {
  enum Kind {
    Slot,  ///< among the data of the slot
    Value, ///< in `values`, two copies for each number
    State, ///< in `states`, one for each number
  } kind = Slot;
  unsigned word = 0; ///< Slot: its first data word
};

/// The words of a slot and of a bucket. A slot begins with the code of its key:
/// a word of flags and the key's words; or, in a table of many buckets, the
/// words of the key's hash, whose first bits the number of the bucket implies
/// and the flags replace (the hash of an n-bit key has n bits and is unique).
/// Then follow the data: the fields that packets only read, if they take few
/// words, and the number of the entry, if it has fields elsewhere.
struct BucketLayout {
  /// The layout with the fewest words read for a look-up, among those that fit.
  explicit BucketLayout(ir::TableOp table);

  bool fits() const { return bucketCount != 0; }
  bool usesNumbers() const { return hasStates || hasValues; }
  /// Data words: what a look-up returns.
  unsigned dataWords() const { return slotFieldWords + usesNumbers(); }
  unsigned slotWords() const { return codeWords + dataWords(); }
  unsigned slotsOfBucket() const { return bucketWords / slotWords(); }
  uint64_t words() const { return bucketCount * uint64_t(bucketWords); }
  unsigned bucketBits() const;
  /// The bits of what a look-up returns: a 1 above the data words, if the
  /// entry was found. 32, 64 or 128.
  unsigned foundBits() const;
  /// The place of data word `word` among these bits.
  unsigned shiftOf(unsigned word) const;

  std::vector<FieldPlace> fields; ///< of the record
  unsigned keyWords = 0;
  unsigned slotFieldWords = 0;
  bool hasStates = false, hasValues = false;

  bool isHashed = false; ///< the code is the hash of the key
  unsigned codeWords = 0;
  unsigned bucketWords = 0; ///< that one command reads
  uint64_t bucketCount = 0; ///< a power of two
  double accesses = 0;      ///< expected of a look-up in a table at its limit
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_BUCKETLAYOUT_H
