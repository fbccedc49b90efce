// Specialized code, as those see it who ask for it.

#include "codegen-x86/Specialization.h"

namespace karakal::x86 {

Explanations explain(const Assumptions &made) {
  Explanations all;
  for (const Assumption &assumption : made.assumptions) {
    std::string text = assumption.name + ": " + assumption.what;
    if (assumption.savedInstructions != 0)
      text += ", saves " + std::to_string(assumption.savedInstructions) +
              " instructions";
    text += "; undone by ";
    for (const std::string &name : assumption.undoneBy)
      text += (&name == assumption.undoneBy.data() ? "" : ", ") + name;
    text += assumption.undoneBy.empty() ? "nothing" : "";
    all.emplace_back(assumption.name, text);
  }
  for (const auto &[name, reason] : made.left)
    all.emplace_back(name, name + ": left alone, " + reason);
  return all;
}

} // namespace karakal::x86
