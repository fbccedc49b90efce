// The pieces of Baker text that the template of a hash table of buckets lacks.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_BUCKETTEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_BUCKETTEXT_H

#include "baker-lang/tables/BucketLayout.h"

#include <string>

namespace karakal::lang {

class BucketText {
public:
  /// `hash` is the expression of the hash of the words `k0`, `k1`, ….
  BucketText(ir::TableOp table, std::string hash)
      : table(table), layout(table), hash(std::move(hash)) {}

  /// The replacement of a placeholder; nothing if it is not the buckets'.
  std::optional<std::string> valueOf(llvm::StringRef placeholder) const;
  /// The expression of a field in `found`, what a look-up returned.
  std::string fieldOf(unsigned field) const;
  /// The condition that `found` is an entry.
  std::string isHit() const;
  /// The number of the entry at a place, or of `found`, which has fields
  /// elsewhere.
  std::string numberOfPlace(const std::string &place) const;
  std::string numberOfFound() const;

private:
  std::optional<uint64_t> numberOf(llvm::StringRef placeholder) const;
  std::optional<std::string> expressionOf(llvm::StringRef placeholder) const;
  std::string typeOf(unsigned field) const;
  llvm::ArrayRef<mlir::Type> fieldTypes() const;
  std::string foundType() const;
  /// Data word `word` of `found`.
  std::string foundWord(unsigned word) const;
  /// `u32` expressions of the words of a value.
  std::vector<std::string> wordsOf(unsigned field,
                                   const std::string &value) const;
  std::string found(const std::vector<std::string> &data, bool isHit) const;
  std::string hashed() const;
  std::string codeWord(unsigned word) const;
  std::string matches() const;
  std::string miss() const;
  std::string records() const;
  std::string storeSlotFields(const char *place) const;
  std::string storeValues(const char *index) const;
  std::string dataOfNew() const;
  std::string change() const;
  std::string freeData() const;
  std::string keyOfPlace(bool isKept) const;

  ir::TableOp table;
  BucketLayout layout;
  std::string hash;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_BUCKETTEXT_H
