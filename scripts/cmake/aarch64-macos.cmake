# Toolchain: Zig's clang and linker for Apple silicon, against the libraries that `scripts/setup --macos` builds.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
get_filename_component(SL_SOURCE_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(SL_ZIG "${SL_SOURCE_ROOT}/build/macos/zig")
foreach(language IN ITEMS C ASM)
  set(CMAKE_${language}_COMPILER "${SL_ZIG}/cc")
  set(CMAKE_${language}_COMPILER_LAUNCHER "") # it has a cache of its own
  # 14.4 has os_sync_wait_on_address(); every Mac with SME2 came with a later release. Zig's run-time library would take 20 s to
  # build first, and nothing here calls it; nor its checks of undefined behaviour.
  set(CMAKE_${language}_FLAGS_INIT "-target aarch64-macos.14.4 -nostdlib -fno-sanitize=undefined")
  set(CMAKE_${language}_STANDARD_LIBRARIES_INIT "-lSystem")
endforeach()
set(SL_HOST_HEADERS "${SL_SOURCE_ROOT}/build/macos/headers")
set(SL_LEAST_CPU apple_m1)
set(CMAKE_AR "${SL_ZIG}/ar")
set(CMAKE_RANLIB "${SL_ZIG}/ranlib")
set(CMAKE_FIND_ROOT_PATH "${SL_SOURCE_ROOT}/build/macos/sysroot")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
