// A little of everything.
#ifndef ONCE
#define ONCE
class Base<int n, string s = "x"> {
  int Number = n;
  bits<4> Bits = {0, 1, ?, n{0}};
  list<int> Range = !range(n);
  assert !lt(n, 100), "too large: " # n;
}
multiclass Two<int n> {
  def _a : Base<n>;
  def _b : Base<!add(n, 1), "y"> { let Bits{1-0} = 3; }
}
defm X : Two<1>;
foreach i = [1, 2] in { def Y#i : Base<i>; }
let Number = 7 in def Z : Base<!cast<int>("3")>;
defvar list = !foreach(x, [1, 2, 3], !mul(x, x));
def op;
def D {
  dag d = (op 1:$a, "s":$b, (op):$c);
  dag e = !con(d, (op ?:$v));
  int f = !foldl(0, list, sum, x, !add(sum, x));
  string g = !cond(!eq(f, 14): "fourteen", true: "other");
  code h = [{ return $0; }];
}
#endif
