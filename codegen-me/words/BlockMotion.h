// Where blocks of words begin and end, for the passes that move them.

#ifndef KARAKAL_CODEGEN_ME_WORDS_BLOCKMOTION_H
#define KARAKAL_CODEGEN_ME_WORDS_BLOCKMOTION_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// Whether control never passes from this word to the next.
bool endsPath(const Item &item);

/// The executions that fall from the item before `at` into it.
float fallsInto(const std::vector<Item> &items, unsigned at);

/// Where the label is bound; items.size() if nowhere.
unsigned placeOf(const std::vector<Item> &items, unsigned label);

/// A branch to `label` with so many `executions`, in the function of `near`.
Item branchTo(unsigned label, const Item &near, float executions);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_BLOCKMOTION_H
