// Points and places in the files of logs and redo: docs/format/log.md. Pure functions.
#pragma once

#include "store/bytes_out.h"
#include "store/entry.h"

namespace wherry::store {

inline void put(BytesOut& out, const Point& point) { out.uint(point.cseq, 8).uint(point.row, 8); }
inline Point read_point(wherry::Cursor& in) {
  Point point;
  point.cseq = in.uint_le(8);
  point.row = in.uint_le(8);
  return point;
}

inline void put(BytesOut& out, const Place& place) {
  out.uint(place.cseq, 8).uint(place.commit_us, 8).uint(place.generation, 8);
  out.text(place.file.file).uint(place.file.offset, 8).text(place.gtid);
}
inline Place read_place(wherry::Cursor& in) {
  Place place;
  place.cseq = in.uint_le(8);
  place.commit_us = in.uint_le(8);
  place.generation = in.uint_le(8);
  place.file.file = read_text(in);
  place.file.offset = in.uint_le(8);
  place.gtid = read_text(in);
  return place;
}

}  // namespace wherry::store
