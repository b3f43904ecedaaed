# How the simulated GPU's own files are compiled. Its loops over the 32 lanes of a warp are written to be vectorized:
# without traps and errno, and without the contraction of a*b+c, which would round where the GPU does not. They are
# compiled twice, for any x86-64 and for AVX2 with FMA; a look at the processor chooses when a program is launched.
# A Debug build keeps its own level: sanitizers at -O3 would take minutes.
set(NETC_SIM_LANES $<$<NOT:$<CONFIG:Debug>>:-O3> -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing)
set(sim ${CMAKE_SOURCE_DIR}/runtime/backend/sim)
foreach(file lane_ops_any.cpp lane_ops_avx2.cpp memory_access.cpp memory_ops.cpp atomic_ops.cpp warp_ops.cpp block.cpp directed.cpp
        sim_product.cpp)
  set_property(SOURCE ${sim}/${file} APPEND PROPERTY COMPILE_OPTIONS ${NETC_SIM_LANES})
  set_property(SOURCE ${sim}/${file} PROPERTY SKIP_PRECOMPILE_HEADERS ON)   # they were compiled with other options
endforeach()
set_property(SOURCE ${sim}/directed.cpp APPEND PROPERTY COMPILE_OPTIONS -frounding-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_property(SOURCE ${sim}/lane_ops_avx2.cpp APPEND PROPERTY COMPILE_OPTIONS -mavx2 -mfma)
endif()
