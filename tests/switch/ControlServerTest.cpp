// The control socket: requests of several clients, their order and their stops.

#include "switch/ControlServer.h"
#include "FakeProgram.h"
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace karakal;
using namespace karakal::sw;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// A client whose bytes the test sends and reads.
class TestClient {
public:
  explicit TestClient(const std::string &path)
      : handle(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    EXPECT_EQ(
        connect(handle, reinterpret_cast<sockaddr *>(&address), sizeof address),
        0);
  }
  ~TestClient() { close(handle); }
  void send(const std::string &text) {
    EXPECT_EQ(::send(handle, text.data(), text.size(), MSG_NOSIGNAL),
              ssize_t(text.size()));
  }
  /// What has come so far.
  std::string read() {
    std::string text;
    char bytes[65536];
    ssize_t got;
    while ((got = recv(handle, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
      text.append(bytes, size_t(got));
    return text;
  }

private:
  int handle;
};

/// A switch without ports and its control socket.
class Served {
public:
  Served() : switched(program, ports, CoreOptions()), server(switched) {
    EXPECT_TRUE(server.listen(path(), 0600));
  }
  std::string path() const { return testing::TempDir() + "/s"; }
  /// Serves until nothing has come for a moment.
  void serve() {
    while (true) {
      std::vector<pollfd> events;
      server.addTo(events);
      if (poll(events.data(), events.size(), 20) <= 0)
        return;
      server.serve(events);
    }
  }

  FakeProgram program;
  Ports ports;
  Switch switched;
  ControlServer server;
};

std::string times(const std::string &text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

} // namespace

TEST(ControlServer, AnswersKeepTheOrderOfRequests) {
  Served served;
  TestClient client(served.path());
  client.send("call set(1)\ncall get()\nnonsense\ncall set(9)\ncall x\n"
              "functions\ncall get()\ncall set(");
  served.serve();
  std::string said = client.read();
  EXPECT_THAT(said, StartsWith("ok 0\nok 2\n7\nerror "));
  std::vector<std::string> order = {"E-switch-012", "E-switch-010",
                                    "E-traces-021", "m.routes.add(u32 ip",
                                    "ok 2\n7\n"};
  size_t at = 0;
  for (const std::string &text : order) {
    at = said.find(text, at);
    ASSERT_NE(at, std::string::npos) << text << " in " << said;
  }
  client.send("3)\n");
  served.serve();
  EXPECT_EQ(client.read(), "ok 0\n");
}

TEST(ControlServer, CallsThatWaitTogetherStopTheCoresOnce) {
  Served served;
  TestClient first(served.path()), second(served.path());
  served.serve();
  first.send(times("call set(1)\n", 100));
  second.send(times("call set(2)\n", 100));
  served.serve();
  EXPECT_EQ(first.read(), times("ok 0\n", 100));
  EXPECT_EQ(second.read(), times("ok 0\n", 100));
  // One, but that this thread may lose its processor in a stop.
  EXPECT_LE(served.switched.snapshot().stops, 20u);
}

TEST(ControlServer, ClientsAreServedInTurn) {
  Served served;
  TestClient many(served.path()), one(served.path());
  served.serve();
  // More than one group of calls: what the second client asks does not wait
  // for all of them.
  many.send(times("call set(1)\n", 3 * ControlServer::TogetherMax));
  one.send("call set(2)\ncall set(2)\n");
  served.serve();
  const auto &made = served.program.core(0).valuesOfCalls;
  ASSERT_EQ(made.size(), 3 * ControlServer::TogetherMax + 2);
  for (size_t i = 0; i < made.size(); ++i)
    if (made[i] == 2)
      EXPECT_LE(i, 3u);
}

TEST(ControlServer, RequestsWaitForAClientThatDoesNotRead) {
  Served served;
  TestClient silent(served.path()), other(served.path());
  constexpr size_t requestCount = 2000;
  silent.send(times("stats prometheus\n", requestCount));
  served.serve();
  other.send("call get()\n");
  served.serve();
  EXPECT_EQ(other.read(), "ok 2\n7\n");
  std::string said = silent.read();
  EXPECT_LE(said.size(), 2 * ControlServer::UnreadBytesMax);
  // All answers come in the end.
  for (size_t before = 0; said.size() != before; said += silent.read()) {
    before = said.size();
    served.serve();
  }
  size_t answers = 0;
  for (size_t at = 0;
       (at = said.find("\nbakersw_uptime_seconds ", at)) != std::string::npos;
       ++at)
    ++answers;
  EXPECT_EQ(answers, requestCount);
  EXPECT_EQ(served.server.clientsDropped(), 0u);
}

TEST(ControlServer, ARequestWithoutAnEndIsDropped) {
  Served served;
  TestClient client(served.path());
  for (size_t sent = 0; sent < 3 * ControlServer::RequestBytesMax;
       sent += 4096) {
    if (served.server.clientsDropped() == 0)
      client.send(std::string(4096, 'x'));
    served.serve();
  }
  EXPECT_EQ(served.server.clientsDropped(), 1u);
}
