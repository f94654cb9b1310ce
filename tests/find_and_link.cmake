# Installs the build into a fresh prefix, and builds and runs examples/custom against it alone.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "expected ${pattern}, found:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)

# No parser is needed to use the library: not its package, and not its header.
file(GLOB_RECURSE installed ${WORK_DIR}/prefix/*.h ${WORK_DIR}/prefix/*.cmake)
foreach(file ${installed})
  file(STRINGS ${file} found REGEX "CLI11|CLI/|toml\\+\\+|tomlplusplus|nlohmann")
  if(found)
    message(FATAL_ERROR "${file} speaks of a parser: ${found}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/examples/custom -B ${WORK_DIR}/build -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix
    -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/shop ${SOURCE_DIR}/examples/custom/shop.toml ${WORK_DIR}/run)
# At most one policy more than there are measurements.
expect("^feasible: .* [123] policies\n")
run(${WORK_DIR}/build/loop)
expect("^0.5 and 0.5; distance 0 with 2 policies\n$")
run(${WORK_DIR}/prefix/bin/c2rl --version)
expect("^c2rl ${VERSION}\n$")
