"builtin.module"() ({
  "util.global"() <{is_mutable, sym_name = "count", sym_visibility = "private", type = i32}> : () -> ()
  "util.global"() <{initial_value = 5 : i32, inlining_policy = #util.inline.never, sym_name = "start", sym_visibility = "private", type = i32}> : () -> ()
  "util.global"() <{initial_value = dense<[1, 2]> : tensor<2xi32>, sym_name = "table", sym_visibility = "public", type = tensor<2xi32>}> {kept} : () -> ()
  "util.global"() <{initial_value = #util.null : !hal.device, sym_name = "device", sym_visibility = "private", type = !hal.device}> : () -> ()
  "util.initializer"() <{function_type = () -> ()}> ({
    %40 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    "util.global.store"(%40) <{global = @count}> : (i32) -> ()
    "util.return"() : () -> ()
  }) : () -> ()
  "util.initializer"() <{function_type = () -> ()}> ({
    "util.return"() : () -> ()
  }) {last} : () -> ()
  "util.func"() <{arg_attrs = [{}, {util.kept}], function_type = (tensor<?xf32>, index) -> (tensor<4xf32>, i32), res_attrs = [{}, {util.kept}], sym_name = "declared", sym_visibility = "private", tied_operands = [0 : index, -1 : index]}> ({
  }) : () -> ()
  "util.func"() <{function_type = (tensor<?xf32>) -> tensor<?xf32>, sym_name = "reuses", sym_visibility = "private", tied_operands = [0 : index]}> ({
  }) {nosideeffects} : () -> ()
  "util.func"() <{function_type = () -> (), sym_name = "none", sym_visibility = "public"}> ({
    "util.return"() : () -> ()
  }) : () -> ()
  "util.func"() <{function_type = (tensor<?xf32>, index, index, !util.list<i32>, !util.list<?>, !util.buffer) -> i32, sym_name = "util", sym_visibility = "public", tied_operands = [-1 : index]}> ({
  ^bb0(%arg37: tensor<?xf32>, %arg38: index, %arg39: index, %arg40: !util.list<i32>, %arg41: !util.list<?>, %arg42: !util.buffer):
    %29:2 = "util.call"(%arg37, %arg38) <{callee = @declared, tied_operands = [0 : index, -1 : index]}> : (tensor<?xf32>, index) -> (tensor<4xf32>, i32)
    %30 = "util.call"(%arg37) <{callee = @reuses, tied_operands = [0 : index]}> : (tensor<?xf32>) -> tensor<?xf32>
    "util.call"() <{callee = @none}> : () -> ()
    %31 = "util.list.get"(%arg40, %arg38) : (!util.list<i32>, index) -> i32
    %32 = "util.list.get"(%arg41, %arg38) : (!util.list<?>, index) -> i32
    "util.list.set"(%arg40, %arg38, %31) : (!util.list<i32>, index, i32) -> ()
    "util.list.set"(%arg41, %arg38, %31) : (!util.list<?>, index, i32) -> ()
    %33:2 = "util.range.extents"(%arg38, %arg39, %arg39, %arg38) : (index, index, index, index) -> (index, index)
    %34 = "util.switch"(%arg38, %arg39, %arg38, %arg39) : (index, index, index, index) -> index
    %35:2 = "util.assume.int"(%arg38, %arg39) <{assumptions = [[#util.int.assumption<umin = 1, udiv = 4>], [#util.int.assumption<umin = 0>, #util.int.assumption<umax = 5>]]}> : (index, index) -> (index, index)
    %36 = "util.assume.int"(%arg38) <{assumptions = [[#util.int.assumption<udiv = 2>]]}> : (index) -> index
    %37 = "util.unfoldable_constant"() <{value = dense<1> : tensor<4xi32>}> : () -> tensor<4xi32>
    %38 = "util.unfoldable_constant"() <{value = 4 : i32}> {kept} : () -> i32
    %39 = "util.buffer.subspan"(%arg42, %arg38, %arg38, %arg39) : (!util.buffer, index, index, index) -> !util.buffer
    "util.return"(%38) : (i32) -> ()
  }) : () -> ()
  "flow.executable"() <{sym_name = "executable", sym_visibility = "private"}> ({
    "flow.executable.export"() <{function_ref = @function, sym_name = "entry", sym_visibility = "public"}> ({
    ^bb0(%arg35: index, %arg36: index):
      "flow.return"(%arg35, %arg36, %arg35) : (index, index, index) -> ()
    }) : () -> ()
    "flow.executable.export"() <{function_ref = @other, sym_name = "other", sym_visibility = "public"}> ({
    }) : () -> ()
    "flow.executable_end"() : () -> ()
  }) : () -> ()
  "util.func"() <{function_type = (tensor<?xf32>, tensor<4xf32>, index, index, !util.buffer, i64) -> (), sym_name = "flow", sym_visibility = "public"}> ({
  ^bb0(%arg24: tensor<?xf32>, %arg25: tensor<4xf32>, %arg26: index, %arg27: index, %arg28: !util.buffer, %arg29: i64):
    %21 = "flow.dispatch"(%arg25) <{entry_points = [@executable::@function], operandSegmentSizes = array<i32: 0, 1, 0, 0>, tied_operands = [-1 : index]}> : (tensor<4xf32>) -> tensor<4xf32>
    %22:2 = "flow.dispatch"(%arg26, %arg24, %arg26, %arg26, %arg26) <{entry_points = [@executable::@function, @executable::@other], operandSegmentSizes = array<i32: 1, 2, 1, 1>, tied_operands = [0 : index, -1 : index]}> : (index, tensor<?xf32>, index, index, index) -> (tensor<?xf32>, tensor<4xf32>)
    %23 = "flow.dispatch"(%arg24, %arg26, %arg26, %arg27) <{entry_points = [@executable::@function], operandSegmentSizes = array<i32: 0, 2, 1, 1>, tied_operands = [0 : index]}> : (tensor<?xf32>, index, index, index) -> tensor<?x2xf32>
    %24 = "flow.dispatch.workgroups"(%arg26, %arg24, %arg26, %arg26, %arg27) <{operandSegmentSizes = array<i32: 1, 2, 1, 1>, tied_operands = [-1 : index]}> ({
    ^bb0(%arg32: !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xf32>>, %arg33: index, %arg34: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>):
      "flow.return"() : () -> ()
    }, {
    ^bb0(%arg31: index):
      "flow.return"(%arg31, %arg31, %arg31) : (index, index, index) -> ()
    }) : (index, tensor<?xf32>, index, index, index) -> tensor<?xf32>
    %25:2 = "flow.dispatch.region"(%arg26, %arg26) <{operandSegmentSizes = array<i32: 1, 1>}> ({
      "flow.return"(%arg24, %arg25) : (tensor<?xf32>, tensor<4xf32>) -> ()
    }, {
    ^bb0(%arg30: index):
      "flow.return"(%arg30, %arg30, %arg30) : (index, index, index) -> ()
    }) : (index, index) -> (tensor<?xf32>, tensor<4xf32>)
    %26 = "flow.tensor.update"(%arg24, %arg26, %arg26, %arg25) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<?xf32>, index, index, tensor<4xf32>) -> tensor<?xf32>
    "flow.tensor.trace"(%arg24, %arg25, %arg26) <{key = "values", operandSegmentSizes = array<i32: 2, 1>}> : (tensor<?xf32>, tensor<4xf32>, index) -> ()
    %27 = "flow.parameter.load"(%arg28, %arg28, %arg29, %arg26) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!util.buffer, !util.buffer, i64, index) -> tensor<?xf32>
    %28 = "flow.parameter.load"(%arg28, %arg29) <{operandSegmentSizes = array<i32: 0, 1, 1, 0>}> : (!util.buffer, i64) -> tensor<4xf32>
    "util.return"() : () -> ()
  }) : () -> ()
  "stream.async.func"() <{arg_attrs = [{}, {}], function_type = (!stream.resource<*>, index) -> (!stream.resource<external>, i32), res_attrs = [{}, {}], sym_name = "async", sym_visibility = "private", tied_operands = [0 : index, -1 : index]}> ({
  }) : () -> ()
  "stream.async.func"() <{function_type = () -> (), sym_name = "nothing", sym_visibility = "private"}> ({
  }) : () -> ()
  "util.func"() <{function_type = (!stream.resource<*>, !stream.resource<constant>, !stream.timepoint, index, index, !util.buffer, i64, i32) -> (), sym_name = "stream", sym_visibility = "public"}> ({
  ^bb0(%arg13: !stream.resource<*>, %arg14: !stream.resource<constant>, %arg15: !stream.timepoint, %arg16: index, %arg17: index, %arg18: !util.buffer, %arg19: i64, %arg20: i32):
    %8 = "stream.async.update"(%arg13, %arg17, %arg16, %arg17, %arg13, %arg16) <{affinity = #hal.device.affinity<@device>}> : (!stream.resource<*>, index, index, index, !stream.resource<*>, index) -> !stream.resource<*>
    %9:2 = "stream.async.execute"(%arg13, %arg14, %arg16, %arg17, %arg16) <{operandSegmentSizes = array<i32: 2, 2, 1, 0>, tied_operands = [0 : index]}> ({
    ^bb0(%arg22: !stream.resource<*>, %arg23: !stream.resource<constant>):
      %20 = "stream.async.dispatch"(%arg16, %arg22, %arg16, %arg16, %arg16, %arg17, %arg16, %arg16) <{entry_points = [@executable::@function], operandSegmentSizes = array<i32: 1, 2, 1, 1, 1, 1, 1>, tied_operands = [0 : index]}> : (index, !stream.resource<*>, index, index, index, index, index, index) -> !stream.resource<*>
      "stream.yield"(%20, %arg16) : (!stream.resource<*>, index) -> ()
    }) : (!stream.resource<*>, !stream.resource<constant>, index, index, index) -> (!stream.resource<*>, !stream.timepoint)
    %10 = "stream.async.execute"(%arg15) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
      "stream.yield"() : () -> ()
    }) : (!stream.timepoint) -> !stream.timepoint
    %11:2 = "stream.tensor.dispatch"(%arg13, %arg16, %arg16, %arg17, %arg16, %arg17, %arg17) <{entry_points = [@executable::@function], operandSegmentSizes = array<i32: 0, 2, 1, 1, 2, 1>, operand_encodings = [tensor<?xf32>, !util.unused], result_encodings = [tensor<?xf32>, tensor<4xf32>], tied_operands = [0 : index, -1 : index]}> : (!stream.resource<*>, index, index, index, index, index, index) -> (!stream.resource<*>, !stream.resource<external>)
    %12 = "stream.cmd.execute"(%arg13, %arg16, %arg15) <{affinity = #hal.device.affinity<@device>, once, operandSegmentSizes = array<i32: 1, 1, 1>}> ({
    ^bb0(%arg21: !stream.resource<*>):
      "stream.cmd.dispatch"(%arg16, %arg20, %arg20, %arg21, %arg21, %arg16, %arg16, %arg16, %arg17, %arg17, %arg16) <{entry_points = [@executable::@function], operandSegmentSizes = array<i32: 1, 2, 2, 2, 2, 2>, resource_accesses = [1 : i32, 3 : i32]}> : (index, i32, i32, !stream.resource<*>, !stream.resource<*>, index, index, index, index, index, index) -> ()
      "stream.yield"() : () -> ()
    }) : (!stream.resource<*>, index, !stream.timepoint) -> !stream.timepoint
    %13 = "stream.cmd.execute"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> ({
      "stream.yield"() : () -> ()
    }) : () -> !stream.timepoint
    %14:3 = "stream.resource.pack"(%arg16, %arg16, %arg17) <{lifetime_intervals = [0 : index, 1 : index, 2 : index, 3 : index], operandSegmentSizes = array<i32: 1, 2>}> : (index, index, index) -> (index, index, index)
    %15:2 = "stream.resource.constants"(%arg16) <{affinity = #hal.device.affinity<@device>, values = [dense<1> : tensor<4xi32>]}> : (index) -> (!stream.resource<constant>, !stream.timepoint)
    %16:3 = "stream.cmd.parameter.load"(%arg18, %arg18, %arg18, %arg19, %arg19, %arg16, %arg17, %arg15) <{operandSegmentSizes = array<i32: 1, 2, 2, 2, 1>}> : (!util.buffer, !util.buffer, !util.buffer, i64, i64, index, index, !stream.timepoint) -> (!stream.resource<constant>, !stream.resource<constant>, !stream.timepoint)
    %17 = "stream.cmd.parameter.gather"(%arg18, %arg18, %arg19, %arg19, %arg14, %arg16, %arg16, %arg17, %arg17, %arg16) <{operandSegmentSizes = array<i32: 0, 2, 2, 1, 1, 2, 2, 0>}> : (!util.buffer, !util.buffer, i64, i64, !stream.resource<constant>, index, index, index, index, index) -> !stream.timepoint
    %18 = "stream.cmd.parameter.scatter"(%arg14, %arg16, %arg16, %arg17, %arg18, %arg18, %arg19) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0>}> : (!stream.resource<constant>, index, index, index, !util.buffer, !util.buffer, i64) -> !stream.timepoint
    %19:2 = "stream.timepoint.await"(%arg13, %arg14, %arg16, %arg17, %arg15) <{operandSegmentSizes = array<i32: 2, 2, 1>}> : (!stream.resource<*>, !stream.resource<constant>, index, index, !stream.timepoint) -> (!stream.resource<*>, !stream.resource<constant>)
    "util.return"() : () -> ()
  }) : () -> ()
  "hal.executable"() <{sym_name = "binaries", sym_visibility = "private"}> ({
    "hal.executable.variant"() <{sym_name = "variant", sym_visibility = "public", target = #hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>}> ({
      "hal.executable.condition"() <{function_type = (!hal.device) -> i1}> ({
      ^bb0(%arg12: !hal.device):
        %7 = "arith.constant"() <{value = true}> : () -> i1
        "hal.return"(%7) : (i1) -> ()
      }) {kept} : () -> ()
      "hal.executable.constant.block"() <{function_type = (!hal.device) -> (i32, i32), keys = ["first", "second"]}> ({
      ^bb0(%arg11: !hal.device):
        %6 = "arith.constant"() <{value = 1 : i32}> : () -> i32
        "hal.return"(%6, %6) : (i32, i32) -> ()
      }) : () -> ()
      "hal.executable.constant.block"() <{function_type = () -> i32, keys = ["third"]}> ({
        %5 = "arith.constant"() <{value = 1 : i32}> : () -> i32
        "hal.return"(%5) : (i32) -> ()
      }) {kept} : () -> ()
      "hal.executable.export"() <{layout = #hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">], flags = Indirect>, ordinal = 0 : index, sym_name = "function", sym_visibility = "public"}> ({
      ^bb0(%arg9: !hal.device, %arg10: index):
        "hal.return"(%arg10, %arg10, %arg10) : (index, index, index) -> ()
      }, {
      }) : () -> ()
      "hal.executable.variant_end"() : () -> ()
    }) : () -> ()
    "hal.executable_end"() : () -> ()
  }) : () -> ()
  "util.func"() <{function_type = (!hal.buffer_view, tensor<?xf32>, index, !hal.device, !hal.fence, !hal.fence, i64, !hal.command_buffer, !hal.buffer) -> (), sym_name = "hal", sym_visibility = "public"}> ({
  ^bb0(%arg0: !hal.buffer_view, %arg1: tensor<?xf32>, %arg2: index, %arg3: !hal.device, %arg4: !hal.fence, %arg5: !hal.fence, %arg6: i64, %arg7: !hal.command_buffer, %arg8: !hal.buffer):
    %0 = "hal.tensor.import"(%arg0, %arg2) <{name = "input", operandSegmentSizes = array<i32: 1, 1, 0, 0>, target_encoding = tensor<?xf32>}> : (!hal.buffer_view, index) -> tensor<?xi32>
    %1 = "hal.tensor.export"(%arg1, %arg2) <{source_encoding = tensor<?xf32>}> : (tensor<?xf32>, index) -> !hal.buffer_view
    %2 = "hal.buffer_usage"() <{usage = 3 : i32}> : () -> i32
    %3 = "hal.memory_type"() <{type = 48 : i32}> : () -> i32
    %4 = "hal.device.queue.alloca"(%arg3, %arg6, %arg4, %arg5, %arg6, %3, %2, %arg2) <{flags = 0 : i64}> : (!hal.device, i64, !hal.fence, !hal.fence, i64, i32, i32, index) -> !hal.buffer
    "hal.device.queue.execute.indirect"(%arg3, %arg6, %arg4, %arg5, %arg7, %arg8, %arg8, %arg2, %arg2, %arg2, %arg2) <{flags = 0 : i64}> : (!hal.device, i64, !hal.fence, !hal.fence, !hal.command_buffer, !hal.buffer, !hal.buffer, index, index, index, index) -> ()
    "util.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
