#include "support/quote.h"

namespace wherry {

std::string quote_name(std::string_view name) {
  std::string out = "`";
  for (const char c : name) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + '`';
}

void append_quoted(std::string& out, std::string_view text) {
  out += '\'';
  for (const char c : text) {
    switch (c) {
      case '\0':
        out += "\\0";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\x1a':
        out += "\\Z";
        break;
      case '\'':
        out += "\\'";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
  out += '\'';
}

std::string quote_text(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

}  // namespace wherry
