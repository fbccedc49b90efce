#include "baker-lang/editor/JsonRpc.h"

#include <istream>
#include <ostream>

using nlohmann::json;

namespace karakal::lang {

std::optional<json> JsonRpc::read() {
  constexpr size_t bytesMax = 64 << 20;
  const std::string lengthField = "Content-Length:";
  size_t length = 0;
  std::string line;
  while (std::getline(in, line) && line != "\r" && !line.empty())
    if (line.rfind(lengthField, 0) == 0)
      length = std::strtoul(line.c_str() + lengthField.size(), nullptr, 10);
  if (!in || length > bytesMax)
    return std::nullopt;
  std::string body(length, '\0');
  in.read(body.data(), std::streamsize(length));
  return json::parse(body, nullptr, /*allow_exceptions=*/false);
}

void JsonRpc::write(const json &message) {
  std::string body =
      message.dump(-1, ' ', false, json::error_handler_t::replace);
  out << "Content-Length: " << body.size() << "\r\n\r\n" << body << std::flush;
}

} // namespace karakal::lang
