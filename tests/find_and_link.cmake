# Installs the build into a fresh prefix, and builds and runs the consumer against it alone.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/consumer -B ${WORK_DIR}/build -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix
    -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)
if(NOT output STREQUAL "feasible 11 0.5\n")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
run(${WORK_DIR}/prefix/bin/c2rl --version)
