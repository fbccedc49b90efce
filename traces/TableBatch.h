// Batches: calls that packets see together or not at all.
//
//   begin                             routes.read(10.0.0.0/8), …   the checks
//   routes.add(10.0.0.0/8, hop: 3)    routes.add(…)
//   routes.remove(10.1.0.0/16)    →   routes.remove(…)
//   commit
//
// First each call is checked against the tables and the calls before it: if one
// would be refused, none is made. Only the structure of a table can still
// refuse a call, for want of space; then the calls before it are undone, the
// last first. A TableBatch says which call comes next; the caller, simulator or
// x86, makes them all while no packet is on its way.

#ifndef KARAKAL_TRACES_TABLEBATCH_H
#define KARAKAL_TRACES_TABLEBATCH_H

#include "traces/TableEntries.h"

#include <map>
#include <optional>

namespace karakal::traces {

class TableBatch {
public:
  /// Checks the form of the calls of `batch`, which must outlive the result.
  /// Errors: those of bindCall; E-traces-028 a call that no batch can have.
  static Result<TableBatch>
  create(const ControlCall &batch,
         const std::vector<ControlSignature> &signatures);

  /// The next call to make, given what the last one returned; at first 0.
  /// Nothing: the batch is done, or was refused.
  std::optional<Resolved> next(uint32_t returned);

  struct Refused {
    const ControlCall *call;
    std::size_t function; ///< of the signatures
    int32_t status;
    bool isUndone; ///< the tables are as before
  };
  const std::optional<Refused> &refused() const { return refusedCall; }

  /// The calls of the batch, and how they are bound.
  struct Part {
    const ControlCall *call;
    Resolved resolved;
    std::string table, verb;
    std::size_t keyCount = 0;
    std::vector<Resolved> undo;
  };
  const std::vector<Part> &parts() const { return partList; }

private:
  using Numbers = std::vector<uint64_t>;
  /// What the checked calls make of a table.
  struct Table {
    std::optional<uint64_t> count;
    bool isCleared = false;
    std::map<Numbers, std::optional<Numbers>> changed; ///< nothing: removed
  };
  enum class At { Check, Count, Find, Words, Make, Undo };

  std::size_t functionOf(const std::string &name) const;
  Numbers keyOf(const Part &part, const Numbers &args) const;
  std::optional<Resolved> check();
  std::optional<Resolved> found(uint32_t status);
  std::optional<Resolved> judge();
  int32_t statusOf(Part &part, Table &table);
  void clear(Part &part, Table &table);
  std::optional<Resolved> make();
  std::optional<Resolved> undo();

  const std::vector<ControlSignature> *signatures = nullptr;
  std::vector<Part> partList;
  std::map<std::string, Table> tables;
  At at = At::Check;
  std::size_t part = 0; ///< the one that is checked or made
  std::optional<TableReader> reader;
  std::vector<Numbers> entries;  ///< that the table has for the part
  std::vector<Resolved> undoing; ///< the last one first
  std::optional<Refused> refusedCall;
};

/// Why a batch was refused.
std::string batchRefusal(const TableBatch::Refused &refused,
                         const std::vector<ControlSignature> &signatures,
                         const std::vector<std::string> &texts);

} // namespace karakal::traces

#endif // KARAKAL_TRACES_TABLEBATCH_H
