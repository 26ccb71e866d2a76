// Helpers that every other file builds on.

#ifndef DRRVM_IR_UTILS
#define DRRVM_IR_UTILS

// The operators of argument and result lists.
def ins;
def outs;

// A string in a record, as `Shape`, `Rank` and similar classes return it.
class StrFunc<string r> {
  string result = r;
}

// A C++ argument of a builder, with its default if it has one.
class CArg<string ty, string value = ""> {
  string type = ty;
  string defaultValue = value;
}

// The definition is deprecated.
class Deprecated<string reason> {
  string odsDeprecated = reason;
}

// The generated C++ is deprecated.
class CppDeprecated<string reason> {
  string odsCppDeprecated = reason;
}

// Turns "abc" into "Abc".
class firstCharToUpper<string str> {
  string ret = !if(!empty(str), "", !toupper(!substr(str, 0, 1)) # !substr(str, 1));
}

// Turns "true_value" into "TrueValue".
class snakeCaseToCamelCase<string str> {
  int underscore = !find(str, "_");
  string ret = !if(!lt(underscore, 0),
                   firstCharToUpper<str>.ret,
                   firstCharToUpper<!substr(str, 0, underscore)>.ret
                       # snakeCaseToCamelCase<!substr(str, !add(underscore, 1))>.ret);
}

#endif
