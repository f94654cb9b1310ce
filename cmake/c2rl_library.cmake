# c2rl_library(folder deps...): one library per folder of src/c2rl, from every .cc in it that is not a test;
# every *_test.cc in it goes into one test program. What a folder may use is what its link line names.

# -Wrestrict gives false alarms on std::string in g++ 12.
add_library(c2rl_compile_options INTERFACE)
target_compile_options(c2rl_compile_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion -Werror
                       -Wno-restrict)
if(C2RL_SANITIZE)
  target_compile_options(c2rl_compile_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all)
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

function(c2rl_library folder)
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  file(GLOB headers CONFIGURE_DEPENDS *.h)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cc)
  file(GLOB test_headers CONFIGURE_DEPENDS *_testing.h)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  if(test_headers)
    list(REMOVE_ITEM headers ${test_headers})
  endif()

  add_library(c2rl_${folder} STATIC ${sources})
  add_library(c2rl::${folder} ALIAS c2rl_${folder})
  set_target_properties(c2rl_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_compile_features(c2rl_${folder} PUBLIC cxx_std_20)
  # One alignment for everyone: a program compiled for another processor may link this library. On the stack, too: Eigen's
  # stableNorm expects there what it finds on the heap.
  target_compile_definitions(c2rl_${folder} PUBLIC EIGEN_MAX_ALIGN_BYTES=64 EIGEN_MAX_STATIC_ALIGN_BYTES=64)
  target_include_directories(c2rl_${folder} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(c2rl_${folder} PUBLIC ${ARGN} PRIVATE $<BUILD_INTERFACE:c2rl_compile_options>)
  install(TARGETS c2rl_${folder} EXPORT c2rl-targets)
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/c2rl/${folder})
  set_property(GLOBAL APPEND PROPERTY c2rl_libraries c2rl_${folder})

  if(C2RL_TESTS AND tests)
    add_executable(c2rl_${folder}_test ${tests})
    target_link_libraries(c2rl_${folder}_test PRIVATE c2rl_${folder} c2rl_compile_options GTest::gtest_main
                                                      rapidcheck)
    target_compile_options(c2rl_${folder}_test PRIVATE -O1)  # what is tested is optimised; the tests only compile longer
    target_compile_definitions(c2rl_${folder}_test PRIVATE C2RL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    # The same property-test cases on every run; RC_PARAMS="" in the environment of the program draws new ones.
    gtest_discover_tests(c2rl_${folder}_test TEST_PREFIX "${folder}/" DISCOVERY_TIMEOUT 120
                         PROPERTIES ENVIRONMENT "RC_PARAMS=seed=1 max_success=${property_cases}")
  endif()
endfunction()
