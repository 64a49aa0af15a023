#include "control/event_hub.h"

#include <fmt/format.h>

#include <utility>

namespace wherry::control {

EventHub::Reader::~Reader() {
  hub_.readers_.with([&](std::set<Reader*>& readers) { readers.erase(this); });
}

void EventHub::Reader::put(std::shared_ptr<const std::string> event) {
  queue_.with([&](Queue& queue) {
    while (!queue.events.empty() && queue.bytes + event->size() > kBytesMax) {
      queue.bytes -= queue.events.front()->size();
      queue.events.pop_front();
      ++queue.lost;
    }
    queue.bytes += event->size();
    queue.events.push_back(std::move(event));
  });
}

std::string EventHub::Reader::take() {
  const Queue taken = queue_.with([](Queue& queue) { return std::exchange(queue, Queue{}); });
  std::string text;
  if (taken.lost > 0) text = fmt::format("event: lost\ndata: {{\"events\":{}}}\n\n", taken.lost);
  for (const auto& event : taken.events) text += *event;
  return text;
}

std::unique_ptr<EventHub::Reader> EventHub::open() {
  std::unique_ptr<Reader> reader(new Reader(*this));
  readers_.with([&](std::set<Reader*>& readers) { readers.insert(reader.get()); });
  return reader;
}

void EventHub::publish(std::string_view kind, std::string_view data) {
  const auto event =
      std::make_shared<const std::string>(fmt::format("event: {}\ndata: {}\n\n", kind, data));
  readers_.with([&](std::set<Reader*>& readers) {
    for (Reader* reader : readers) reader->put(event);
  });
}

bool EventHub::has_readers() const {
  return readers_.read([](const std::set<Reader*>& readers) { return !readers.empty(); });
}

}  // namespace wherry::control
