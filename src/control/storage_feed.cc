#include "control/storage_feed.h"

#include <atomic>
#include <utility>

#include "control/feed_begin.h"
#include "control/feed_logs.h"
#include "control/filter_rules.h"
#include "control/preflight.h"
#include "mysql/schema_reader.h"
#include "support/quote.h"

namespace wherry::control {
namespace {

feed::StatementPolicy policy_of(DdlPolicy policy) {
  switch (policy) {
    case DdlPolicy::apply:
      return feed::StatementPolicy::apply;
    case DdlPolicy::skip:
      return feed::StatementPolicy::skip;
    case DdlPolicy::stop:
      return feed::StatementPolicy::stop;
  }
  return feed::StatementPolicy::stop;
}

// In the order in which they decide: see renamed().
Result<std::vector<feed::Rename>> renames_of(const std::vector<RenameRule>& rules) {
  std::vector<feed::Rename> renames;
  for (const bool for_tables : {true, false}) {
    for (const bool with_pattern : {false, true}) {
      for (const RenameRule& rule : rules) {
        if (rule.to_table.empty() == for_tables || rule.pattern.has_value() != with_pattern)
          continue;
        std::string from = quote_name(rule.from_database);
        if (for_tables) from += "." + quote_name(rule.from_table);
        Result<Pattern> pattern = with_pattern ? *rule.pattern : Pattern::parse(from);
        if (!pattern.ok()) return pattern.error().within("rename");
        renames.push_back({std::move(pattern).value(), rule.to_database, rule.to_table});
      }
    }
  }
  return renames;
}

}  // namespace

struct StorageFeed::Impl {
  Impl(FeedSpec feed_spec, FeedStart feed_start, feed::SourceLogs& all_sources, SinkMaker sink)
      : spec(std::move(feed_spec)),
        start(std::move(feed_start)),
        sources(all_sources),
        make_sink(std::move(sink)) {}

  Status run();
  Result<feed::TableRules> rules(mysql::Session& session);
  Status require_fitting_now(mysql::Session& session, const feed::TableRules& rules) const;
  Result<std::uint64_t> begin(mysql::Session& session);

