// What passes say of their decisions.

#ifndef KARAKAL_DRIVER_PIPELINE_REMARK_H
#define KARAKAL_DRIVER_PIPELINE_REMARK_H

#include <string>

namespace karakal::driver {

/// What a pass said of one of its decisions, for the report.
struct Remark {
  std::string place; ///< file:line:column, empty if unknown
  std::string pass;
  std::string text;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_REMARK_H
