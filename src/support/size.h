// What an item weighs in a byte budget. byte_size() must not change while the item is queued.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>

namespace wherry {

template <typename T>
requires requires(const T& item) {
  { item.byte_size() } -> std::convertible_to<std::size_t>;
}
std::size_t byte_size(const T& item) { return item.byte_size(); }

template <typename T, typename D>
std::size_t byte_size(const std::unique_ptr<T, D>& item) {
  return item->byte_size();
}

template <typename T>
std::size_t byte_size(const std::shared_ptr<T>& item) {
  return item->byte_size();
}

template <typename T>
concept Sized = requires(const T& item) {
  { byte_size(item) } -> std::convertible_to<std::size_t>;
};

}  // namespace wherry
