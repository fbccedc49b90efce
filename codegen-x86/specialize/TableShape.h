// A declared table as compiled code has it.
//
// The look-up of a table T is the function `T.find`, one parameter for each
// field of the key, which returns the number of a slot, 0 if no entry matches.
// The slots are the array `T.own.entries`; slot 0 holds the default values. A
// slot is
//
//   key words   the packed bits of the fields, most significant first; their
//               masks; first and last value of each range; the length of the
//               prefix, or the priority, if there is one
//   state       what the structure needs (runtime/tables/)
//   values

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_TABLESHAPE_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_TABLESHAPE_H

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::x86 {

struct TableShape {
  /// Symbol of the table: the prefix of its functions and globals.
  std::string name;
  /// Name of its template: direct, hash, trie, list. A table of another
  /// structure is not specialized.
  std::string structure;

  /// A field of the key among the packed bits; bit 0 is the most significant
  /// one of the first word.
  struct Field {
    unsigned parameter; ///< of the look-up
    unsigned bits, offset;
  };
  std::vector<Field> packed;
  /// A field that is matched as a range, at most 32 bits.
  struct Range {
    unsigned parameter, bits;
  };
  std::vector<Range> ranges;
  unsigned packedBits = 0;
  /// Whether entries have masks and a priority, or the length of a prefix.
  bool hasMasks = false, hasLength = false;
  /// Words of a slot.
  unsigned slotWords = 0;
  /// The most entries.
  uint64_t limit = 0;
  /// Of the words of a slot, whether packets write them: whoever reads entries
  /// while packets run leaves these alone. prepareToSpecialize finds them.
  std::vector<bool> writtenWords;

  unsigned packedWords() const { return (packedBits + 31) / 32; }
  /// Words of a slot before its state.
  unsigned keyWords() const {
    return packedWords() * (hasMasks ? 2 : 1) + hasLength +
           2 * unsigned(ranges.size()) + hasMasks;
  }

  std::string find() const { return name + ".find"; }
  std::string own(const char *global) const { return name + ".own." + global; }
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_TABLESHAPE_H
