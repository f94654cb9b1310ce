# c2rl_library(room [COLD] [INTERNAL] USES libraries... [PUBLIC headers...] [TEST_USES libraries...]): one library per folder of src/c2rl, from
# every .cc in it that is not a test; every *_test.cc in it goes into one test program. What a room may use is what USES names:
# tests/arrows.cmake holds the includes against it. PUBLIC headers are installed, the others are the library's own business.
# INTERNAL rooms are not part of the installed library.
# COLD rooms hold no loop that matters: they are compiled quickly rather than to run fast.

add_library(c2rl_compile_options INTERFACE)
# Warnings are errors for whoever works on it. Others only want it installed, by compilers that nobody here has seen.
target_compile_options(c2rl_compile_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion $<$<BOOL:${C2RL_TESTS}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 gives false alarms of these kinds on std::string; the sanitizers look for the same and give none.
  target_compile_options(c2rl_compile_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
                         -Wno-array-bounds)
endif()
if(C2RL_SANITIZE)
  target_compile_options(c2rl_compile_options INTERFACE -fsanitize=${C2RL_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(c2rl_compile_options INTERFACE -fsanitize=${C2RL_SANITIZE})
endif()
if(C2RL_FUZZ)
  target_compile_options(c2rl_compile_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                         -fno-sanitize-recover=all)
  target_link_options(c2rl_compile_options INTERFACE -fsanitize=address,undefined)
endif()
if(C2RL_NATIVE)
  # g++ 12 takes its own AVX-512 header for uninitialised; the sanitizer build, which has no such header, checks.
  target_compile_options(c2rl_compile_options INTERFACE -march=native -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

# Property tests try this many cases; fewer where the sanitizers make each one slow.
set(property_cases 100)
if(C2RL_SANITIZE)
  set(property_cases 15)
endif()

# Most of what a file costs the compiler is reading Eigen and the standard library. The first target that asks for a header
# precompiles it, all others with the same flags share it.
function(c2rl_precompile target header)
  if(NOT C2RL_PRECOMPILE)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY c2rl_owner_of_${header})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
    set_property(GLOBAL PROPERTY c2rl_owner_of_${header} ${target})
  endif()
endfunction()

function(c2rl_library room)
  cmake_parse_arguments(ARG "COLD;INTERNAL" "" "USES;PUBLIC;TEST_USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cc)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()

  add_library(c2rl_${room} STATIC ${sources})
  target_compile_features(c2rl_${room} PUBLIC cxx_std_20)
  # The Python module is made of the same objects as the command. What they call of themselves they may inline all the same.
  set_target_properties(c2rl_${room} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(c2rl_${room} PRIVATE -fno-semantic-interposition)
  # One alignment for everyone: a program compiled for another processor may link this library. On the stack, too: Eigen's
  # stableNorm expects there what it finds on the heap.
  target_compile_definitions(c2rl_${room} PUBLIC EIGEN_MAX_ALIGN_BYTES=64 EIGEN_MAX_STATIC_ALIGN_BYTES=64)
  target_include_directories(c2rl_${room} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(c2rl_${room} PUBLIC ${ARG_USES} PRIVATE $<BUILD_INTERFACE:c2rl_compile_options>)
  if(ARG_COLD)
    target_compile_options(c2rl_${room} PRIVATE -O1)
    c2rl_precompile(c2rl_${room} precompiled_cold.h)
  else()
    c2rl_precompile(c2rl_${room} precompiled.h)
  endif()
  if(NOT ARG_INTERNAL)
    set_target_properties(c2rl_${room} PROPERTIES EXPORT_NAME ${room})
    install(TARGETS c2rl_${room} EXPORT c2rl-targets)
    install(FILES ${ARG_PUBLIC} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/c2rl/${room})
    set_property(GLOBAL APPEND PROPERTY c2rl_libraries c2rl_${room})
  endif()

  if(C2RL_TESTS AND tests)
    add_executable(c2rl_${room}_test ${tests})
    target_link_libraries(c2rl_${room}_test PRIVATE c2rl_${room} ${ARG_TEST_USES} c2rl_compile_options
                                                    GTest::gtest_main rapidcheck)
    target_compile_options(c2rl_${room}_test PRIVATE -O1)  # what is tested is optimised; the tests only compile longer
    target_compile_definitions(c2rl_${room}_test PRIVATE C2RL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    c2rl_precompile(c2rl_${room}_test precompiled_test.h)
    # The same property-test cases on every run; RC_PARAMS="" in the environment of the program draws new ones.
    gtest_discover_tests(c2rl_${room}_test TEST_PREFIX "${room}/" DISCOVERY_TIMEOUT 120
                         PROPERTIES ENVIRONMENT "RC_PARAMS=seed=1 max_success=${property_cases}")
  endif()
endfunction()
