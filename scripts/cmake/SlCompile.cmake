# How every C file of the repository is compiled, and the one way to declare a library of it.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_POSIX_C_SOURCE=200809L SL_VERSION="${PROJECT_VERSION}")
add_compile_options(
  $<$<COMPILE_LANGUAGE:C>:-Wall> $<$<COMPILE_LANGUAGE:C>:-Wextra> $<$<COMPILE_LANGUAGE:C>:-Wpedantic>
  $<$<COMPILE_LANGUAGE:C>:-Wshadow> $<$<COMPILE_LANGUAGE:C>:-Wconversion>
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  $<$<COMPILE_LANGUAGE:C>:-Werror> -fno-math-errno
  # Nothing of the build directory's place enters the binaries, so equal sources give equal files.
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
include_directories("${CMAKE_SOURCE_DIR}")
if(APPLE)
  # Without the first POSIX hides sysctlbyname() and its kin; the others have names of their own there.
  add_compile_definitions(_DARWIN_C_SOURCE st_mtim=st_mtimespec st_ctim=st_ctimespec)
else()
  # Some thousand programs are linked, tests mostly: lld takes a third of the system linker's time.
  add_link_options(-fuse-ld=lld-19)
endif()

if(CMAKE_CROSSCOMPILING AND NOT APPLE)
  set(SL_STATIC TRUE)
  # The device's file is static and not position independent: its code lies where the counting marks say, and two
  # runs of it are the same to the instruction.
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  # Nothing unwinds there: the tables for it would be 131 kB of 4 MB (debuggers have their own, which are stripped).
  add_compile_options(-fno-pie -fno-asynchronous-unwind-tables)
  add_link_options(-no-pie)
endif()

if(SL_SANITIZE)
  # Only fuzz targets link libFuzzer, whose main() the other programs must not get.
  string(REPLACE "fuzzer" "fuzzer-no-link" sanitizers "${SL_SANITIZE}")
  # With their checks inside, a loop may not be made vectors where its source asks for that: no error here.
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-pass-failed)
  add_link_options(-fsanitize=${sanitizers})
endif()

if(SL_COVERAGE)
  # Nothing is kept unless LLVM_PROFILE_FILE says where.
  set(coverage -fprofile-instr-generate=/dev/null -fcoverage-mapping)
  add_compile_options(${coverage} -fcoverage-compilation-dir=${CMAKE_SOURCE_DIR})
  add_link_options(${coverage})
endif()

# sl_library(NAME FOLDERS... [DEPENDS LIBRARIES...]): a static library of every source in the folders (not
# below them) but main.c and main_*.c, which belong to the program, and those of another system: *_linux.*, *_darwin.*.
if(APPLE)
  set(SL_OTHER_SYSTEM linux)
else()
  set(SL_OTHER_SYSTEM darwin)
endif()
function(sl_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  set(sources "")
  foreach(folder IN LISTS arg_UNPARSED_ARGUMENTS)
    file(GLOB found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c" "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.S")
    list(FILTER found EXCLUDE REGEX "/main[_a-z]*\\.c$|_${SL_OTHER_SYSTEM}\\.[cS]$")
    list(APPEND sources ${found})
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC ${arg_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_DEPENDS})
  endif()
endfunction()

# sl_keep_symbols_beside(PROGRAM): what a debugger needs of the program goes into PROGRAM.debug beside it, where debuggers and
# symbolizers look. Names of functions stay: counted runs tell packing by them, a crash on a phone is told by them. A sanitizer's
# build stays whole.
function(sl_keep_symbols_beside program)
  if(APPLE OR SL_SANITIZE OR SL_COVERAGE)
    return()
  endif()
  find_program(SL_OBJCOPY llvm-objcopy-19 REQUIRED)
  get_target_property(folder ${program} RUNTIME_OUTPUT_DIRECTORY)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND "${SL_OBJCOPY}" --only-keep-debug "$<TARGET_FILE:${program}>" "$<TARGET_FILE:${program}>.debug"
    COMMAND "${SL_OBJCOPY}" --strip-debug "--add-gnu-debuglink=$<TARGET_FILE:${program}>.debug" "$<TARGET_FILE:${program}>"
    BYPRODUCTS "${folder}/${program}.debug"
    VERBATIM)
endfunction()
