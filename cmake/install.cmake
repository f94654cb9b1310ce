# The CMake package: find_package(c2rl) gives c2rl::c2rl, all of the library, and one target per folder.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY c2rl_libraries)
add_library(c2rl_all INTERFACE)
add_library(c2rl::c2rl ALIAS c2rl_all)
set_target_properties(c2rl_all PROPERTIES EXPORT_NAME c2rl)
target_link_libraries(c2rl_all INTERFACE ${libraries})
install(TARGETS c2rl_all EXPORT c2rl-targets)
install(FILES src/c2rl/c2rl.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/c2rl)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/c2rl)
install(EXPORT c2rl-targets NAMESPACE c2rl:: DESTINATION ${package_dir})
configure_package_config_file(cmake/c2rl-config.cmake.in ${PROJECT_BINARY_DIR}/c2rl-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/c2rl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/c2rl-config.cmake ${PROJECT_BINARY_DIR}/c2rl-config-version.cmake
        DESTINATION ${package_dir})
