// Messages of JSON-RPC in the framing of the Language Server Protocol.

#ifndef KARAKAL_BAKER_LANG_EDITOR_JSONRPC_H
#define KARAKAL_BAKER_LANG_EDITOR_JSONRPC_H

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <optional>

namespace karakal::lang {

/// Reads messages from one stream and writes messages to another. Each message
/// has a header with its length in bytes:
///
///     Content-Length: 17\r\n
///     \r\n
///     {"method":"exit"}
class JsonRpc {
public:
  JsonRpc(std::istream &in, std::ostream &out) : in(in), out(out) {}

  /// The next message. A body that is not JSON gives a discarded value. None at
  /// the end of the input, or if a message has more than 64 MiB.
  std::optional<nlohmann::json> read();

  /// Sends a message. Text that is not UTF-8 gets replacement characters.
  void write(const nlohmann::json &message);

private:
  std::istream &in;
  std::ostream &out;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_JSONRPC_H
