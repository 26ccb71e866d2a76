module {
  torch.global_slot.module_initializer {
    %float5.000000e-01 = torch.constant.float 5.000000e-01
    %int3 = torch.constant.int 3
    torch.initialize.global_slots {note} [
      @a(%float5.000000e-01 : !torch.float)
      @"b c"(%int3 : !torch.int)
    ]
  }
  torch.global_slot @a : !torch.float
  torch.global_slot "private" @"b c" : !torch.int
  func.func private @loop(%arg0: !torch.nn.Module<"a.B">, %arg1: !torch.tensor {torch.type_bound = !torch.vtensor<[?,3],f32>}, %arg2: !torch.int) -> !torch.tensor {
    %0 = torch.prim.GetAttr %arg0["w"] : !torch.nn.Module<"a.B"> -> !torch.tensor
    %true = torch.constant.bool true
    %int0 = torch.constant.int 0
    %1 = torch.prim.Loop %arg2, %true, init(%arg1) {
    ^bb0(%arg3: !torch.int, %arg4: !torch.tensor):
      %2 = torch.aten.gt.int %arg3, %int0 : !torch.int, !torch.int -> !torch.bool
      %3 = torch.prim.If %2 -> (!torch.tensor) {
        %4 = torch.aten.tanh %arg4 : !torch.tensor -> !torch.tensor
        torch.prim.If.yield %4 : !torch.tensor
      } else {
        torch.prim.If.yield %0 : !torch.tensor
      } {note}
      torch.prim.If %2 -> () {
        torch.prim.If.yield
      } else {
        %str = torch.constant.str "a \22b\22"
        torch.prim.RaiseException %str, %str : !torch.str, !torch.str
        torch.prim.If.yield
      }
      torch.prim.Loop.condition %true, iter(%3 : !torch.tensor)
    } : (!torch.int, !torch.bool, !torch.tensor) -> !torch.tensor
    return %1 : !torch.tensor
  }
  func.func @values(%arg0: !torch.vtensor<[2,3,?],f32>, %arg1: !torch.tensor, %arg2: !torch.vtensor<*,f32>, %arg3: !torch.vtensor<[],unk>, %arg4: !torch.vtensor, %arg5: !torch.tuple<>) {
    %0 = torch.vtensor.literal(dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>) : !torch.vtensor<[2],f32>
    %1 = torch.copy.to_tensor %0 : !torch.tensor<[2],f32>
    %int-1 = torch.constant.int -1
    %int2 = torch.constant.int 2 {note = 1 : i32}
    %none = torch.constant.none
    %none_0 = torch.constant.none
    %false = torch.constant.bool false
    %float3.141590e00 = torch.constant.float 3.14159265358979
    %floatInf = torch.constant.float 0x7FF0000000000000
    %float-1.000000e-05 = torch.constant.float -1.000000e-05
    %str = torch.constant.str "none"
    %cuda3A0 = torch.constant.device "cuda:0"
    %2 = "torch.constant.number"() <{value = 3 : i64}> : () -> !torch.number
    %3 = torch.prim.ListConstruct %int2, %int-1 : (!torch.int, !torch.int) -> !torch.list<int>
    %4 = torch.prim.ListConstruct  : () -> !torch.list<optional<vtensor<[?,3],f16>>>
    %values, %indices = torch.aten.max.dim %arg0, %int-1, %false : !torch.vtensor<[2,3,?],f32>, !torch.int, !torch.bool -> !torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],si64>
    %5 = torch.aten.add.Scalar %arg0, %float3.141590e00, %int2 {note = "x"} : !torch.vtensor<[2,3,?],f32>, !torch.float, !torch.int -> !torch.vtensor<[2,3,?],f32>
    %6 = torch.prim.DictConstruct keys(%str, %str : !torch.str, !torch.str) values(%arg1, %arg1 : !torch.tensor, !torch.tensor) -> !torch.dict<str, tensor>
    %7 = torch.prim.DictConstruct keys() values() -> !torch.dict<int, union<float, none>>
    %8 = torch.prim.TupleConstruct %arg0, %arg1 : !torch.vtensor<[2,3,?],f32>, !torch.tensor -> !torch.tuple<vtensor<[2,3,?],f32>, tensor>
    %9 = torch.copy.to_vtensor %arg1 : !torch.vtensor
    %10 = torch.operator "onnx.Softmax"(%arg0) {torch.onnx.axis = -1 : si64} : (!torch.vtensor<[2,3,?],f32>) -> !torch.vtensor<[2,3,?],f32> 
    %11 = torch.symbolic_int "s0" {min_val = 2, max_val = 9223372036854775806} : !torch.int
    return
  }
}
