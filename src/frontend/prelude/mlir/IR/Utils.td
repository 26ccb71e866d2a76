// Helpers that every other file builds on.

#ifndef DRRVM_IR_UTILS
#define DRRVM_IR_UTILS

// Names of argument and result lists.
def ins;
def outs;

// A wrapped string: what `Shape`, `Rank` and the like return.
class StrFunc<string r> {
  string result = r;
}

// A C++ argument of a builder, with its default if it has one.
class CArg<string ty, string value = ""> {
  string type = ty;
  string defaultValue = value;
}

// Using the definition is discouraged.
class Deprecated<string reason> {
  string odsDeprecated = reason;
}

// Using the generated C++ is discouraged.
class CppDeprecated<string reason> {
  string odsCppDeprecated = reason;
}

// "abc" gives "Abc".
class firstCharToUpper<string str> {
  string ret = !if(!empty(str), "", !toupper(!substr(str, 0, 1)) # !substr(str, 1));
}

// "true_value" gives "TrueValue".
class snakeCaseToCamelCase<string str> {
  int underscore = !find(str, "_");
  string ret = !if(!lt(underscore, 0),
                   firstCharToUpper<str>.ret,
                   firstCharToUpper<!substr(str, 0, underscore)>.ret
                       # snakeCaseToCamelCase<!substr(str, !add(underscore, 1))>.ret);
}

#endif
