#include "control/feed_view.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "control/exposition.h"
#include "control/feed_keys.h"
#include "control/version.h"

namespace wherry::control {
namespace {

constexpr std::array kStates = {FeedState::normal, FeedState::warning, FeedState::failed,
                                FeedState::stopped, FeedState::finished};

std::string label(const FeedView& view) { return fmt::format("feed=\"{}\"", view.spec.name); }

Json commit_time(const FeedView& view) {
  if (!view.progress || view.progress->commit_us == 0) return nullptr;
  return to_json(
      std::chrono::system_clock::time_point(std::chrono::microseconds(view.progress->commit_us)));
}

Json checkpoint_json(const FeedView& view) {
  if (!view.note.checkpoint) return nullptr;
  return {{"cseq", view.note.checkpoint->cseq},
          {"position", to_json(view.note.checkpoint->position)},
          {"commit_time", commit_time(view)}};
}

Json stalled_json(const FeedView& view) {
  if (!view.stalled) return nullptr;
  return {{"since", to_json(view.stalled->since)}, {"reason", view.stalled->reason}};
}

using Value = std::function<std::optional<double>(const FeedView&)>;

void add_family(Exposition& out, const std::vector<FeedView>& views,
                std::array<std::string_view, 3> family, const Value& value) {
  out.family(family[0], family[1], family[2]);
  for (const FeedView& view : views) {
    if (const std::optional<double> sample = value(view))
      out.sample(family[0], label(view), *sample);
  }
}

void add_progress(Exposition& out, const std::vector<FeedView>& views) {
  const auto each = [&](std::array<std::string_view, 3> family, auto read) {
    add_family(out, views, family, [&](const FeedView& view) -> std::optional<double> {
      if (!view.progress) return std::nullopt;
      return static_cast<double>(read(*view.progress));
    });
  };
  using Progress = feed::FeedProgress;
  each({"feed_lag_seconds", "gauge", "Age of the last change that is durable at the sink."},
       [](const Progress& p) { return static_cast<double>(p.lag.count()) / 1000; });
  each({"feed_rows_copied", "gauge", "Rows of the snapshot that are at the sink."},
       [](const Progress& p) { return p.rows_copied; });
  each({"feed_transactions", "gauge", "Source transactions applied since the feed was started."},
       [](const Progress& p) { return p.transactions; });
  each({"feed_changes", "gauge", "Row changes applied since the feed was started."},
       [](const Progress& p) { return p.changes; });
  each({"feed_filtered", "gauge",
        "Rows and changes that where and skip left out since the feed was started."},
       [](const Progress& p) { return p.filtered; });
  out.family("feed_ignored", "gauge",
             "Statements and events that were left out since the feed was started, by kind.");
  for (const FeedView& view : views) {
    if (!view.progress) continue;
    for (const auto& [kind, count] : view.progress->ignored)
      out.sample("feed_ignored", fmt::format("{},kind=\"{}\"", label(view), label_text(kind)),
                 count);
  }
}

// A family has its samples together, whichever feeds they are from.
void add_gauges(Exposition& out, const std::vector<FeedView>& views) {
  std::map<std::string, std::vector<std::pair<std::string, double>>> families;
  for (const FeedView& view : views) {
    if (!view.progress) continue;
    for (const auto& [name, value] : view.progress->gauges)
      families[name].emplace_back(label(view), value);
  }
  for (const auto& [name, samples] : families) {
    out.family(name, "gauge", "Of the feed's kind of sink.");
    for (const auto& [labels, value] : samples) out.sample(name, labels, value);
  }
}

// As Prometheus has them: each bucket counts what the ones before it did as well.
void add_histogram(Exposition& out, const std::string& name, const std::string& labels,
                   const feed::Histogram& histogram) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    count += histogram.counts[i];
    const std::string upper =
        i < histogram.upper.size() ? fmt::format("{}", histogram.upper[i]) : "+Inf";
    out.sample(name + "_bucket", fmt::format("{},le=\"{}\"", labels, upper), count);
  }
  out.sample(name + "_sum", labels, histogram.sum);
  out.sample(name + "_count", labels, count);
}

