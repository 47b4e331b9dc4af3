# Tests: one executable for each tests/unit/**/test_*.c, run by ctest; aarch64 ones run in the emulator.

if(SL_TESTS)
  find_path(SL_CMOCKA_INCLUDE cmocka.h REQUIRED)
  find_library(SL_CMOCKA cmocka REQUIRED)
  add_library(sl_test_main STATIC "${CMAKE_SOURCE_DIR}/tests/support/test_main.c")
  target_include_directories(sl_test_main SYSTEM PUBLIC "${SL_CMOCKA_INCLUDE}")
  target_link_libraries(sl_test_main PUBLIC ${SL_CMOCKA})
endif()

# sl_keep_profile(TEST PROGRAM): the lines that the test reaches are kept for scripts/checks/untested.py.
function(sl_keep_profile test program)
  if(SL_COVERAGE)
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT_MODIFICATION "LLVM_PROFILE_FILE=set:${CMAKE_BINARY_DIR}/profiles/${program}-%m.profraw")
  endif()
endfunction()

# sl_unit_tests(FOLDER LIBRARY...): every test_*.c in tests/unit/FOLDER, linked with the libraries.
# A test's name in ctest is its path without test_, such as common/format/pte.
function(sl_unit_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/unit/${folder}/test_*.c")
  foreach(source IN LISTS sources)
    get_filename_component(stem "${source}" NAME_WE)
    string(REPLACE "test_" "" noun "${stem}")
    string(REPLACE "/" "_" flat "${folder}/${stem}")
    add_executable(${flat} "${source}")
    target_link_libraries(${flat} PRIVATE sl_test_main ${ARGN})
    target_compile_definitions(${flat} PRIVATE SL_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
    if(NOT CMAKE_CROSSCOMPILING AND NOT folder MATCHES "^kernels")
      target_compile_options(${flat} PRIVATE -O0) # a test waits for what it tests; those of kernels compute themselves
    endif()
    set_target_properties(${flat} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    sl_add_test(${folder}/${noun} ${flat})
    sl_keep_profile(${folder}/${noun} ${flat})
  endforeach()
endfunction()

# What tests take, for ctest to begin with the longest: lines of `name seconds` in tests/costs.txt.
file(STRINGS "${CMAKE_SOURCE_DIR}/tests/costs.txt" sl_costs REGEX "^[^#]")
foreach(line IN LISTS sl_costs)
  if(line MATCHES "^([^ ]+) ([0-9.]+)$")
    set(seconds "${CMAKE_MATCH_2}")
    string(REPLACE "@" "+" key "${CMAKE_MATCH_1}") # no name of a variable has an @
    set("sl_cost_${key}" "${seconds}")
  else()
    message(FATAL_ERROR "tests/costs.txt: '${line}' is no `name seconds`")
  endif()
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/costs.txt")

function(sl_test_cost name)
  string(REPLACE "@" "+" key "${name}")
  if(DEFINED "sl_cost_${key}")
    set_tests_properties("${name}" PROPERTIES COST "${sl_cost_${key}}")
  endif()
endfunction()

# Vector lengths 256 and 1024 follow the code of 128, 512 and 2048: they are the night's (scripts/test --long all-svl).
# So are, at other CPUs than the usual one and the one without SME, tests of what no CPU changes: how programs
# are refused, names of events, how work is cut.
set(sl_cpu_free agent/runtime/damaged agent/runtime/events agent/runtime/threads)

# One ctest entry natively; in the aarch64 build one for each CPU the kernels must be right on.
function(sl_add_test name target)
  if(NOT CMAKE_CROSSCOMPILING)
    add_test(NAME ${name} COMMAND ${target})
    sl_test_cost(${name})
    return()
  endif()
  set(cpus svl128=max,sme128=on svl256=max,sme256=on svl512=max,sme512=on svl1024=max,sme1024=on svl2048=max,sme2048=on
           nosve=max,sve=off,sme512=on nosme=max,sme=off)
  foreach(cpu IN LISTS cpus)
    string(REGEX MATCH "^([a-z0-9]+)=(.*)$" cpu "${cpu}")
    set(entry "${name}@${CMAKE_MATCH_1}")
    set(which "${CMAKE_MATCH_1}")
    add_test(NAME ${entry} COMMAND "${CMAKE_SOURCE_DIR}/build/tools/qemu-aarch64" -L "${CMAKE_SYSROOT}" -cpu "${CMAKE_MATCH_2}"
                                   $<TARGET_FILE:${target}>)
    sl_test_cost(${entry})
    if(which MATCHES "^svl(256|1024)$" OR (name IN_LIST sl_cpu_free AND NOT which MATCHES "^(svl512|nosme)$"))
      set_tests_properties(${entry} PROPERTIES LABELS nightly)
    endif()
  endforeach()
endfunction()
