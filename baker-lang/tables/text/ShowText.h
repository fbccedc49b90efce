// The text that takes an entry apart into the arguments of `add`.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_SHOWTEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_SHOWTEXT_H

#include "baker-lang/tables/SlotLayout.h"

#include <functional>

namespace karakal::lang {

/// Statements that store the arguments of an entry's `add` in `shown`, a word
/// each, or two for those of more than 32 bits. `key` has the entry's key;
/// `valueOf` gives the expression of a field of the record.
struct ShowText {
  ShowText(ir::TableOp table,
           const std::function<std::string(unsigned)> &valueOf);
  std::string text;
  unsigned words = 0;
  void store(const std::string &word);

private:
  void storeNumber(unsigned offset, unsigned bits);
  void storeLength(const KeyLayout::Field &field);
  void storeKeyField(const ir::TableKey &key, unsigned number);

  KeyLayout layout;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_SHOWTEXT_H