void add_histograms(Exposition& out, const std::vector<FeedView>& views) {
  std::map<std::string, std::vector<const FeedView*>> families;
  for (const FeedView& view : views) {
    if (!view.progress) continue;
    for (const auto& [name, histogram] : view.progress->histograms) families[name].push_back(&view);
  }
  for (const auto& [name, with_it] : families) {
    out.family(name, "histogram", "Of the feed's kind of sink.");
    for (const FeedView* view : with_it)
      add_histogram(out, name, label(*view), view->progress->histograms.at(name));
  }
}

}  // namespace

Json feed_progress_json(const FeedView& view) {
  Json out = {{"name", view.spec.name},
              {"state", to_string(view.note.state)},
              {"wanted", to_string(view.note.wanted)},
              {"running", view.running},
              {"checkpoint", checkpoint_json(view)}};
  const feed::FeedProgress none;
  const feed::FeedProgress& progress = view.progress ? *view.progress : none;
  out["lag_ms"] = view.progress ? Json(progress.lag.count()) : Json(nullptr);
  out["copied"] = view.progress ? Json(progress.copied) : Json(nullptr);
  out["rows_copied"] = progress.rows_copied;
  out["transactions"] = progress.transactions;
  out["changes"] = progress.changes;
  out["filtered"] = progress.filtered;
  out["waiting_for"] = progress.waiting_for.empty() ? Json(nullptr) : Json(progress.waiting_for);
  out["stalled"] = stalled_json(view);
  out["error"] = view.note.error ? to_json(*view.note.error) : Json(nullptr);
  out["retries"] = view.note.retries;
  out["retry_at"] = view.retry_at ? to_json(*view.retry_at) : Json(nullptr);
  return out;
}

Json feed_view_json(const FeedView& view) {
  Json out = feed_progress_json(view);
  out["ignored"] = view.progress ? Json(view.progress->ignored) : Json::object();
  out["gauges"] = view.progress ? Json(view.progress->gauges) : Json::object();
  out["created"] = to_json(view.created);
  out["changed"] = to_json(view.changed);
  out["config"] = feed_json(view.spec, Secrets::hidden);
  return out;
}

Json fleet_json(const std::vector<FeedView>& views) {
  Json states = Json::object();
  for (const FeedState state : kStates) states[std::string(to_string(state))] = 0;
  Json feeds = Json::array();
  for (const FeedView& view : views) {
    Json& count = states[std::string(to_string(view.note.state))];
    count = count.get<unsigned>() + 1;
    feeds.push_back(feed_progress_json(view));
  }
  return {{"states", std::move(states)}, {"feeds", std::move(feeds)}};
}

std::string fleet_metrics(const std::vector<FeedView>& views) {
  Exposition out;
  out.family("build_info", "gauge", "The version of the program.");
  out.sample("build_info", fmt::format("version=\"{}\"", version()), 1);
  out.family("feed_state", "gauge", "1 for the state that the feed is in.");
  for (const FeedView& view : views) {
    for (const FeedState state : kStates) {
      out.sample("feed_state", fmt::format("{},state=\"{}\"", label(view), to_string(state)),
                 state == view.note.state ? 1 : 0);
    }
  }
  add_family(out, views, {"feed_running", "gauge", "1 while the feed runs."},
             [](const FeedView& view) { return view.running ? 1.0 : 0.0; });
  add_family(out, views,
             {"feed_stalled", "gauge", "1 while the checkpoint stands still and the lag grows."},
             [](const FeedView& view) { return view.stalled ? 1.0 : 0.0; });
  add_family(out, views, {"feed_retries", "gauge", "Retries in a row without progress."},
             [](const FeedView& view) { return static_cast<double>(view.note.retries); });
  add_family(out, views,
             {"feed_checkpoint_cseq", "gauge", "The last transaction that is durable at the sink."},
             [](const FeedView& view) -> std::optional<double> {
               if (!view.note.checkpoint) return std::nullopt;
               return static_cast<double>(view.note.checkpoint->cseq);
             });
  add_progress(out, views);
  add_gauges(out, views);
  add_histograms(out, views);
  return out.take();
}

}  // namespace wherry::control
