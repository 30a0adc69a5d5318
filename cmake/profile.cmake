# Profile-guided optimisation. One build folder is built twice: with TG_PROFILE=generate, then loadtest/train.py runs
# what that has made, then with TG_PROFILE=use (compile_profiled in ./dev). The compiler learns which branches requests
# take, and moves the others out of the way: a request touches a sixth less code.
set(TG_PROFILE "" CACHE STRING "'generate' or 'use': a profile of the modules that requests pass; only with the preset profiled")

# The other modules are compiled once, since nothing about them changes with TG_PROFILE.
set(TG_PROFILED base boost_impl disk fcgi files gate http ids log metrics net proxy queue spawn task trace upstream)

if(TG_PROFILE STREQUAL "generate")
  add_link_options(-fprofile-generate)
elseif(TG_PROFILE STREQUAL "use")
  # g++ 12 warns of copies of npos bytes in paths that it has itself split off, and that nothing can reach.
  add_link_options(-Wno-stringop-overflow)
elseif(NOT TG_PROFILE STREQUAL "")
  message(FATAL_ERROR "TG_PROFILE is '${TG_PROFILE}': it is 'generate', 'use' or empty")
endif()

# tg_profile(NAME): compiles the module tg_NAME with its part in the profile, which lies beside its objects.
function(tg_profile name)
  if(TG_PROFILE STREQUAL "" OR NOT name IN_LIST TG_PROFILED)
    return()
  endif()
  if(TG_PROFILE STREQUAL "generate")
    target_compile_options(tg_${name} PRIVATE -fprofile-generate -fprofile-update=atomic)
  else()
    # Code that the load does not reach is compiled as without a profile. Files that are not linked have no profile.
    target_compile_options(tg_${name} PRIVATE -fprofile-use -fprofile-partial-training -Wno-missing-profile)
  endif()
endfunction()
