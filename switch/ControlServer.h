// The control socket of a running switch.
//
// A stream socket in the file system, whose permissions say who may use it. A
// request is a line; the answer is `ok N` or `error N`, then N bytes:
//
//   call routes.add(10.0.0.0/8, hop: 3)     the function's value, if it has one
//   stats FORMAT                            text, json or prometheus
//   watch FORMAT MILLISECONDS               answers again and again
//   explain FORMAT                          text or json: specialized code
//   functions                               one signature a line
//   dump                                    the calls accepted, folded
//   stop                                    ends the switch
//
// Nothing that a client does holds up packets or other clients. Requests that
// wait together are taken one of each client in turn, and their calls are made
// in one stop of the cores. Answers that a client does not read are kept up to
// a bound; then its requests wait, and if it watches, it is dropped and
// counted.
//
// | id | what is wrong |
// |---|---|
// | E-switch-005 | the socket cannot be made, or another switch uses it |
// | E-switch-012 | a request that is none |
// | E-switch-013 | code is to be explained, but none is specialized |

#ifndef KARAKAL_SWITCH_CONTROLSERVER_H
#define KARAKAL_SWITCH_CONTROLSERVER_H

#include "switch/Switch.h"
#include <list>
#include <optional>
#include <poll.h>

namespace karakal::sw {

class ControlServer {
public:
  /// A client that is silent and more than this may be connected.
  static constexpr size_t ClientsMax = 64;
  /// Bytes of a request, and those that a client may leave unread.
  static constexpr size_t RequestBytesMax = 64 << 10;
  /// Calls that are made together.
  static constexpr size_t TogetherMax = 256;
  static constexpr size_t UnreadBytesMax = 1 << 20;

  explicit ControlServer(Switch &served) : served(served) {}
  ~ControlServer();
  ControlServer(const ControlServer &) = delete;

  /// E-switch-005.
  Status listen(const std::string &path, uint32_t mode);

  /// Adds the descriptors to wait for; `serve` takes what poll said of them.
  void addTo(std::vector<pollfd> &events) const;
  void serve(const std::vector<pollfd> &events);
  /// Sends what is due to watchers, and explanations that are ready; returns
  /// the time of the next one, or 0.
  uint64_t watch(uint64_t nowNs);
  /// Whether a client asked for the end.
  bool isStopAsked() const { return stopAsked; }
  uint64_t clientsDropped() const { return dropped; }

private:
  struct Client {
    int descriptor;
    /// What came and has not been answered, from `next` on.
    std::string in;
    size_t next = 0;
    std::string out;
    std::string watched; ///< the form of the statistics; empty: no watch
    uint64_t everyNs = 0, nextNs = 0;
    std::optional<Snapshot> before;
    bool gone = false;
    /// It waits for the answer to a call, and what it asks next is none.
    bool waits = false;
    /// The form of an explanation that it waits for; empty: none.
    std::string explained;

    /// The next request, if it is there and may be taken.
    std::optional<std::string> line() const;
    bool isCall() const { return in.compare(next, 5, "call ") == 0; }
    /// `batch CALL; CALL; …`
    bool isBatch() const { return in.compare(next, 6, "batch ") == 0; }
    void take(const std::string &line) { next += line.size() + 1; }
  };
  /// Calls that are made together, and whose they are.
  struct Together {
    std::vector<Client *> clients;
    std::vector<traces::ControlCall> calls;
  };
  void accept();
  void read(Client &client);
  void write(Client &client);
  bool serveTogether();
  bool takeRequest(Client &client, Together &together);
  void answer(Client &client, const Result<std::string> &result);
  Result<std::string> request(Client &client, const std::string &line);
  bool explain(Client &client);
  Result<std::string> startWatch(Client &client, const std::string &rest);
  std::string functionList() const;
  void removeGone();

  Switch &served;
  int listening = -1;
  std::string socketPath;
  std::list<Client> clients;
  uint64_t dropped = 0;
  bool stopAsked = false;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_CONTROLSERVER_H
