# tg_module(NAME SOURCES a.cpp … [HEADERS a.hpp …] [DEPS other …] [ALONE a.cpp …])
# One folder under lib/ is one static library tg_NAME. DEPS are the only arrows it may follow;
# tests/tidy checks the #include lines against the same rule.
function(tg_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;DEPS;PRIVATE;ALONE" ${ARGN})
  set(present)
  foreach(source IN LISTS ARG_SOURCES)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      list(APPEND present ${source})
    endif()
  endforeach()
  if(NOT present)
    return()
  endif()
  add_library(tg_${name} STATIC ${present})
  target_link_libraries(tg_${name} PUBLIC tg_options)
  foreach(dep IN LISTS ARG_DEPS)
    if(TARGET tg_${dep} OR NOT dep MATCHES "^[a-z_]+$")
      target_link_libraries(tg_${name} PUBLIC tg_${dep})
    else()
      target_link_libraries(tg_${name} PUBLIC ${dep})
    endif()
  endforeach()
  target_link_libraries(tg_${name} PRIVATE ${ARG_PRIVATE})
  tg_use_precompiled(tg_${name} tg_precompiled_lib)
  tg_in_batches(tg_${name} ${ARG_ALONE})
  tg_profile(${name})
  if(TG_HEADER_CHECK)
    set(units)
    foreach(header IN LISTS ARG_HEADERS)
      # A .cpp includes its own header first (tests/tidy: own_header).
      string(REGEX REPLACE "hpp$" "cpp" own ${header})
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${own})
        continue()
      endif()
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/alone/${name}_${header}.cpp)
      file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${name}/${header}\"  // compiles alone\n")
      list(APPEND units ${unit})
    endforeach()
    if(units)
      add_library(tg_${name}_headers OBJECT ${units})
      target_link_libraries(tg_${name}_headers PRIVATE tg_${name})
    endif()
  endif()
endfunction()

# tg_heavy(SOURCE…): units full of Beast's algorithms. g++ takes minutes and gigabytes for each of them
# under UBSan with optimisation; they are the admin side, so they do without.
function(tg_heavy)
  if(TG_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-O0;-fno-sanitize=undefined")
  endif()
endfunction()

# Reached only where something hangs: a machine that does other work as well, and a sanitizer, make 8 GiB
# through a proxy and a shortened torture take their time.
set(TG_TEST_TIMEOUT 1800)

# tg_list_tests(BINARY PREFIX p LABELS l… [BATCH n] [FILTER f]): tells ctest of BINARY's tests. Up to n tests of one
# suite run in one process: with a process for each, the sanitizers' start takes two thirds of the time of all tests.
# Tests that wait have small batches, since only processes run at once.
function(tg_list_tests binary)
  cmake_parse_arguments(ARG "" "PREFIX;BATCH;FILTER" "LABELS" ${ARGN})
  if(NOT ARG_BATCH)
    set(ARG_BATCH 20)
  endif()
  if(NOT ARG_FILTER)
    set(ARG_FILTER *)
  endif()
  string(MAKE_C_IDENTIFIER "${binary}_${ARG_FILTER}" name)
  set(listed ${CMAKE_CURRENT_BINARY_DIR}/${name}.cmake)
  add_custom_command(TARGET ${binary} POST_BUILD BYPRODUCTS ${listed} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D BINARY=$<TARGET_FILE:${binary}> -D PREFIX=${ARG_PREFIX}. -D BATCH=${ARG_BATCH}
      -D "FILTER=${ARG_FILTER}" -D "LABELS=${ARG_LABELS}" -D TIMEOUT=${TG_TEST_TIMEOUT}
      -D DIRECTORY=${CMAKE_CURRENT_BINARY_DIR} -D OUTPUT=${listed} -P ${PROJECT_SOURCE_DIR}/cmake/list_tests.cmake)
  file(WRITE ${listed}.include "if(EXISTS [==[${listed}]==])\n  include([==[${listed}]==])\nelse()\n"
    "  add_test(${binary}_NOT_BUILT ${binary}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${listed}.include)
endfunction()

# tg_test(NAME SOURCES x_test.cpp … DEPS module … [ALONE x_test.cpp …]): a test binary that links only those modules
# and GoogleTest. For a pure module that is the proof that it is pure. ALONE: see tg_in_batches.
function(tg_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS;ALONE" ${ARGN})
  # What never starts a thread has nothing to show the thread sanitizer.
  if(TG_SANITIZE STREQUAL "thread" AND NOT "threads" IN_LIST ARG_LABELS)
    return()
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${name}_test PRIVATE tg_${dep})
  endforeach()
  target_link_libraries(${name}_test PRIVATE tg_options GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name}_test PRIVATE TG_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  tg_use_precompiled(${name}_test tg_precompiled_tests)
  tg_in_batches(${name}_test ${ARG_ALONE})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)  # an empty value would be lost on the way, and the limit with it
  endif()
  tg_list_tests(${name}_test PREFIX ${name} LABELS ${ARG_LABELS})
endfunction()
