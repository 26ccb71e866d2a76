defset x = 1;
// -----
fnord
// -----
multiclass M { defset list<int> x = { def y; } }
// -----
multiclass M { class C; }
// -----
foreach i = [1] in { class C; }
// -----
foreach i = [1] in { multiclass M { def x; } }
// -----
multiclass M { multiclass N { def x; } }
// -----
class;
// -----
class A { int x; }
class A { int y; }
// -----
deftype T = int;
class T;
// -----
class A<int x, int x>;
// -----
class A<int x;
// -----
def x : Nowhere;
// -----
multiclass M { def x; }
def y : M;
// -----
class A<int x>;
def x : A<1, 2>;
// -----
class A<int x>;
def x : A;
// -----
class A<int x>;
def x : A<"text">;
// -----
class A<int x, int y = 0>;
def x : A<x = 1, 2>;
// -----
class A<int x>;
def x : A<y = 1>;
// -----
class A<int x>;
def x : A<1, x = 2>;
// -----
class A<int x>;
def x : A<x = ?>;
// -----
def x { int v = 1 }
// -----
def x { int v = ; }
// -----
def x { int v = "text"; }
// -----
def x { int v = nowhere; }
// -----
def x { let v = 1; }
// -----
def x { int v; let v = v; }
// -----
def x { int v; let v{0} = 1; }
// -----
def x { bits<4> v; let v{7} = 1; }
// -----
def x { bits<4> v; let v{1-1} = 1; let v{1, 1} = 3; }
// -----
def x { int v = 1; int v = "a"; }
// -----
def x { defvar a = 1; defvar a = 2; }
// -----
defvar a = 1;
defvar a = 2;
// -----
def x;
def x;
// -----
def 1;
// -----
defm x : Nowhere;
// -----
multiclass M { def a; }
multiclass M { def a; }
// -----
multiclass M {}
// -----
multiclass M<int n> { def a; }
defm x : M;
// -----
multiclass M { def a; }
defm x : M
// -----
class A;
def x : A, A;
// -----
defset int s = { def x; }
// -----
class A;
defset list<A> s = { def x; }
// -----
deftype T = int;
deftype T = string;
// -----
class A;
deftype T = A;
// -----
foreach in [1] in def x;
// -----
foreach i = {1-x} in def x;
// -----
foreach i = ["a"] def x;
// -----
foreach i = [1, 2] in { def x#i;
// -----
if 1 def x;
// -----
class A<int n> { int v = n; }
multiclass M<int n> { if !exists<A>("y" # n) then def a; }
if A<1> then def x;
// -----
let v = 1 in def x { string v; }
// -----
let = 1 in def x;
// -----
let v = 1 def x;
// -----
assert 0, "this never holds";
// -----
assert "a", "not a bit";
// -----
assert 0, 1;
// -----
class A<int n> { assert !gt(n, 3), "n is " # n; }
def x : A<2>;
// -----
dump;
// -----
def x { bits<4> v = { 1, 0, "a", 1 }; }
// -----
def x { bits v; }
// -----
def x { list<int v; }
// -----
def x { fnord v; }
// -----
def x { list<int> v = [1, "a"]; }
// -----
def x { list<int> v = [1, 2; }
// -----
def x { int v = []; }
// -----
def x { list<int> v = ["a"]<string>; }
// -----
defvar v = [];
// -----
def x { int v = [1, 2][3]; }
// -----
defvar v = 1[0];
// -----
defvar v = ["a"]["b"];
// -----
defvar v = 1.field;
// -----
class A { int f = 1; }
def a : A;
defvar v = a.g;
// -----
defvar v = 5{3-};
// -----
defvar v = ? # "a";
// -----
defvar v = (1);
// -----
def op;
defvar v = (op 1:2);
// -----
def op;
defvar v = (op 1, $);
// -----
def op;
defvar v = (op 1;
// -----
defvar v = !fnord(1);
// -----
defvar v = !add(1);
// -----
defvar v = !add(1, "a");
// -----
defvar v = !add 1;
// -----
defvar v = !strconcat("a");
// -----
defvar v = !div(1, 0);
// -----
defvar v = !shl(1, 64);
// -----
defvar v = !logtwo(0);
// -----
defvar v = !head(1);
// -----
defvar v = !head([]<int>);
// -----
defvar v = !size(1);
// -----
def x { int v = !cast<int>("a"); }
// -----
class A;
def x { A v = !cast<A>("nowhere"); }
// -----
class A;
class B;
def b : B;
defvar v = !cast<A>("b");
// -----
defvar v = !cast(1);
// -----
defvar v = !isa<int>(1;
// -----
defvar v = !if(1, 2);
// -----
def x { int v = !if("a", 1, 2); }
// -----
defvar v = !if(1, 2, "a");
// -----
defvar v = !cond(1 : 2, 0 "a");
// -----
defvar v = !cond();
// -----
defvar v = !cond(0 : 1);
// -----
defvar v = !foreach(x, 1, x);
// -----
defvar v = !foreach(1, [1], 2);
// -----
defvar v = !foldl(0, [1], a, b, "c");
// -----
defvar v = !foldl(0, 1, a, b, a);
// -----
defvar v = !range(1, 2, 0);
// -----
defvar v = !range(1, 2, 3, 4);
// -----
defvar v = !range("a");
// -----
defvar v = !substr("abc", 4);
// -----
defvar v = !substr("abc", 1, -1);
// -----
defvar v = !find("abc", 1);
// -----
defvar v = !match("a", "[");
// -----
defvar v = !interleave([1], 2);
// -----
defvar v = !listsplat(1, -1);
// -----
def op;
defvar v = !dag(op, 1, ["a"]);
// -----
def op;
defvar v = !getdagarg<int>((op 1), 2);
// -----
def op;
defvar v = !getdagarg<int>((op 1:$a), "b");
// -----
def op;
def po;
defvar v = !con((op 1), (po 2));
// -----
def op;
defvar v = !setdagop((op 1), 1);
// -----
defvar v = "never ends
// -----
defvar v = "\q";
// -----
defvar v = [{ never ends
// -----
/* never ends
// -----
defvar v = 0x;
// -----
defvar v = 99999999999999999999;
// -----
defvar v = 0b12;
// -----
defvar v = $;
// -----
include
// -----
include "nowhere.td"
// -----
#ifdef
// -----
#ifdef A
def x;
// -----
#else
// -----
#ifdef A
#else
#else
#endif
// -----
#endif
// -----
#define
// -----
#define A b
// -----
class A { int f = g; }
// -----
class A<int n> { bits<2> b = n; }
def x : A<9>;
// -----
class A<list<int> l> { int f = l[2]; }
def x : A<[1]>;
// -----
class A<int n> { int f = !if(!eq(n, 0), 0, !add(1, A<!sub(n, 1)>.f)); }
def x : A<100000>;
// -----
class A { int x = B.y; }
def z : A { let x = z.w; }
// -----
class A { string NAME; }
def x { code c = [{ ok }]; int i = c; }
// -----
def x { int a = 1; int b = a.c; }
// -----
multiclass M<int n> { def _a : Nowhere<n>; }
// -----
multiclass M<int n> { assert !lt(n, 3), "too many"; def _a; }
defm x : M<5>;
// -----
class Base<int n> { int v = !div(6, n); }
multiclass M<int n> { def _a : Base<n>; }
defm x : M<0>;
