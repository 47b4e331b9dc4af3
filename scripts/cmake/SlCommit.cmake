# Names the commit in a program: include it for sl_commit(), or run it as a script for one look at the repository.

# sl_commit(TARGET): TARGET gets a source that defines `const char sl_commit[]`, looked at in every build.
function(sl_commit target)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/sl_commit.c")
  add_custom_target(sl_commit_look BYPRODUCTS "${source}"
                    COMMAND "${CMAKE_COMMAND}" -DSOURCE=${source} -DTREE=${CMAKE_SOURCE_DIR} -P
                            "${CMAKE_SOURCE_DIR}/scripts/cmake/SlCommit.cmake")
  set_source_files_properties("${source}" PROPERTIES GENERATED TRUE)
  target_sources(${target} PRIVATE "${source}")
  add_dependencies(${target} sl_commit_look)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_policy(VERSION 3.25)
  set(commit "unknown")
  # A tree that is unpacked somewhere inside another repository is not of its commit.
  execute_process(COMMAND git -C "${TREE}" rev-parse --show-prefix OUTPUT_VARIABLE prefix RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed AND prefix STREQUAL "")
    execute_process(COMMAND git -C "${TREE}" describe --always --dirty --abbrev=12 --exclude * OUTPUT_VARIABLE said
                    RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
      set(commit "${said}")
    endif()
  endif()
  file(CONFIGURE OUTPUT "${SOURCE}" CONTENT "extern const char sl_commit[];\nconst char sl_commit[] = \"@commit@\";\n" @ONLY)
endif()
