class Dialect { string name = ?; }
class Op<Dialect d, string n> { Dialect dialect = d; string opName = n; dag arguments = (ins); dag results = (outs); }
def ins; def outs;
def T : Dialect { let name = "t"; }
def A : Op<T, "a"> { let arguments = (ins); let results = (outs); }
