"builtin.module"() ({
  "torch.global_slot.module_initializer"() ({
    %31 = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
    %32 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    "torch.initialize.global_slots"(%31, %32) <{slotSymNames = [@a, @"b c"]}> {note} : (!torch.float, !torch.int) -> ()
  }) : () -> ()
  "torch.global_slot"() <{sym_name = "a", typeBound = !torch.float}> : () -> ()
  "torch.global_slot"() <{sym_name = "b c", sym_visibility = "private", typeBound = !torch.int}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {torch.type_bound = !torch.vtensor<[?,3],f32>}, {}], function_type = (!torch.nn.Module<"a.B">, !torch.tensor, !torch.int) -> !torch.tensor, sym_name = "loop", sym_visibility = "private"}> ({
  ^bb0(%arg6: !torch.nn.Module<"a.B">, %arg7: !torch.tensor, %arg8: !torch.int):
    %23 = "torch.prim.GetAttr"(%arg6) <{name = "w"}> : (!torch.nn.Module<"a.B">) -> !torch.tensor
    %24 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %25 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %26 = "torch.prim.Loop"(%arg8, %24, %arg7) ({
    ^bb0(%arg9: !torch.int, %arg10: !torch.tensor):
      %27 = "torch.aten.gt.int"(%arg9, %25) : (!torch.int, !torch.int) -> !torch.bool
      %28 = "torch.prim.If"(%27) ({
        %30 = "torch.aten.tanh"(%arg10) : (!torch.tensor) -> !torch.tensor
        "torch.prim.If.yield"(%30) : (!torch.tensor) -> ()
      }, {
        "torch.prim.If.yield"(%23) : (!torch.tensor) -> ()
      }) {note} : (!torch.bool) -> !torch.tensor
      "torch.prim.If"(%27) ({
        "torch.prim.If.yield"() : () -> ()
      }, {
        %29 = "torch.constant.str"() <{value = "a \22b\22"}> : () -> !torch.str
        "torch.prim.RaiseException"(%29, %29) : (!torch.str, !torch.str) -> ()
        "torch.prim.If.yield"() : () -> ()
      }) : (!torch.bool) -> ()
      "torch.prim.Loop.condition"(%24, %28) : (!torch.bool, !torch.tensor) -> ()
    }) : (!torch.int, !torch.bool, !torch.tensor) -> !torch.tensor
    "func.return"(%26) : (!torch.tensor) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (!torch.vtensor<[2,3,?],f32>, !torch.tensor, !torch.vtensor<*,f32>, !torch.vtensor<[],unk>, !torch.vtensor, !torch.tuple<>) -> (), sym_name = "values"}> ({
  ^bb0(%arg0: !torch.vtensor<[2,3,?],f32>, %arg1: !torch.tensor, %arg2: !torch.vtensor<*,f32>, %arg3: !torch.vtensor<[],unk>, %arg4: !torch.vtensor, %arg5: !torch.tuple<>):
    %0 = "torch.vtensor.literal"() <{value = dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>}> : () -> !torch.vtensor<[2],f32>
    %1 = "torch.copy.to_tensor"(%0) : (!torch.vtensor<[2],f32>) -> !torch.tensor<[2],f32>
    %2 = "torch.constant.int"() <{value = -1 : i64}> : () -> !torch.int
    %3 = "torch.constant.int"() <{value = 2 : i64}> {note = 1 : i32} : () -> !torch.int
    %4 = "torch.constant.none"() : () -> !torch.none
    %5 = "torch.constant.none"() : () -> !torch.none
    %6 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %7 = "torch.constant.float"() <{value = 3.14159265358979 : f64}> : () -> !torch.float
    %8 = "torch.constant.float"() <{value = 0x7FF0000000000000 : f64}> : () -> !torch.float
    %9 = "torch.constant.float"() <{value = -1.000000e-05 : f64}> : () -> !torch.float
    %10 = "torch.constant.str"() <{value = "none"}> : () -> !torch.str
    %11 = "torch.constant.device"() <{value = "cuda:0"}> : () -> !torch.Device
    %12 = "torch.constant.number"() <{value = 3 : i64}> : () -> !torch.number
    %13 = "torch.prim.ListConstruct"(%3, %2) : (!torch.int, !torch.int) -> !torch.list<int>
    %14 = "torch.prim.ListConstruct"() : () -> !torch.list<optional<vtensor<[?,3],f16>>>
    %15:2 = "torch.aten.max.dim"(%arg0, %2, %6) : (!torch.vtensor<[2,3,?],f32>, !torch.int, !torch.bool) -> (!torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],si64>)
    %16 = "torch.aten.add.Scalar"(%arg0, %7, %3) {note = "x"} : (!torch.vtensor<[2,3,?],f32>, !torch.float, !torch.int) -> !torch.vtensor<[2,3,?],f32>
    %17 = "torch.prim.DictConstruct"(%10, %10, %arg1, %arg1) : (!torch.str, !torch.str, !torch.tensor, !torch.tensor) -> !torch.dict<str, tensor>
    %18 = "torch.prim.DictConstruct"() : () -> !torch.dict<int, union<float, none>>
    %19 = "torch.prim.TupleConstruct"(%arg0, %arg1) : (!torch.vtensor<[2,3,?],f32>, !torch.tensor) -> !torch.tuple<vtensor<[2,3,?],f32>, tensor>
    %20 = "torch.copy.to_vtensor"(%arg1) : (!torch.tensor) -> !torch.vtensor
    %21 = "torch.operator"(%arg0) <{name = "onnx.Softmax"}> {torch.onnx.axis = -1 : si64} : (!torch.vtensor<[2,3,?],f32>) -> !torch.vtensor<[2,3,?],f32>
    %22 = "torch.symbolic_int"() <{max_val = 9223372036854775806 : i64, min_val = 2 : i64, symbol_name = "s0"}> : () -> !torch.int
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
