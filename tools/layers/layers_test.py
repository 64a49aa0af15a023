#!/usr/bin/python3
"""Tests of the checker: what it must see, and what it must not take for more than it is."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cpp  # noqa: E402
import rooms  # noqa: E402
import rules  # noqa: E402


def functions(text):
    return {f.name: (f.parameters, f.lines) for f in cpp.parse(text).functions}


def findings(check, *arguments):
    return [finding.text for finding in check(*arguments)]


class Parsing(unittest.TestCase):
    def test_counts_lines_from_the_name_to_the_closing_brace(self):
        self.assertEqual(functions("int f(int a,\n      int b) {\n  return a;\n}\n"), {"f": (2, 4)})

    def test_counts_parameters_across_templates_and_defaults(self):
        text = "void f(std::map<int, std::pair<int, int>> m, int b = g(1, 2), S s = {1, 2});"
        self.assertEqual(functions(text), {"f": (3, 0)})

    def test_braces_in_literals_and_comments_do_not_count(self):
        text = 'void f() {\n  s = "}"; c = \'}\'; // }\n  r = R"x(})")x"; /* } */\n}\nvoid g() {}\n'
        self.assertEqual(functions(text), {"f": (0, 4), "g": (0, 1)})

    def test_digit_separators_are_no_literals(self):
        self.assertEqual(functions("void f() { x = 1'000'000; }\nvoid g() {}"),
                         {"f": (0, 1), "g": (0, 1)})

    def test_member_values_in_a_constructor_are_not_its_body(self):
        text = "A::A(int a) : a_{a}, b_(1) {\n  x();\n}\nint A::b() const {\n  return b_;\n}\n"
        self.assertEqual(functions(text), {"A": (1, 3), "b": (0, 3)})

    def test_values_are_no_functions(self):
        text = "constexpr std::array<int, 2> kA = {f(1), 2};\nint x{3};\nauto l = [](int a) { return a; };"
        self.assertEqual(functions(text), {})

    def test_operators(self):
        text = "struct S {\n  int operator()(int a, int b) { return 1; }\n" \
               "  bool operator==(const S& o) const = default;\n};"
        self.assertEqual(functions(text), {"operator()": (2, 1), "operator==": (1, 0)})

    def test_template_function_with_requires(self):
        text = "template <typename T, typename U>\n  requires (sizeof(T) > 1)\nT f(T a, U b) {\n}\n"
        self.assertEqual(functions(text), {"f": (2, 2)})

    def test_counts_members_and_public_methods(self):
        text = "class A final : public B<int> {\n public:\n  A();\n  ~A();\n  void f();\n" \
               "  int g() const { return a_; }\n  using T = int;\n private:\n  void h();\n" \
               "  int a_ = 0;\n  std::array<int, 3> b_{};\n  static int c;\n};\n"
        kind = cpp.parse(text).types[0]
        self.assertEqual((kind.name, kind.public_methods, kind.members), ("A", 2, 2))

    def test_nested_types_keep_their_own_counts(self):
        text = "class A {\n  struct B {\n    int x;\n    int y;\n  };\n  B b_;\n};\nstruct A::C { int z; };"
        self.assertEqual([(t.name, t.members) for t in cpp.parse(text).types],
                         [("A", 1), ("B", 2), ("C", 1)])


class Rules(unittest.TestCase):
    def test_includes_point_down(self):
        def check(path, included):
            return findings(rules.check_includes, path, cpp.parse(f'#include "{included}"\n'))
        self.assertEqual(check("decode/rows.cc", "model/schema.h"), [])
        self.assertEqual(check("decode/rows.cc", "decode/event.h"), [])
        self.assertEqual(len(check("model/schema.h", "decode/event.h")), 1)
        self.assertEqual(len(check("decode/rows.cc", "mysql/session.h")), 1)
        self.assertEqual(check("sink/mysql/lane.cc", "sink/mysql/lane.h"), [])
        self.assertEqual(len(check("dispatch/router.cc", "sink/mysql/lane.h")), 1)
        self.assertEqual(len(check("decode/rows.cc", "rows.h")), 1)
        self.assertEqual(len(check("attic/x.cc", "model/schema.h")), 1)

    def test_a_commented_include_counts_for_nothing(self):
        source = cpp.parse('// #include "mysql/session.h"\n')
        self.assertEqual(findings(rules.check_includes, "decode/rows.cc", source), [])

    def test_the_table_has_no_cycle(self):
        for name, allowed in rooms.ROOMS.items():
            for other in allowed:
                self.assertNotIn(name, rooms.ROOMS[other], f"{name} and {other}")

    def test_limits(self):
        body = "void f(int a, int b, int c, int d, int e, int g) {\n" + "  x();\n" * 69 + "}\n"
        text = "\n" * 700 + body
        found = findings(rules.check_sizes, "src/model/x.cc", text, cpp.parse(text))
        self.assertEqual(len(found), 3, found)
        self.assertEqual(findings(rules.check_sizes, "src/model/x_table.cc", text,
                                  cpp.parse(text)), [])

    def test_class_words(self):
        found = findings(rules.check_names, "x.h", cpp.parse("class LaneManager {};\nstruct Database {};"))
        self.assertEqual(found, ["LaneManager: a type is not called Manager"])

    def test_banned_constructs(self):
        def check(path, text):
            return len(findings(rules.check_words, path, cpp.parse(text)))
        self.assertEqual(check("src/copy/x.cc", "std::mutex m_;"), 1)
        self.assertEqual(check("src/support/x.h", "std::mutex m_;"), 0)
        self.assertEqual(check("src/copy/x.cc", "worker.detach();"), 1)
        self.assertEqual(check("src/copy/x.cc", "volatile int x;"), 1)
        self.assertEqual(check("src/copy/x.cc", '// detached, volatile\nf("volatile");'), 0)
        self.assertEqual(check("src/copy/x.cc", "// " + "TODO: later"), 1)
        self.assertEqual(check("src/copy/x.cc", "x();  // NOLINT(bugprone-x)"), 1)
        self.assertEqual(check("src/copy/x.cc", "x();  // NOLINT(bugprone-x): a C interface"), 0)

    def test_text_rules(self):
        def check(data):
            return len(findings(rules.check_text, "docs/x.txt", data))
        self.assertEqual(check(b"fine\n"), 0)
        self.assertEqual(check(b"no end"), 1)
        self.assertEqual(check(b"blanks \n"), 1)
        self.assertEqual(check(b"see /" + b"work/main\n"), 1)
        self.assertEqual(check(b"at /network/x and a/work/b\n"), 0)

    def test_link_lines_follow_the_table(self):
        text = "wherry_room(decode DEPS wherry_model wherry_mysql PRIVATE PkgConfig::ZSTD)"
        found = findings(rules.check_links, text, "decode", rooms.ROOMS["decode"])
        self.assertEqual(found, ["decode may not link wherry_mysql"])


if __name__ == "__main__":
    unittest.main()
