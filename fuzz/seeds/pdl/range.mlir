module {
  pdl.pattern : benefit(1) {
    %ts = pdl.types : [i32, i64]
    %o = pdl.operation -> (%ts : !pdl.range<type>)
    %rs = pdl.results of %o
    %r = pdl.result 1 of %o
    %u = pdl.operation "t.u"(%r, %rs : !pdl.value, !pdl.range<value>)
    pdl.rewrite %u with "native"(%o : !pdl.operation)
  }
}
