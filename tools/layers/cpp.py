"""Reads just enough C++ to know where functions and classes begin and end.

The text is cut into tokens without comments, literals and preprocessor lines; a walk over the
braces then tells scopes (namespaces, classes), function bodies and initializers apart. It follows
the code of this project, not all of the language.
"""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<raw>(?:u8|[uUL])?R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)")
      |(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
      |(?P<number>\.?\d(?:[\w.]|'(?=\w))*)
      |(?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
      |(?P<word>[A-Za-z_]\w*)
      |(?P<two>::|->|&&|\|\||==|!=|<=|>=|\[\[|\]\])
      |(?P<one>\S)""",
    re.VERBOSE | re.DOTALL)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
CLASS_WORDS = {"class", "struct", "union"}


@dataclass
class Token:
    text: str
    line: int


@dataclass
class Function:
    name: str
    line: int
    parameters: int
    lines: int = 0  # 0: only declared here


@dataclass
class Type:
    name: str
    line: int
    keyword: str
    members: int = 0
    public_methods: int = 0


@dataclass
class Source:
    tokens: list
    comments: list  # of Token
    includes: list  # of (path, line)
    functions: list = field(default_factory=list)
    types: list = field(default_factory=list)


@dataclass
class Scope:
    kind: str  # namespace, type, enum, function, initializer
    type: Type = None
    function: Function = None
    access: str = "public"
    start: int = 0  # first token of the declaration being read


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def tokenize(text):
    includes = [(m.group(1), line_of(text, m.start(1))) for m in INCLUDE.finditer(text)]
    blanked = PREPROCESSOR.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    tokens, comments = [], []
    line, last = 1, 0
    for match in TOKEN.finditer(blanked):
        line += blanked.count("\n", last, match.start())
        last = match.start()
        kind = match.lastgroup if match.lastgroup != "tag" else "raw"
        if kind == "comment":
            comments.append(Token(match.group(), line))
        elif kind in ("string", "raw", "char"):
            tokens.append(Token('""', line))
        else:
            tokens.append(Token(match.group(), line))
    return Source(tokens, comments, includes)


def without_attributes(tokens):
    """The tokens of a declaration without [[attributes]], template<...> heads and alignas(...)."""
    kept, i = [], 0
    while i < len(tokens):
        text = tokens[i].text
        if text == "[[":
            while i < len(tokens) and tokens[i].text != "]]":
                i += 1
            i += 1
        elif text == "template" and i + 1 < len(tokens) and tokens[i + 1].text == "<":
            i = skip_angles(tokens, i + 1)
        elif text in ("alignas", "requires", "noexcept", "explicit") and \
                i + 1 < len(tokens) and tokens[i + 1].text == "(":
            i = skip_parens(tokens, i + 1)
        else:
            kept.append(tokens[i])
            i += 1
    return kept


def skip_angles(tokens, i):
    depth = 0
    while i < len(tokens):
        if tokens[i].text == "<":
            depth += 1
        elif tokens[i].text == ">":
            depth -= 1
            if depth == 0:
                return i + 1
        elif tokens[i].text == "(":
            i = skip_parens(tokens, i)
            continue
        i += 1
    return i


def skip_parens(tokens, i):
    depth = 0
    while i < len(tokens):
        if tokens[i].text == "(":
            depth += 1
        elif tokens[i].text == ")":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return i


def parameter_list(tokens):
    """(index of the name, index of its opening parenthesis), or None for no function."""
    angles = 0
    for i, token in enumerate(tokens):
        text = token.text
        after_operator = i > 0 and tokens[i - 1].text == "operator"
        if text == "=" and not after_operator and angles == 0:
            # a definition of a value, but for the comparison and assignment operators
            if not (i > 1 and tokens[i - 2].text == "operator"):
                return None
        elif text == "<" and i > 0 and re.match(r"\w", tokens[i - 1].text) and not after_operator:
            angles += 1
        elif text == ">" and angles > 0:
            angles -= 1
        elif text == "(" and angles == 0:
            if after_operator:  # operator()(...): the next pair holds the parameters
                continue
            if i == 0 or tokens[i - 1].text in ("decltype", "static_assert"):
                return None
            if tokens[i - 1].text == ")" and not (i > 2 and tokens[i - 3].text == "operator"):
                continue
            return i - 1, i
    return None


def count_parameters(tokens, opening):
    end = skip_parens(tokens, opening) - 1
    inside = tokens[opening + 1:end]
    if not inside or (len(inside) == 1 and inside[0].text == "void"):
        return 0
    count, depth, angles = 1, 0, 0
    for i, token in enumerate(inside):
        if token.text in "([{" or token.text == "[[":
            depth += 1
        elif token.text in ")]}" or token.text == "]]":
            depth -= 1
        elif token.text == "<" and i > 0 and re.match(r"\w", inside[i - 1].text):
            angles += 1
        elif token.text == ">" and angles > 0:
            angles -= 1
        elif token.text == "," and depth == 0 and angles == 0:
            count += 1
    return count


def as_function(declaration):
    tokens = without_attributes(declaration)
    found = parameter_list(tokens)
    if found is None or tokens[0].text in ("using", "typedef", "friend", "static_assert"):
        return None
    name, opening = found
    text = tokens[name].text
    if text == ")":
        text = "operator()"
    elif name > 0 and tokens[name - 1].text == "operator":
        text = "operator" + text
    elif name > 0 and tokens[name - 1].text == "~":
        text = "~" + text
    return Function(text, tokens[name].line, count_parameters(tokens, opening))


def type_name(tokens):
    """The last word of `Outer::Name`, without what follows: final, bases, arguments."""
    name = ""
    for token in tokens:
        if re.match(r"[A-Za-z_]", token.text) and token.text != "final":
            name = token.text
        elif token.text != "::":
            break
    return name


def as_type(declaration):
    tokens = without_attributes(declaration)
    for i, token in enumerate(tokens):
        if token.text in CLASS_WORDS and i + 1 < len(tokens) and "(" not in \
                [t.text for t in tokens[:i]]:
            return Type(type_name(tokens[i + 1:]), token.line, token.text)
    return None


def in_initializer_list(declaration):
    """True inside `Type(...) : a_(x), b_` where a brace opens a member's value, not the body."""
    tokens = without_attributes(declaration)
    found = parameter_list(tokens)
    if found is None:
        return False
    after = tokens[skip_parens(tokens, found[1]):]
    return bool(after) and any(t.text == ":" for t in after) and \
        bool(re.match(r"\w", after[-1].text) or after[-1].text == ">")


def opened_scope(declaration, parent):
    words = [t.text for t in declaration]
    if parent.kind in ("function", "initializer", "enum"):
        return Scope("initializer")
    if "namespace" in words or words[:2] == ["extern", '""']:
        return Scope("namespace")
    if "enum" in words and "(" not in words:
        return Scope("enum")
    kind = as_type(declaration)
    if kind is not None and as_function_body(declaration) is None:
        return Scope("type", type=kind, access="private" if kind.keyword == "class" else "public")
    function = as_function_body(declaration)
    if function is None or in_initializer_list(declaration):
        return Scope("initializer")
    return Scope("function", function=function)


def as_function_body(declaration):
    kind = as_type(declaration)
    if kind is not None:
        tokens = without_attributes(declaration)
        found = parameter_list(tokens)
        # `struct Name final {` and `class Name : public Base<int(int)> {` are no functions
        if found is None or tokens[0].text in CLASS_WORDS:
            return None
    return as_function(declaration)


def end_of_declaration(declaration, scope, source):
    """A declaration that ended with a semicolon."""
    if not declaration or scope.kind not in ("namespace", "type"):
        return
    function = as_function(declaration)
    if function is not None:
        source.functions.append(function)
        count_method(scope, function)
    elif scope.kind == "type":
        first = declaration[0].text
        words = [t.text for t in declaration]
        if first not in ("using", "typedef", "friend", "static", "enum", "static_assert") and \
                first not in CLASS_WORDS and "operator" not in words:
            scope.type.members += 1


def count_method(scope, function):
    """Construction, destruction, copies and moves are no methods to learn."""
    if scope.kind == "type" and scope.access == "public" and \
            function.name.lstrip("~") != scope.type.name and function.name != "operator=":
        scope.type.public_methods += 1


def parse(text):
    source = tokenize(text)
    stack = [Scope("namespace")]
    tokens = source.tokens
    parens = 0
    for i, token in enumerate(tokens):
        scope = stack[-1]
        text = token.text
        if text == "{":
            declaration = tokens[scope.start:i]
            inside_parens = parens > 0 and scope.kind in ("namespace", "type")
            opened = Scope("initializer") if inside_parens else opened_scope(declaration, scope)
            opened.start = i + 1
            if opened.kind == "type":
                source.types.append(opened.type)
            if opened.kind == "function":
                source.functions.append(opened.function)
                count_method(scope, opened.function)
            stack.append(opened)
        elif text == "}":
            if len(stack) == 1:
                continue
            closed = stack.pop()
            if closed.kind == "function":
                closed.function.lines = token.line - closed.function.line + 1
            if closed.kind in ("namespace", "function"):
                stack[-1].start = i + 1
        elif scope.kind in ("namespace", "type"):
            if text == "(":
                parens += 1
            elif text == ")":
                parens = max(0, parens - 1)
            elif text == ";" and parens == 0:
                declaration = tokens[scope.start:i]
                if not any(t.text == "{" for t in declaration) or as_type(declaration) is None:
                    end_of_declaration(declaration, scope, source)
                scope.start = i + 1
            elif text == ":" and i > 0 and tokens[i - 1].text in ("public", "private", "protected") \
                    and scope.start == i - 1:
                scope.access = tokens[i - 1].text
                scope.start = i + 1
    return source
