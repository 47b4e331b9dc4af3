# What `cmake --install build/host` puts where, and the Debian package of it (`cpack` in build/host).
# The agents come from the builds beside this one.
include(GNUInstallDirs)

set(man "${CMAKE_BINARY_DIR}/man")
add_custom_command(
  OUTPUT "${man}/sme2labd.8"
  COMMAND "${CMAKE_COMMAND}" -DSME2LAB=$<TARGET_FILE:sme2lab> -DSME2LABD=$<TARGET_FILE:sme2labd> -DOUT=${man}
          -DVERSION=${PROJECT_VERSION} -P "${CMAKE_SOURCE_DIR}/scripts/cmake/SlPages.cmake"
  DEPENDS sme2lab sme2labd "${CMAKE_SOURCE_DIR}/scripts/cmake/SlPages.cmake")
add_custom_target(sl_pages ALL DEPENDS "${man}/sme2labd.8")

install(TARGETS sme2lab sme2labd)
install(DIRECTORY "${man}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" FILES_MATCHING PATTERN "*.1")
install(FILES "${man}/sme2labd.8" DESTINATION "${CMAKE_INSTALL_MANDIR}/man8")
install(FILES "${man}/sme2lab.bash" DESTINATION share/bash-completion/completions RENAME sme2lab)
install(FILES "${man}/sme2lab.zsh" DESTINATION share/zsh/site-functions RENAME _sme2lab)
install(FILES "${man}/sme2lab.fish" DESTINATION share/fish/vendor_completions.d)
install(FILES "${CMAKE_SOURCE_DIR}/README.md" "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/proto/openapi.yaml"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/configs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}/configs"
        PATTERN service EXCLUDE PATTERN debian EXCLUDE PATTERN ci EXCLUDE PATTERN plugins EXCLUDE)
# Images of containers leave /usr/share/doc out, and these are executed.
foreach(part IN ITEMS ci plugins)
  install(FILES "${CMAKE_SOURCE_DIR}/configs/${part}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}/configs/${part}")
endforeach()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/configs/ci" "${CMAKE_SOURCE_DIR}/configs/plugins" DESTINATION share/sme2lab
        USE_SOURCE_PERMISSIONS)

# The prefix is known when it is installed. A configuration that is there stays.
install(CODE "set(source \"${CMAKE_SOURCE_DIR}/configs\")
set(made \"${CMAKE_CURRENT_BINARY_DIR}\")")
install(CODE [[
  set(etc "${CMAKE_INSTALL_PREFIX}/etc")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(etc "/etc")
  endif()
  set(bin "${CMAKE_INSTALL_PREFIX}/bin")
  foreach(unit IN ITEMS sme2labd.service sme2lab-schedule@.service)
    configure_file("${source}/service/${unit}" "${made}/${unit}" @ONLY)
    file(INSTALL "${made}/${unit}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
  endforeach()
  if(NOT EXISTS "$ENV{DESTDIR}${etc}/sme2lab/host.json")
    file(INSTALL "${source}/host.json" DESTINATION "${etc}/sme2lab")
  endif()]])
install(FILES "${CMAKE_SOURCE_DIR}/configs/service/sme2labd.socket" "${CMAKE_SOURCE_DIR}/configs/service/sme2lab-schedule@.timer"
        DESTINATION lib/systemd/system)
install(FILES "${CMAKE_SOURCE_DIR}/configs/service/60-sme2lab-phones.rules" DESTINATION lib/udev/rules.d)
install(FILES "${CMAKE_SOURCE_DIR}/configs/service/sysusers.conf" DESTINATION lib/sysusers.d RENAME sme2lab.conf)
install(FILES "${CMAKE_SOURCE_DIR}/configs/service/tmpfiles.conf" DESTINATION lib/tmpfiles.d RENAME sme2lab.conf)

foreach(abi IN ITEMS aarch64 native)
  install(PROGRAMS "${CMAKE_SOURCE_DIR}/build/agent-${abi}/bin/sme2lab-agent" DESTINATION share/sme2lab/agent/${abi})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the authors of sme2lab")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "what Arm's SME2 does to a model on a device")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF) # the host's strip does not know the agent's machine; names of functions are to stay
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "systemd | passwd") # whoever makes the user
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Debian has the emulator in trixie-backports.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qemu-user (>= 1:11), adb")
foreach(script IN ITEMS postinst prerm postrm conffiles)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/configs/debian/${script}")
endforeach()
include(CPack)
