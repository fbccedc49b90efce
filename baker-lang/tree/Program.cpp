#include "baker-lang/tree/Program.h"

#include "support/Error.h"

namespace karakal::lang {

std::string PpfDecl::symbol() const {
  KARAKAL_ASSERT(module, "the PPF '" + name + "' belongs to no module");
  return module->name + "." + name;
}

std::string EndpointDecl::symbol() const {
  KARAKAL_ASSERT(ppf, "the endpoint '" + name + "' belongs to no PPF");
  return ppf->symbol() + "." + name;
}

std::string EndpointDecl::channelSymbol(size_t destination) const {
  KARAKAL_ASSERT(destination < destinations.size(),
                 "an output has a channel for each destination only");
  return destination == 0 ? symbol()
                          : symbol() + "." + std::to_string(destination + 1);
}

} // namespace karakal::lang
