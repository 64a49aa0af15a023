#include "control/control_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace wherry::control {
namespace {

constexpr int kBacklog = 16;

Error cannot(std::string_view step, const std::string& path, int error) {
  return {Errc::usage, fmt::format("cannot {} {}: {}", step, path,
                                   std::error_code(error, std::generic_category()).message())};
}

}  // namespace

ControlSocket::ControlSocket(ControlSocket&& from) noexcept
    : path_(std::move(from.path_)),
      folder_(std::exchange(from.folder_, -1)),
      listener_(std::exchange(from.listener_, -1)),
      bound_(std::exchange(from.bound_, false)) {}

ControlSocket::~ControlSocket() {
  if (listener_ >= 0) ::close(listener_);
  if (bound_) ::unlink(path_.c_str());
  if (folder_ >= 0) ::close(folder_);
}

Status ControlSocket::take_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return cannot("make the folder", folder, failed.value());
  folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return cannot("open the folder", folder, errno);
  if (::flock(folder_, LOCK_EX | LOCK_NB) == 0) return Unit{};
  if (errno != EWOULDBLOCK) return cannot("lock the folder", folder, errno);
  return Error{Errc::refused,
               fmt::format("another run uses {}; it is asked through {}, or give this run a folder "
                           "of its own",
                           folder, path_)};
}

Status ControlSocket::listen() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof(address.sun_path)) {
    return Error{Errc::usage, fmt::format("{} is longer than the {} bytes that a socket's path may "
                                          "have; use a shorter path",
                                          path_, sizeof(address.sun_path) - 1)};
  }
  std::memcpy(static_cast<char*>(address.sun_path), path_.c_str(), path_.size() + 1);
  struct stat there {};
  if (::lstat(path_.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode))
      return Error{Errc::refused, path_ + " is there and no socket; remove it"};
    ::unlink(path_.c_str());  // of a run that has ended: the folder's lock was free
  }
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0) return cannot("make the socket", path_, errno);
  // Before bind: Linux gives the file the socket's own mode, so it is never open to others.
  if (::fchmod(listener_, S_IRUSR | S_IWUSR) != 0) return cannot("protect", path_, errno);
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return cannot("make the socket", path_, errno);
  bound_ = true;
  if (::listen(listener_, kBacklog) != 0) return cannot("listen on", path_, errno);
  return Unit{};
}

Result<ControlSocket> ControlSocket::open(const std::string& folder) {
  ControlSocket made;
  made.path_ = (std::filesystem::path(folder) / "control.sock").string();
  if (Status taken = made.take_folder(folder); !taken.ok()) return taken.error();
  if (Status listening = made.listen(); !listening.ok()) return listening.error();
  return made;
}

int ControlSocket::take_listener() { return std::exchange(listener_, -1); }

}  // namespace wherry::control