  const FeedSpec spec;
  const FeedStart start;
  feed::SourceLogs& sources;
  const SinkMaker make_sink;
  std::optional<feed::SourceLogs::Use> origin;
  std::atomic<bool> stopping{false};
  Guarded<std::shared_ptr<feed::TableFeed>> running;
};

StorageFeed::StorageFeed(FeedSpec spec, FeedStart start, feed::SourceLogs& sources,
                         SinkMaker make_sink)
    : impl_(std::make_unique<Impl>(std::move(spec), std::move(start), sources,
                                   std::move(make_sink))) {}
StorageFeed::~StorageFeed() = default;

Status StorageFeed::run() { return impl_->run(); }

void StorageFeed::stop() {
  impl_->stopping = true;
  const std::shared_ptr<feed::TableFeed> feed =
      impl_->running.read([](const auto& running) { return running; });
  if (feed != nullptr) feed->stop();
}

std::shared_ptr<const feed::FeedProgress> StorageFeed::progress() const {
  const std::shared_ptr<feed::TableFeed> feed =
      impl_->running.read([](const auto& running) { return running; });
  return feed != nullptr ? feed->progress() : nullptr;
}

Status StorageFeed::request_syncpoint() {
  return Error{Errc::unsupported, "a feed in table mode records no syncpoints", 0};
}

Status StorageFeed::Impl::run() {
  const Result<Endpoint> endpoint = parse_endpoint(spec.source_uri);
  if (!endpoint.ok()) return endpoint.error().within("source");
  std::optional<store::Place> first;
  if (start.checkpoint) {
    first = place_of(*start.checkpoint);
  } else if (begin_of(spec) == FeedBegin::position) {
    first = given_place(spec.start.text);
  }
  Result<feed::SourceLogs::Use> used = sources.take(endpoint.value(), log_options(spec.log), first);
  if (!used.ok()) return used.error().within("source");
  origin.emplace(std::move(used).value());
  feed::TableFeedOptions options;
  {
    Result<source::SourceSession> session = (*origin)->runtime().lease().control_session();
    if (!session.ok()) return session.error().within("source");
    Result<feed::TableRules> read = rules(*session.value());
    if (!read.ok()) return read.error();
    options.rules = std::move(read).value();
    options.dialect = (*session.value()).facts().dialect;
    Result<std::uint64_t> done = begin(*session.value());
    if (!done.ok()) return done.error();
    options.done = done.value();
  }
  options.name = spec.name;
  options.fold_names = options.rules.name_case == NameCase::ignored;
  options.limits = spec.inflight;
  options.bells = &(*origin)->bells();
  Result<std::unique_ptr<dispatch::AsyncSink>> sink = make_sink();
  if (!sink.ok()) return sink.error().within("sink");
  const auto feed = std::make_shared<feed::TableFeed>((*origin)->log(), options,
                                                      std::move(sink).value(), start.persist);
  running.with([&](auto& now) { now = feed; });
  if (stopping) return Error{Errc::interrupted, "the feed was stopped", 0};
  Status ended = feed->run();
  const std::optional<Error> failure = (*origin)->failure();
  return failure && !stopping ? Status(*failure) : ended;
}

Result<feed::TableRules> StorageFeed::Impl::rules(mysql::Session& session) {
  CopyOptions copy;
  copy.include = spec.include;
  copy.exclude = spec.exclude;
  Result<Selection> selection = make_selection(session, copy);
  if (!selection.ok()) return selection.error();
  Result<std::vector<feed::Rename>> renames = renames_of(spec.rename);
  if (!renames.ok()) return renames.error();
  const Result<mysql::Rows> fold = session.query("SELECT @@lower_case_table_names");
  if (!fold.ok()) return fold.error();
  feed::TableRules rules;
  rules.selection = std::move(selection).value();
  rules.renames = std::move(renames).value();
  for (const auto& [kind, policy] : spec.ddl) rules.statements[kind] = policy_of(policy);
  if (fold.value().rows.at(0)[0].value_or("0") == "1") rules.name_case = NameCase::ignored;
  Result<dispatch::FilterRules> filters = to_filter_rules(spec.skip, spec.where, rules.name_case);
  if (!filters.ok()) return filters.error();
  rules.filters = std::move(filters).value();
  if (spec.where.empty()) return rules;
  if (Status fits = require_fitting_now(session, rules); !fits.ok()) return fits.error();
  Result<feed::CollationNames> collations = read_collations(session);
  if (!collations.ok()) return collations.error();
  rules.collations = std::move(collations).value();
  return rules;
}

// A feed that begins now has the tables of now before it, one that goes on perhaps older ones.
Status StorageFeed::Impl::require_fitting_now(mysql::Session& session,
                                              const feed::TableRules& rules) const {
  if (start.checkpoint || begin_of(spec) == FeedBegin::position) return Unit{};
  Result<std::vector<Table>> tables = mysql::read_tables(session, [&](const TableName& name) {
    return rules.follows(name) && !rules.filters.wanted_of(name).keep.empty();
  });
  if (!tables.ok()) return tables.error();
  return require_fitting(rules.filters, tables.value());
}

// The cseq behind which the feed goes on.
Result<std::uint64_t> StorageFeed::Impl::begin(mysql::Session& session) {
  const Stopping asked = [this] { return stopping.load(); };
  if (start.checkpoint) {
    const Checkpoint& at = *start.checkpoint;
    if (Status same = require_same_count(**origin, at.cseq, at.position.gtid); !same.ok())
      return same.error();
    // What was durable at the sink and died in the log comes into it again.
    if (Status there = wait_for_count(**origin, at.cseq, asked); !there.ok()) return there.error();
    return at.cseq;
  }
  const Result<store::Place> place = begin_of(spec) == FeedBegin::position
                                         ? find_place(**origin, spec.start.text, asked)
                                         : place_behind_source(**origin, session, asked);
  if (!place.ok()) return place.error();
  // Now is now only once: a feed that dies before its first checkpoint goes on here.
  feed::FeedProgress first;
  first.cseq = place.value().cseq;
  first.position = {place.value().file, place.value().gtid};
  first.commit_us = place.value().commit_us;
  if (Status kept = start.persist(first); !kept.ok()) return kept.error();
  return first.cseq;
}

}  // namespace wherry::control
