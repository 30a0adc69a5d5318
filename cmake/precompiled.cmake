# Sanitized builds read the headers that most files include from one precompiled header: these builds take most
# of the time of ./dev test. The release build has none, so it shows that each file includes what it uses.
#
# tg_precompiled(NAME HEADER…): makes the precompiled header that tg_use_precompiled(TARGET NAME) uses.
# Asio's definitions must be the same in all of its users (lib/boost_impl).
function(tg_precompiled name)
  if(NOT TG_FAST_COMPILE)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE tg_options)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  # A file with options of its own reads the headers as text.
  set_property(TARGET ${name} PROPERTY PCH_WARN_INVALID OFF)
endfunction()

function(tg_use_precompiled target name)
  if(TARGET ${name} AND TARGET ${target})
    set_property(TARGET ${target} PROPERTY PCH_WARN_INVALID OFF)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# tg_in_batches(TARGET [FILE…]): sanitized builds compile eight files as one unit, which takes less than half of
# the time, because it instantiates their common templates once. FILEs stay alone. The other presets compile
# each file alone.
function(tg_in_batches target)
  if(NOT TG_FAST_COMPILE OR NOT TARGET ${target})
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
