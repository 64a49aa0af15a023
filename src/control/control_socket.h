// The socket DIR/control.sock of a run with --state DIR: open to the account that runs it and to
// nobody else. One run has the folder at a time, held by a lock that the kernel takes back when the
// process ends, so a socket without its run is known for certain and replaced. One owner, one
// thread.
#pragma once

#include <string>

#include "support/result.h"

namespace wherry::control {

class ControlSocket {
 public:
  // Makes the folder where it is missing, takes it, and listens. Errc::refused: another run has the
  // folder, or something else than a socket has the name. Errc::usage: the folder cannot be used.
  static Result<ControlSocket> open(const std::string& folder);
  ControlSocket(ControlSocket&& from) noexcept;
  ControlSocket& operator=(ControlSocket&&) = delete;
  ~ControlSocket();  // removes the socket and gives the folder back

  const std::string& path() const { return path_; }
  // The listening descriptor; whoever takes it closes it.
  int take_listener();

 private:
  ControlSocket() = default;
  Status take_folder(const std::string& folder);
  Status listen();

  std::string path_;
  int folder_ = -1;
  int listener_ = -1;
  bool bound_ = false;
};

}  // namespace wherry::control
