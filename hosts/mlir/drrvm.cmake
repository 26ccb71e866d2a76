# Generates rewrite patterns with drrvm in place of mlir-tblgen.
#
#   include(drrvm.cmake)
#   set(LLVM_TARGET_DEFINITIONS MyRules.td)
#   drrvm_tablegen(MyRules.inc [-gen-rewriters] [arguments…])
#   target_link_libraries(MyPass PRIVATE drrvm_mlir)
#
# drrvm_tablegen takes the arguments of mlir_tablegen, and adds its output to TABLEGEN_OUTPUT as mlir_tablegen does.
# DRRVM is the program `drrvm`; DRRVM_MLIR_LIBRARY is libdrrvm_mlir.so or libdrrvm_mlir.a.
get_filename_component(DRRVM_MLIR_PACKAGE "${CMAKE_CURRENT_LIST_DIR}" ABSOLUTE)
get_filename_component(DRRVM_SOURCE "${DRRVM_MLIR_PACKAGE}/../.." ABSOLUTE)
find_program(DRRVM drrvm HINTS "${DRRVM_SOURCE}/target/release" "${DRRVM_SOURCE}/target/debug" REQUIRED)
find_library(DRRVM_MLIR_LIBRARY drrvm_mlir
  HINTS "${DRRVM_SOURCE}/hosts/target/release" "${DRRVM_SOURCE}/target/hosts/release" REQUIRED)

if(NOT TARGET drrvm_mlir)
  add_library(drrvm_mlir UNKNOWN IMPORTED)
  set_target_properties(drrvm_mlir PROPERTIES
    IMPORTED_LOCATION "${DRRVM_MLIR_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DRRVM_MLIR_PACKAGE}/include")
endif()

function(drrvm_tablegen output)
  if(NOT LLVM_TARGET_DEFINITIONS)
    message(FATAL_ERROR "drrvm_tablegen: set LLVM_TARGET_DEFINITIONS to the rule file")
  endif()
  set(arguments ${ARGN})
  list(REMOVE_ITEM arguments -gen-rewriters)
  get_filename_component(input "${LLVM_TARGET_DEFINITIONS}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_directory_property(folders INCLUDE_DIRECTORIES)
  list(APPEND folders ${MLIR_INCLUDE_DIRS} ${MLIR_INCLUDE_DIR})
  list(REMOVE_DUPLICATES folders)
  list(TRANSFORM folders PREPEND "-I")
  set(result "${CMAKE_CURRENT_BINARY_DIR}/${output}")
  add_custom_command(OUTPUT "${result}"
    COMMAND "${DRRVM}" gen-rewriters "${input}" ${folders} ${arguments} -o "${result}" -d "${result}.d" -q
    DEPENDS "${input}" DEPFILE "${result}.d" VERBATIM COMMENT "Generating ${output}")
  set_property(SOURCE "${result}" PROPERTY GENERATED TRUE)
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} "${result}" PARENT_SCOPE)
endfunction()
