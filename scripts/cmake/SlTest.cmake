# Tests: one executable for each tests/unit/**/test_*.c, run by ctest; aarch64 ones run in the emulator.

if(SL_TESTS)
  find_path(SL_CMOCKA_INCLUDE cmocka.h REQUIRED)
  find_library(SL_CMOCKA cmocka REQUIRED)
  add_library(sl_test_main STATIC "${CMAKE_SOURCE_DIR}/tests/support/test_main.c")
  target_include_directories(sl_test_main SYSTEM PUBLIC "${SL_CMOCKA_INCLUDE}")
  target_link_libraries(sl_test_main PUBLIC ${SL_CMOCKA})
endif()

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
    set_target_properties(${flat} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    sl_add_test(${folder}/${noun} ${flat})
  endforeach()
endfunction()

# One ctest entry natively; in the aarch64 build one for each CPU the kernels must be right on.
function(sl_add_test name target)
  if(NOT CMAKE_CROSSCOMPILING)
    add_test(NAME ${name} COMMAND ${target})
    return()
  endif()
  set(emulator "${CMAKE_SOURCE_DIR}/build/tools/qemu-aarch64" -L "${CMAKE_SYSROOT}")
  foreach(svl IN ITEMS 128 256 512 1024 2048)
    add_test(NAME ${name}@svl${svl} COMMAND ${emulator} -cpu max,sme${svl}=on $<TARGET_FILE:${target}>)
  endforeach()
  add_test(NAME ${name}@nosve COMMAND ${emulator} -cpu max,sve=off,sme512=on $<TARGET_FILE:${target}>)
  add_test(NAME ${name}@nosme COMMAND ${emulator} -cpu max,sme=off $<TARGET_FILE:${target}>)
endfunction()
