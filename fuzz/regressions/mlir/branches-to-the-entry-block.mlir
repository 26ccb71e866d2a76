func.func @f() {
  cf.br ^bb1
^bb1:
  cf.br ^bb0
^bb0:
  cf.br ^bb0
}
"t.region"() ({
^bb0:
  "t.br"()[^bb0] : () -> ()
}) : () -> ()
"t.region"() ({
  "t.br"()[^bb1] : () -> ()
^bb1:
  "t.br"()[^bb1] : () -> ()
}) : () -> ()
