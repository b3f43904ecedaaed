// Another program that takes part in the comparison, kept running beside us so that rounds can be interleaved: it waits
// for "N" on its standard input, makes N steps and answers with the seconds they took.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace netc::bench {

class Peer {
 public:
  // Starts it and waits for its first line. Null if it cannot take part; `remark` then says why ("absent: ..."),
  // else what it is ("ready: torch 1.13.1").
  static std::unique_ptr<Peer> start(const std::vector<std::string>& command, std::string* remark);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  double run(int64_t steps);   // seconds; throws RuntimeError if it died
  int pid() const { return pid_; }

 private:
  Peer(int pid, int to, int from) : pid_(pid), to_(to), from_(from) {}
  std::string read_line();     // "" at the end

  int pid_, to_, from_;
};

}  // namespace netc::bench
