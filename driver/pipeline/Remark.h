// The explanations of passes, for the report.

#ifndef KARAKAL_DRIVER_PIPELINE_REMARK_H
#define KARAKAL_DRIVER_PIPELINE_REMARK_H

#include <string>

namespace karakal::driver {

/// The explanation of one decision of a pass, for the report.
struct Remark {
  std::string location; ///< file:line:column, empty if unknown
  std::string pass;
  std::string text;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_REMARK_H
