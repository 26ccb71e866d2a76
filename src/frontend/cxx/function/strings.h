
// Methods of `StringRef` and `std::string`, with the results of LLVM 22.1.

namespace mlir {
namespace drrvm {

template <typename F>
StringRef StringRef_take_while(StringRef text, F &&fits) {
  return text.take_front(prefix_length(text, fits, true));
}

template <typename F>
StringRef StringRef_take_until(StringRef text, F &&fits) {
  return text.take_front(prefix_length(text, fits, false));
}

template <typename F>
StringRef StringRef_drop_while(StringRef text, F &&fits) {
  return text.drop_front(prefix_length(text, fits, true));
}

template <typename F>
StringRef StringRef_drop_until(StringRef text, F &&fits) {
  return text.drop_front(prefix_length(text, fits, false));
}

int StringRef_compare_insensitive(StringRef x, StringRef y) { return x.lower().compare(y.lower()); }

size_t StringRef_find_insensitive(StringRef text, StringRef part) { return text.lower().find(part.lower()); }

size_t StringRef_find_insensitive(StringRef text, char c) { return text.lower().find(llvm::toLower(c)); }

size_t StringRef_rfind_insensitive(StringRef text, StringRef part) { return text.lower().rfind(part.lower()); }

size_t StringRef_rfind_insensitive(StringRef text, char c) { return text.lower().rfind(llvm::toLower(c)); }

template <typename F>
size_t StringRef_find_if(StringRef text, F &&fits) {
  size_t n = prefix_length(text, fits, false);
  return n < text.size() ? n : StringRef::npos;
}

template <typename F>
size_t StringRef_find_if_not(StringRef text, F &&fits) {
  size_t n = prefix_length(text, fits, true);
  return n < text.size() ? n : StringRef::npos;
}

template <typename F>
size_t StringRef_find_if(StringRef text, F &&fits, size_t from) {
  size_t n = text.drop_front(from).find_if(fits);
  return n == StringRef::npos ? n : n + from;
}

template <typename F>
size_t StringRef_find_if_not(StringRef text, F &&fits, size_t from) {
  size_t n = text.drop_front(from).find_if_not(fits);
  return n == StringRef::npos ? n : n + from;
}

template <typename T>
size_t StringRef_find(StringRef text, T part, size_t from) {
  size_t n = from > text.size() ? StringRef::npos : text.drop_front(from).find(part);
  return n == StringRef::npos ? n : n + from;
}

template <typename T>
size_t StringRef_find_first_of(StringRef text, T characters, size_t from) {
  size_t n = from > text.size() ? StringRef::npos : text.drop_front(from).find_first_of(characters);
  return n == StringRef::npos ? n : n + from;
}

template <typename T>
size_t StringRef_find_first_not_of(StringRef text, T characters, size_t from) {
  size_t n = from > text.size() ? StringRef::npos : text.drop_front(from).find_first_not_of(characters);
  return n == StringRef::npos ? n : n + from;
}

StringRef StringRef_bytes(StringRef text) { return text; }

StringRef StringRef_toStringRef(StringRef text, std::string &) { return text; }

void StringRef_erase(std::string &text, size_t at) { text = text.substr(0, at); }

void StringRef_erase(std::string &text, size_t at, size_t count) {
  text = text.substr(0, at) + (count < text.size() - at ? text.substr(at + count) : "");
}

void StringRef_truncate(std::string &text, size_t size) { text = text.substr(0, size); }

void StringRef_append(std::string &text, size_t count, char c) { text += drrvmFilled(count, c); }

void StringRef_resize(std::string &text, size_t size, char c) {
  if (size > text.size())
    text += drrvmFilled(size - text.size(), c);
  text = text.substr(0, size);
}

void StringRef_resize(std::string &text, size_t size) {
  if (size > text.size())
    llvm_unreachable("strings with null characters are not supported");
  text = text.substr(0, size);
}

void StringRef_assign(std::string &text, StringRef other) { text = other.str(); }

void StringRef_assign(std::string &text, size_t count, char c) { text = drrvmFilled(count, c); }

void StringRef_replace(std::string &text, size_t at, size_t count, StringRef part) {
  std::string before = text.substr(0, at);
  text = before + part.str() + (count < text.size() - at ? text.substr(at + count) : "");
}

// Removes the digits of a number from the front of a text. The result is true if there are no digits, or if the number
// does not fit. In both cases, only the prefix that states the radix is removed.
bool consume_digits(StringRef &text, unsigned radix, uint64_t &number) {
  if (radix == 0) {
    radix = 10;
    if (text.starts_with_insensitive("0x"))
      radix = 16;
    else if (text.starts_with_insensitive("0b"))
      radix = 2;
    else if (text.starts_with("0o") || (text.size() > 1 && text[0] == '0' && llvm::isDigit(text[1])))
      radix = 8;
    if (radix != 10)
      text = text.drop_front(radix == 8 && llvm::isDigit(text[1]) ? 1 : 2);
  }
  size_t count = 0;
  number = 0;
  for (char c : text) {
    unsigned digit = 36;
    if (llvm::isDigit(c))
      digit = c - '0';
    else if (llvm::isAlpha(c))
      digit = llvm::toLower(c) - 'a' + 10;
    if (digit >= radix)
      break;
    uint64_t before = number;
    number = number * radix + digit;
    if (number / radix < before)
      return true;
    ++count;
  }
  if (count == 0)
    return true;
  text = text.drop_front(count);
  return false;
}

// A positive number is removed from the text even if it does not fit.
template <typename T>
bool StringRef_consumeInteger(StringRef &text, unsigned radix, T &result) {
  bool isSigned = std::is_signed_v<T>, isNegative = isSigned && text.starts_with("-");
  StringRef rest = isNegative ? text.drop_front() : text;
  uint64_t magnitude = 0;
  bool fails = consume_digits(rest, radix, magnitude);
  uint64_t number = isNegative ? -magnitude : magnitude;
  if (isSigned && (isNegative ? int64_t(number) > 0 : int64_t(number) < 0))
    fails = true;
  if (!isNegative || !fails)
    text = rest;
  T converted = static_cast<T>(number);
  if (fails || static_cast<uint64_t>(converted) != number)
    return true;
  result = converted;
  return false;
}

template <typename T>
bool StringRef_getAsInteger(StringRef text, unsigned radix, T &result) {
  T number = 0;
  if (text.consumeInteger(radix, number) || !text.empty())
    return true;
  result = number;
  return false;
}

char StringRef_at(StringRef text, size_t at) { return text[at]; }

// The number at the front of a text.
template <typename T>
T drrvmParsed(const std::string &text) {
  StringRef rest = text;
  rest = rest.ltrim();
  rest.consume_front("+");
  T number = 0;
  if (rest.consumeInteger(10, number))
    llvm_unreachable("the text does not start with a number");
  return number;
}

} // namespace drrvm
} // namespace mlir
