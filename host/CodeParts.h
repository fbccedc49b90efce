// A program whose code is lowered and compiled when it is first called.
//
// All parts use the same data: the guards' globals, and the program's, which
// are zero until the program writes them and take no memory before.

#ifndef KARAKAL_HOST_CODEPARTS_H
#define KARAKAL_HOST_CODEPARTS_H

#include "host/Jit.h"
#include <map>
#include <set>

namespace karakal::host {

class CodeParts {
public:
  /// Requires `program.lowerPart`. The program outlives the object.
  CodeParts(const HostProgram &program,
            const std::vector<SymbolAddress> &primitives);
  ~CodeParts();

  /// Returns a program that has the guards' globals, and no code yet.
  JitProgram begin();

  /// Compiles what every run calls, and these control functions. Errors: those
  /// of `lowerPart`, here and below.
  Status addFirst(const std::set<size_t> &controls, JitProgram &compiled);
  /// Compiles a control function, unless `compiled` has it.
  Status addControl(size_t control, JitProgram &compiled);
  /// The code of a PPF. Compiles it when it is first asked for.
  Result<PpfFunction> ppf(uint32_t index);

  /// Seconds of processor time for all parts.
  double seconds() const { return secondsTaken; }

private:
  Status compile(const std::vector<std::string> &symbols);
  Result<void *> find(const std::string &symbol);
  void shareData(llvm::Module &module);
  void *allocate(size_t bytes);

  const HostProgram &program;
  int64_t fuel = 0;
  uint32_t currentPpf;
  std::vector<uint64_t> packets, profile;
  std::vector<std::unique_ptr<void, void (*)(void *)>> data;
  std::set<std::string> shared;
  std::map<std::string, void *> entries;
  std::vector<PpfFunction> ppfs; ///< null until a part has the code
  double secondsTaken = 0;
  /// Last, because its code uses the data.
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_CODEPARTS_H
