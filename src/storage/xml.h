// The little XML that object stores answer with, as a tree. No document types, no entities but the
// five of XML and characters by number, bounded depth and count: bytes from a server cannot make it
// do more than walk them once. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace wherry::storage {

struct XmlElement {
  std::string name;  // without its namespace
  std::string text;  // all text directly in it, joined
  std::vector<XmlElement> children;

  const XmlElement* child(std::string_view name) const;
  // The text of the first child of this name, or empty.
  std::string_view text_of(std::string_view name) const;
};

// Errc::malformed: it is not the whole of one element.
Result<XmlElement> parse_xml(std::string_view text);

// A text as it stands between tags.
std::string xml_text(std::string_view text);

}  // namespace wherry::storage
