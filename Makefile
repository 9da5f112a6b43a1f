# godwit: `make demo` shows the main job, `make test` checks it all and `make check` what takes a minute; they work right after `git clone`.
#
#   make             the program, build/godwit
#   make deps        the libraries that are missing, through apt; other targets ask for it where they need it
#   make demo        scores human and yeast variants and trains a model, in build/demo: the program for this machine, and six minutes of a processor at most
#   make install     into PREFIX: program, man pages, completion, the library with its header
#   make check       the tests that take a minute together
#   make test        all tests; test-cuda: those of the CUDA plugin; test-gpu: these on a GPU; test-races: ThreadSanitizer
#   make wheel       the Python package, in WHEEL
#   make release     what is published, in RELEASE: archives, the wheel for many Linuxes, checksums (tools/packaging)
#   make bench       speed of the parts; bench-cpu, bench-gpu: beside PyTorch's
#   make theory      the papers' proofs as programs
#   make site        the documents as pages, in SITE (pandoc); make gallery: pictures of what is shipped, in GALLERY
#   make dist        what is committed, as a tar file
#   make fuzz        parsers under libFuzzer, FUZZ_SECONDS each
#   make oracle      the packages of the field beside it, in a virtual environment (network)
#   make format      the sources by clang-format
#   make lint        who includes whom, style, names, shell
#   make clean       removes what was built
#   make help        this
#
#   variables: CC=gcc|clang  BUILD=build  PREFIX=/usr/local  LIBDIR=$PREFIX/lib  INCLUDEDIR=$PREFIX/include  DESTDIR=
#              PYTHON=python3  WHEEL=build/wheel (where `make wheel` puts the Python package)
#              SAN=address,undefined  WERROR=1
#              ISAS="baseline avx2 avx512 amx" (instruction sets that kernels are compiled for; native: this machine's best)
#              CC=aarch64-linux-gnu-gcc PKG_CONFIG=aarch64-linux-gnu-pkg-config (or others, for another machine)
#              CUDA=auto|0|1 (the plugin for GPUs: where there is an nvcc, never, or else fail)
#              MPI=auto|0|1 (the plugins for several processes: of each MPI whose mpicc there is, none, or else fail)
#              PARQUET=auto|0|1 (the plugin for Parquet files: where there is Apache Arrow's C++ library, never, or else fail)
#              PYARROW=FOLDER (the installed package pyarrow, whose library is taken; pkg-config's or PYTHON's without it)

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
CXX ?= g++
# What links the program and the shared library.
LINK ?= $(CC)
PKG_CONFIG ?= pkg-config
BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# One short line a step; V=1 shows the commands.
V ?=
quiet := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V),,@$(if $(quiet),,printf '  %-3s %s\n' $(1) $@ &&))
parallel = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PYTHON ?= python3
WHEEL ?= $(BUILD)/wheel
DESTDIR ?=
SAN ?=
WERROR ?=
VERSION := $(shell sed -n 's/^\#define GW_VERSION "\(.*\)"/\1/p' lib/godwit.h)

# Right after `git clone` the libraries may be missing: then `make deps` runs first.
LIBRARY_PACKAGES := htslib jansson libutf8proc libpcre2-8
PACKAGES := $(LIBRARY_PACKAGES) cairo
HAVE_DEPS := $(shell $(PKG_CONFIG) --exists $(PACKAGES) criterion 2>/dev/null && \
    $(CC) -E -include dnnl.h -x c /dev/null >/dev/null 2>&1 && echo yes)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers
OPTIMISE ?= -O2
# -ffp-contract=off: a product and a sum round as written, whatever the compiler; kernels ask for fused ones by name.
# -fvisibility=hidden: the shared library exports what lib/godwit.h says, and nothing else.
CFLAGS_ALL = -std=gnu11 $(OPTIMISE) -g -fPIC -fvisibility=hidden -ffp-contract=off -D_GNU_SOURCE $(WARNINGS) $(if $(WERROR),-Werror) \
             $(SAN_FLAGS) -I. -Ilib $(PACKAGE_CFLAGS) $(CPPFLAGS) $(CFLAGS)
SAN_FLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
PACKAGE_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
# bigWig tracks, where there is libBigWig.
HAVE_BIGWIG := $(shell echo 'int main(void) { return bwInit(0); }' | \
    $(CC) -DNOCURL -include bigWig.h -x c -o /dev/null - -lBigWig >/dev/null 2>&1 && echo yes)
BIGWIG_LIBS := $(if $(HAVE_BIGWIG),-lBigWig)
OTHER_LIBS := -ldnnl -lgomp $(BIGWIG_LIBS) -lpthread -ldl -lm
LIBRARY_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARY_PACKAGES) 2>/dev/null) $(OTHER_LIBS)
PACKAGE_LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null) $(OTHER_LIBS)
LDFLAGS_ALL = $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)
# Only base/parallel.c has a pragma; under clang it calls libgomp itself, since clang would link a second runtime.
OPENMP := $(if $(findstring clang,$(CC)),,-fopenmp)

LIB_SOURCES := $(filter-out lib/run/mpi/%,$(wildcard lib/*.c lib/*/*.c lib/*/*/*.c)) $(wildcard kernels/*.c kernels/cpu/*.c kernels/cpu/matmul/*.c)
ISA_SOURCES := $(wildcard kernels/cpu/isa/*.c)
TOOL_SOURCES := $(filter-out tools/theory/%,$(wildcard tools/*.c tools/*/*.c))
REFERENCE_SOURCES := $(wildcard reference/*.c)
TEST_SOURCES := $(wildcard tests/unit/*.c tests/kernel/*.c tests/model/*.c)
BENCH_SOURCES := $(wildcard tests/bench/*.c)
FUZZ_SOURCES := $(wildcard tests/fuzz/fuzz_*.c)

# Each kernel source is compiled once per instruction set; GW_ISA names the variant and its symbols end in it.
ISA_baseline :=
ISA_avx2 := -mavx2 -mfma -mf16c
ISA_avx512 := -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mfma -mf16c -mprefer-vector-width=512
# Only ops with a form in tiles are compiled for amx (SOURCES_amx); the others are those of avx512. Compilers before
# gcc 11 and clang 12 leave it out.
ISA_amx := $(ISA_avx512) -mavx512bf16 -mamx-tile -mamx-bf16 -DGW_ISA_avx512
SOURCES_amx := $(patsubst %,kernels/cpu/isa/%.c,attention attention_backward convolution distance_attention gemm linear)
HAVE_AMX := $(shell $(CC) $(ISA_amx) -E -x c /dev/null >/dev/null 2>&1 && echo yes)
ALL_ISAS := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),baseline avx2 avx512 $(if $(HAVE_AMX),amx),baseline)
# "native" among ISAS stands for this machine's best, as make demo has it. amx takes most of its ops from avx512.
ifneq ($(filter native,$(ISAS)),)
processor := $(shell $(CC) -march=native -dM -E -x c /dev/null 2>/dev/null | sed -n 's/^.define __\([A-Z0-9_]*\)__ 1$$/\1/p')
lacks = $(filter-out $(processor),$(1))
native := $(if $(call lacks,AVX512F AVX512BW AVX512VL AVX512DQ),$(if $(call lacks,AVX2 FMA F16C),baseline,avx2),avx512 \
    $(if $(call lacks,AVX512BF16 AMX_TILE AMX_BF16),,$(filter amx,$(ALL_ISAS))))
override ISAS := $(sort $(filter-out native,$(ISAS)) $(native))
endif
ISAS ?= $(ALL_ISAS)

# The CUDA plugin, where there is what compiles it.
CUDA ?= auto
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) /usr/local/cuda/bin/nvcc)
HAVE_CUDA := $(if $(filter 0,$(CUDA)),,$(shell command -v $(NVCC) >/dev/null && command -v $(firstword $(CXX)) >/dev/null && echo yes))
ifeq ($(CUDA)$(HAVE_CUDA),1)
$(error CUDA=1 needs nvcc (in PATH, or named by NVCC) and a C++ compiler (CXX))
endif
PLUGIN := $(BUILD)/libgodwit-cuda.so
CUDA_OBJECTS := $(patsubst %.cu,$(BUILD)/%.o,$(wildcard kernels/cuda/*.cu))

# The MPI plugins: one for each implementation that has an mpicc which compiles for CC's machine. Where a system has a
# plain mpicc alone, it says whose it is.
MPI ?= auto
mpi_plain := $(if $(shell command -v mpicc),$(if $(findstring Open MPI,$(shell mpicc --showme:version 2>&1)),openmpi,mpich))
mpi_cc = $(or $(MPICC_$(1)),$(shell command -v mpicc.$(1)),$(if $(filter $(1),$(mpi_plain)),mpicc))
machine_of = $(shell $(1) -dumpmachine 2>/dev/null)
MPIS := $(strip $(if $(filter 0,$(MPI)),,$(foreach i,openmpi mpich,$(if $(call mpi_cc,$(i)),$(if \
    $(filter $(call machine_of,$(CC)),$(call machine_of,$(call mpi_cc,$(i)))),$(i))))))
ifeq ($(MPI)$(MPIS),1)
$(error MPI=1 needs mpicc.openmpi, mpicc.mpich or mpicc (in PATH, or named by MPICC_openmpi, MPICC_mpich))
endif
MPI_PLUGINS := $(MPIS:%=$(BUILD)/libgodwit-mpi-%.so)

# The Parquet plugin, where there is Apache Arrow's C++ library: a package's, or the one that pyarrow carries, which is
# for this machine alone. Older ones lack functions that it calls.
PARQUET_LEAST := 18
PARQUET ?= auto
PYARROW ?=
HAVE_PARQUET_PACKAGE := $(if $(filter 0,$(PARQUET))$(PYARROW),,$(shell $(PKG_CONFIG) --exists 'parquet >= $(PARQUET_LEAST)' arrow 2>/dev/null && echo yes))
ifeq ($(filter 0,$(PARQUET))$(PYARROW)$(HAVE_PARQUET_PACKAGE),)
override PYARROW := $(shell $(PYTHON) -c 'import importlib.util as util; found = util.find_spec("pyarrow"); print(found.submodule_search_locations[0] if found else "")' 2>/dev/null)
endif
processor_of = $(firstword $(subst -, ,$(shell $(1) -dumpmachine 2>/dev/null)))
ifneq ($(HAVE_PARQUET_PACKAGE),)
PARQUET_CFLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags parquet arrow))
parquet_folder := $(filter-out /usr/lib% /lib%,$(shell $(PKG_CONFIG) --variable=libdir parquet))
PARQUET_LIBS := $(shell $(PKG_CONFIG) --libs parquet arrow) $(parquet_folder:%=-Wl,-rpath,%)
else ifneq ($(PYARROW),)
# In a wheel the plugin lies in godwit/bin, two folders from pyarrow.
pyarrow_libraries := $(wildcard $(PYARROW)/include/parquet/arrow/writer.h $(PYARROW)/libparquet.so.* $(PYARROW)/libarrow.so.*)
pyarrow_is_young := $(shell [ "$$(sed -n 's/^.define ARROW_VERSION_MAJOR //p' $(PYARROW)/include/arrow/util/config.h 2>/dev/null)" -ge $(PARQUET_LEAST) ] 2>/dev/null && echo yes)
PARQUET_CFLAGS := $(if $(pyarrow_is_young),$(if $(filter 3,$(words $(pyarrow_libraries))),$(if $(filter $(shell uname -m),$(call processor_of,$(CXX))),-isystem $(PYARROW)/include)))
PARQUET_LIBS := $(filter-out %.h,$(pyarrow_libraries)) -Wl,-rpath,$(PYARROW) '-Wl,-rpath,$$ORIGIN/../../pyarrow'
endif
HAVE_PARQUET := $(if $(filter-out 0,$(PARQUET)),$(if $(HAVE_PARQUET_PACKAGE)$(PARQUET_CFLAGS),$(if $(filter $(call processor_of,$(CC)),$(call processor_of,$(CXX))),$(shell \
    $(CXX) -std=c++20 -x c++ -E /dev/null >/dev/null 2>&1 && echo yes))))
ifeq ($(PARQUET)$(HAVE_PARQUET),1)
$(error PARQUET=1 needs Apache Arrow's C++ library $(PARQUET_LEAST) or later (pkg-config parquet, or PYARROW) and a compiler of C++20 (CXX))
endif
PARQUET_PLUGIN := $(BUILD)/libgodwit-parquet.so

# MATLAB files, where there are matio and HDF5.
HAVE_MAT := $(shell $(PKG_CONFIG) --exists matio hdf5 zlib && echo yes)
MAT_LIBS := $(if $(HAVE_MAT),$(shell $(PKG_CONFIG) --libs matio hdf5 zlib))
# Which only a command reads: the shared library goes without it, and needs neither.
MAT_SOURCES := lib/file/mat.c lib/label/mat_set.c
# Downloads, where there is libcurl, which HTSlib's package brings. They are of a command alone, too.
HAVE_CURL := $(shell $(PKG_CONFIG) --exists libcurl && echo yes)
CURL_LIBS := $(if $(HAVE_CURL),$(shell $(PKG_CONFIG) --libs libcurl))
FETCH_SOURCES := lib/file/download.c $(wildcard lib/fetch/*.c)
COMMAND_LIBS = $(MAT_LIBS) $(CURL_LIBS)

# godwit-theory, where GMP, LAPACK and their BLAS are found; it shares the commands' frame and the drawing with godwit.
THEORY_SOURCES := $(wildcard tools/theory/*.c) \
    $(patsubst %,tools/cli/%.c,program cli paths help completion terminal) $(patsubst %,tools/picture/%.c,canvas axes plots)
THEORY_LIBS := -llapacke $(shell $(PKG_CONFIG) --libs lapack blas 2>/dev/null || echo -llapack -lblas) -lgmp
HAVE_THEORY := $(shell \
    echo 'int main(void) { mpq_t q; mpq_init(q); return (int)cblas_dnrm2(0, 0, 1) + LAPACKE_dgeqrf(0, 0, 0, 0, 0, 0); }' | \
    $(CC) -include gmp.h -include cblas.h -include lapacke.h -x c -o /dev/null - $(THEORY_LIBS) >/dev/null 2>&1 && echo yes)

# The same sources by the host's compiler, over an emulated GPU that checks every access, for tests alone: on x86-64, whose
# fibers the emulator can switch, where CXX has what it needs and compiles for the machine that CC does.
EMULATED := $(BUILD)/tests/emulated/libgodwit-cuda.so
EMULATOR_FLAGS := -std=c++17 -g -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unknown-pragmas -I. -Ilib -Itests/cuda/emulator
CHECKED_FLAGS := $(EMULATOR_FLAGS) -O2 -fsanitize=thread -ftrivial-auto-var-init=pattern \
    $(if $(findstring clang,$(CXX)),-mllvm -tsan-instrument-func-entry-exit=0,--param tsan-instrument-func-entry-exit=0)
x86_64_of = $(filter x86_64-%,$(shell $(1) -dumpmachine 2>/dev/null))
HAVE_EMULATOR := $(if $(and $(call x86_64_of,$(CC)),$(call x86_64_of,$(CXX))),$(if $(SAN),,$(shell \
    $(CXX) $(CHECKED_FLAGS) -x c++ -E /dev/null >/dev/null 2>&1 && echo yes)))
EMULATOR_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/cuda/emulator/*.cc))
CHECKED_OBJECTS := $(patsubst kernels/cuda/%.cu,$(BUILD)/tests/emulated/%.o,$(filter-out %/nccl.cu %/cublaslt.cu,$(wildcard kernels/cuda/*.cu)))

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
ISA_OBJECTS := $(foreach isa,$(ISAS),\
    $(patsubst kernels/cpu/isa/%.c,$(BUILD)/kernels/cpu/isa/$(isa)/%.o,$(or $(SOURCES_$(isa)),$(ISA_SOURCES))))
LIB_OBJECTS := $(call objects,$(LIB_SOURCES)) $(ISA_OBJECTS) $(if $(findstring thread,$(SAN)),$(BUILD)/tests/threads/stand_in.o)
OBJECTS := $(LIB_OBJECTS) $(call objects,$(TOOL_SOURCES) $(REFERENCE_SOURCES) $(TEST_SOURCES) $(BENCH_SOURCES) $(FUZZ_SOURCES)) \
           $(call objects,$(THEORY_SOURCES)) $(BUILD)/tests/fuzz/replay.o

.PHONY: all help program deps test test-cuda test-gpu test-races checked-flags check fuzz fuzz-programs demo theory bench bench-cpu bench-gpu bench-programs install dist wheel release site gallery man completions format lint link-flags contract-flags oracle clean
.DEFAULT_GOAL := all

# The head of this file.
help:
	@sed '/^$$/,$$d; s/^# \{0,1\}//' $(firstword $(MAKEFILE_LIST))

# Targets that need the libraries install them where they are missing, and then start over with them in place.
all check test test-cuda test-gpu demo theory bench bench-cpu bench-gpu install wheel: $(if $(HAVE_DEPS),,deps)
all:
	@$(MAKE) --no-print-directory $(parallel) program

program: $(BUILD)/godwit $(if $(HAVE_CUDA),$(PLUGIN),without-plugin) $(MPI_PLUGINS) $(if $(MPIS),,without-mpi) \
    $(if $(HAVE_PARQUET),$(PARQUET_PLUGIN),without-parquet) $(if $(HAVE_THEORY),$(BUILD)/godwit-theory,without-theory)

$(BUILD)/godwit: $(call objects,$(TOOL_SOURCES)) $(BUILD)/libgodwit.a
	$(call say,LD) $(LINK) $(LDFLAGS_ALL) -o $@ $^ $(COMMAND_LIBS) $(PACKAGE_LIBS)

$(BUILD)/lib/seq/track/track.o: CFLAGS_ALL += $(if $(HAVE_BIGWIG),-DGW_HAVE_BIGWIG)
$(BUILD)/lib/file/mat.o: \
    CFLAGS_ALL += $(if $(HAVE_MAT),-DGW_HAVE_MAT $(shell $(PKG_CONFIG) --cflags matio hdf5))
$(BUILD)/lib/file/download.o: CFLAGS_ALL += $(if $(HAVE_CURL),-DGW_HAVE_CURL $(shell $(PKG_CONFIG) --cflags libcurl))

$(BUILD)/godwit-theory: $(call objects,$(THEORY_SOURCES)) $(BUILD)/libgodwit.a
	$(call say,LD) $(CC) $(LDFLAGS_ALL) -o $@ $^ $(PACKAGE_LIBS) $(THEORY_LIBS)

# What a second compiler says of the commands.
.PHONY: tool-objects
tool-objects: $(call objects,$(TOOL_SOURCES))

.PHONY: without-theory
without-theory:
	@rm -f $(BUILD)/godwit-theory
	$(if $(quiet),,@echo "  godwit-theory is left out: no GMP, LAPACKE or CBLAS")

$(BUILD)/libgodwit.a: $(LIB_OBJECTS)
	$(call say,AR) rm -f $@ && $(AR) rcs $@ $(LIB_OBJECTS)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CFLAGS_ALL) $(OPENMP) -MMD -MP -c -o $@ $<

define isa_rule
$(BUILD)/kernels/cpu/isa/$(1)/%.o: kernels/cpu/isa/%.c Makefile
	@mkdir -p $$(@D)
	$$(call say,CC) $(CC) $(CFLAGS_ALL) $(OPENMP) -O3 $$(ISA_$(1)) -DGW_ISA=$(1) -DGW_ISA_$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach isa,$(ISAS),$(eval $(call isa_rule,$(isa))))

# What kernels are compared with is slow loops in double precision: sanitizers watch the kernels.
$(BUILD)/reference/%.o: SAN_FLAGS :=
$(BUILD)/reference/%.o: override OPTIMISE := -O2

# Sums that stay in registers.
$(BUILD)/kernels/cpu/matmul/dot.o: CFLAGS_ALL += -O3
$(BUILD)/lib/run/bench_peak.o: CFLAGS_ALL += $(if $(filter amx,$(ALL_ISAS)),-DGW_HAVE_AMX)
# The table of instruction sets, and what is linked, are made anew where these are not those of the last build.
$(BUILD)/kernels/backend.o: CFLAGS_ALL += $(ISAS:%=-DGW_HAVE_%)
$(BUILD)/kernels/backend.o $(BUILD)/libgodwit.a: $(BUILD)/isas
$(BUILD)/isas: $(if $(filter-out $(shell cat $(BUILD)/isas 2>/dev/null),$(ISAS))$(filter-out $(ISAS),$(shell cat $(BUILD)/isas 2>/dev/null)),changed)
	@mkdir -p $(@D)
	@echo $(ISAS) >$@
.PHONY: changed
changed:

# What the program and a plugin must agree on: the text of kernels/plugin.h and of all that it includes.
plugin_abi = $(shell $(CC) -MM -I. -Ilib -x c kernels/plugin.h | tr -s ' \\' '\n' | grep / | LC_ALL=C sort -u | xargs cat | \
    cksum | cut -d' ' -f1)u
$(BUILD)/kernels/plugin.o: CFLAGS_ALL += -DGW_PLUGIN_ABI=$(plugin_abi)

# The same of the plugins that carry bytes between processes.
transport_abi = $(shell cksum <lib/base/transport.h | cut -d' ' -f1)u
$(BUILD)/lib/run/ranks.o: CFLAGS_ALL += -DGW_TRANSPORT_ABI=$(transport_abi)

$(BUILD)/libgodwit-mpi-%.so: lib/run/mpi/transport.c lib/base/transport.h Makefile
	@mkdir -p $(@D)
	$(call say,MPI) OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(call mpi_cc,$*) -std=gnu11 $(OPTIMISE) -g -fPIC -shared \
	    -fvisibility=hidden -D_GNU_SOURCE $(WARNINGS) $(if $(WERROR),-Werror) -Ilib -DGW_TRANSPORT_ABI=$(transport_abi) -o $@ $<

.PHONY: without-mpi
without-mpi:
	@rm -f $(BUILD)/libgodwit-mpi-*.so
	$(if $(quiet),,@echo "  the MPI plugins are left out: $(if $(filter 0,$(MPI)),MPI=0,no mpicc)")

# And of the plugin that writes Parquet files.
parquet_abi = $(shell cksum <lib/file/parquet.h | cut -d' ' -f1)u
$(BUILD)/lib/file/table_writer.o: CFLAGS_ALL += -DGW_PARQUET_ABI=$(parquet_abi)

$(PARQUET_PLUGIN): lib/file/parquet/writer.cc lib/file/parquet.h lib/base/status.h Makefile
	@mkdir -p $(@D)
	$(call say,CXX) $(CXX) -std=c++20 $(OPTIMISE) -fPIC -shared -fvisibility=hidden -Wall -Wextra $(if $(WERROR),-Werror) -Ilib \
	    $(PARQUET_CFLAGS) -DGW_PARQUET_ABI=$(parquet_abi) -Wl,-z,defs -o $@ $< $(PARQUET_LIBS) $(if $(filter auto,$(PARQUET)),\
	    || { rm -f $@; echo "  the Parquet plugin is left out: $(CXX) and this Apache Arrow do not fit (above); PARQUET=0 does not try"; })

.PHONY: without-parquet
without-parquet:
	@rm -f $(PARQUET_PLUGIN)
	$(if $(quiet),,@echo "  the Parquet plugin is left out: $(if $(filter 0,$(PARQUET)),PARQUET=0,no Apache Arrow from $(PARQUET_LEAST) on (pip install pyarrow, or pkg-config parquet))")

# What the CUDA plugin is compiled for, as far as this nvcc knows it, and text for what comes later. Code of 80 runs on
# 86 and 89, too.
CUDA_ARCHITECTURES ?= 80 90a
# nvcc takes the compiler as one word: not with a ccache before it.
cuda_host = $(firstword $(filter-out %ccache distcc,$(CXX)))
cuda_known = $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))
cuda_code = $(foreach a,$(CUDA_ARCHITECTURES),$(if $(filter $(a:a=),$(cuda_known)),$(a)))
cuda_text = $(patsubst %a,%,$(lastword $(cuda_code)))
cuda_targets = $(foreach a,$(cuda_code),-gencode arch=compute_$(a),code=sm_$(a)) \
               -gencode arch=compute_$(cuda_text),code=compute_$(cuda_text)
NVCCFLAGS_ALL = -std=c++17 -O2 -g $(cuda_targets) -ccbin $(cuda_host) -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra \
                $(if $(WERROR),-Werror all-warnings -Xcompiler -Werror) -I. -Ilib -DGW_PLUGIN_ABI=$(plugin_abi) \
                -DGW_TRANSPORT_ABI=$(transport_abi) \
                -DGW_PLUGIN_ARCHITECTURES='"$(foreach a,$(cuda_code),sm_$(a)) compute_$(cuda_text)"' $(NVCCFLAGS)

$(BUILD)/kernels/cuda/%.o: kernels/cuda/%.cu Makefile
	@mkdir -p $(@D)
	$(call say,NV) $(NVCC) $(NVCCFLAGS_ALL) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# $@.passed tells which GPUs the plugin was tested on: this one on none.
$(PLUGIN): $(CUDA_OBJECTS)
	@rm -f $@.passed
	$(call say,LD) $(NVCC) -shared -cudart static $(cuda_targets) -ccbin $(cuda_host) -Xlinker --exclude-libs,ALL -o $@ $^

$(BUILD)/tests/cuda/emulator/%.o: tests/cuda/emulator/%.cc Makefile
	@mkdir -p $(@D)
	$(call say,CXX) $(CXX) $(EMULATOR_FLAGS) $(if $(WERROR),-Werror) -O3 -MMD -MP -c -o $@ $<

$(BUILD)/tests/emulated/%.o: kernels/cuda/%.cu Makefile
	@mkdir -p $(@D)
	$(call say,CXX) $(CXX) $(CHECKED_FLAGS) $(if $(WERROR),-Werror) -DGW_PLUGIN_ABI=$(plugin_abi) \
	    -DGW_PLUGIN_ARCHITECTURES='"sm_80"' -MMD -MP -x c++ -c -o $@ $<

# How tests compile a kernel with a fault planted in it.
checked-flags:
	@echo '$(CHECKED_FLAGS) -DGW_PLUGIN_ABI=$(plugin_abi) -DGW_PLUGIN_ARCHITECTURES="\"sm_80\"" -x c++'

$(EMULATED): $(CHECKED_OBJECTS) $(EMULATOR_OBJECTS)
	$(call say,LD) $(CXX) -shared -o $@ $^ -ldl

.PHONY: without-plugin
without-plugin:
	@rm -f $(PLUGIN)
	$(if $(quiet),,@echo "  the CUDA plugin is left out: $(if $(filter 0,$(CUDA)),CUDA=0,no nvcc or no $(CXX))")

# The plugin on the GPU of this machine; PARTS of them, each of at most ten minutes.
test-gpu:
	@$(MAKE) --no-print-directory $(parallel) program $(BUILD)/tests/all
	@sh tests/cuda/on_gpu.sh $(BUILD) $(PARTS)

deps:
	@sh tools/install-deps.sh

# check runs what is quick, test everything.
test check:
	@$(MAKE) --no-print-directory $(parallel) program $(BUILD)/tests/all $(REPLAYS)
	@CC="$(CC)" CXX="$(CXX)" PKG_CONFIG="$(PKG_CONFIG)" NVCC="$(NVCC)" PYTHON="$(PYTHON)" sh tests/run.sh $(if $(filter check,$@),--fast) $(BUILD)

# The CUDA kernels without a GPU: every op over the emulation, planted faults, what nvcc made of them (docs/background/gpu.md).
test-cuda:
	@$(MAKE) --no-print-directory $(parallel) program $(BUILD)/tests/all
	@$(BUILD)/tests/all --filter 'cuda/*' --short-filename
	@CXX="$(CXX)" NVCC="$(NVCC)" PYTHON="$(PYTHON)" sh tests/run.sh $(BUILD) $(patsubst tests/cuda/%.sh,%,$(wildcard tests/cuda/test_*.sh))

# Data races, by ThreadSanitizer over threads that it can follow.
test-races:
	@$(MAKE) --no-print-directory $(parallel) BUILD=$(BUILD)/races SAN=thread CUDA=0 OPTIMISE=-O1 $(BUILD)/races/godwit
	@sh tests/races.sh $(BUILD)/races/godwit

FAKE_PLUGINS := $(BUILD)/tests/fake-plugin.so $(BUILD)/tests/no-plugin.so
$(BUILD)/tests/no-plugin.so: FAKE_FLAGS := -DWITHOUT_ENTRY
$(FAKE_PLUGINS): tests/kernel/plugin/fake.c $(wildcard kernels/*.h) kernels/ops.def lib/base/status.h Makefile
	@mkdir -p $(@D)
	$(call say,LD) $(CC) -std=gnu11 -fPIC -shared $(WARNINGS) $(if $(WERROR),-Werror) -I. -Ilib $(FAKE_FLAGS) \
	    -DGW_PLUGIN_ABI=$(plugin_abi) -o $@ $<

# Functions that tests/model/test_encodings.c stands in front of.
COUNTED := gw_encode gw_encode_with_specials
$(BUILD)/tests/all: $(call objects,$(TEST_SOURCES) $(REFERENCE_SOURCES)) $(BUILD)/libgodwit.a | $(FAKE_PLUGINS) \
    $(if $(HAVE_EMULATOR),$(EMULATED))
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS_ALL) $(COUNTED:%=-Wl,--wrap=%) -o $@ $^ -lcriterion $(COMMAND_LIBS) $(PACKAGE_LIBS)

# Fuzz targets: replayed over their corpora by the tests, and run with libFuzzer for FUZZ_SECONDS each by `make fuzz`;
# FUZZ="name ..." chooses some.
REPLAYS := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/tests/replay_%,$(FUZZ_SOURCES))
$(BUILD)/tests/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/libgodwit.a
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS_ALL) -o $@ $^ $(COMMAND_LIBS) $(PACKAGE_LIBS)

FUZZ_SECONDS ?= 600
FUZZ ?=
fuzz:
	@$(MAKE) --no-print-directory $(parallel) CC=clang BUILD=$(BUILD)/fuzz SAN=address,undefined OPTIMISE=-O1 \
	    CFLAGS="-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined" fuzz-programs
	@FUZZ_SECONDS=$(FUZZ_SECONDS) sh tests/fuzz/run.sh $(BUILD)/fuzz $(FUZZ)

fuzz-programs: $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(FUZZ_SOURCES))

$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/libgodwit.a
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS_ALL) -fsanitize=fuzzer -o $@ $^ $(COMMAND_LIBS) $(PACKAGE_LIBS)

# Only the program, and only for this machine, unless more is built; DEMO is the folder that is written.
DEMO ?= $(BUILD)/demo
demo:
	@$(MAKE) --no-print-directory $(parallel) ISAS="$(or $(shell cat $(BUILD)/isas 2>/dev/null),native)" $(BUILD)/godwit
	@GODWIT=$(BUILD)/godwit sh pipelines/demo.sh "$(DEMO)"
	@echo
	@echo "The program is $(BUILD)/godwit; make install puts it where the shell finds it. Next:"
	@echo "  $(BUILD)/godwit models                                                            the models that have a name"
	@echo "  $(BUILD)/godwit score -m human-splice -f GRCh38.fa.gz -o scored.vcf.gz in.vcf.gz  your human variants"
	@echo "  $(BUILD)/godwit score -m yeast -f genome.fa.gz calls.vcf.gz -o scored.vcf.gz      those of yeast"

# The papers' proofs as programs: every construction is built and checked, pictures and tables go to PICTURES; FULL=1 adds
# the hours of the flexibility curves.
PICTURES ?= $(BUILD)/theory
FULL ?=
theory:
	$(if $(HAVE_THEORY),,$(error make theory needs GMP, LAPACKE and CBLAS: sh tools/install-deps.sh --development))
	@$(MAKE) --no-print-directory $(parallel) program
	@GODWIT=$(BUILD)/godwit THEORY=$(BUILD)/godwit-theory FULL=$(FULL) sh tools/theory/pictures.sh "$(PICTURES)"

# Speed of the parts, beside peers where ORACLE_PYTHON names a Python that has them.
bench:
	@$(MAKE) --no-print-directory $(parallel) bench-programs
	@sh tests/bench/run.sh $(BUILD)

# Forward passes, training steps and attention beside PyTorch's; FULL=1 for everything.
bench-cpu:
	@$(MAKE) --no-print-directory $(parallel) program
	@sh tests/bench/cpu.sh $(BUILD)/godwit

# The same on a GPU; says what it would need where that is missing.
bench-gpu:
	@$(MAKE) --no-print-directory $(parallel) program
	@sh tests/bench/gpu.sh $(BUILD)/godwit

bench-programs: program $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(BENCH_SOURCES))

$(BUILD)/bench/%: $(BUILD)/tests/bench/%.o $(BUILD)/libgodwit.a
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(LDFLAGS_ALL) -o $@ $^ $(PACKAGE_LIBS)

# What a program links to beside the static library.
link-flags:
	@echo $(PACKAGE_LIBS)
# How tests compile plugins of their own.
contract-flags:
	@echo '-DGW_PLUGIN_ABI=$(plugin_abi) -DGW_TRANSPORT_ABI=$(transport_abi)'

# The real packages of the field say the same as godwit; needs network access for a virtual environment in build/oracle.
oracle: program
	@GODWIT=$(BUILD)/godwit BUILD=$(BUILD) sh tests/oracle/run.sh

# The shared library. Its soname changes when a program made for the last one may no longer run.
SONAME := libgodwit.so.1
$(BUILD)/libgodwit.so: $(filter-out $(call objects,$(MAT_SOURCES) $(FETCH_SOURCES)),$(LIB_OBJECTS))
	$(call say,LD) $(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--as-needed $(if $(SAN),,-Wl,-z,defs) $(LDFLAGS_ALL) -o $@ $^ \
	    $(LIBRARY_LIBS)

# What programs that were made for the shared library rely on: functions, and types of lib/godwit.h. `make lint` compares
# it with tests/data/libgodwit.abi.xml, which `make abi` writes anew where a change is meant (docs/guides/library.md).
$(BUILD)/libgodwit.abi.xml: $(BUILD)/libgodwit.so lib/godwit.h
	@abidw --exported-interfaces-only --header-file lib/godwit.h --drop-private-types --no-corpus-path --no-comp-dir-path \
	    --no-show-locs --no-parameter-names --no-architecture --out-file $@ $<

.PHONY: abi
abi: $(BUILD)/libgodwit.abi.xml
	@cp $< tests/data/libgodwit.abi.xml

man: $(BUILD)/godwit
	@mkdir -p $(BUILD)/man
	@$(BUILD)/godwit man > $(BUILD)/man/godwit.1
	@for command in $$($(BUILD)/godwit list); do \
	    $(BUILD)/godwit man $$command > $(BUILD)/man/godwit-$$command.1 || exit 1; done

SHELLS := bash zsh fish
completions: $(BUILD)/godwit
	@mkdir -p $(BUILD)/completion
	@for shell in $(SHELLS); do $(BUILD)/godwit completion $$shell > $(BUILD)/completion/$$shell || exit 1; done

BIN_TO = $(DESTDIR)$(PREFIX)/bin
SHARE_TO = $(DESTDIR)$(PREFIX)/share
MAN_TO = $(SHARE_TO)/man/man1
LIB_TO = $(DESTDIR)$(LIBDIR)
INCLUDE_TO = $(DESTDIR)$(INCLUDEDIR)
PLUGIN_TO = $(DESTDIR)$(PREFIX)/lib/godwit
COMPLETION_bash = bash-completion/completions/godwit
COMPLETION_zsh = zsh/site-functions/_godwit
COMPLETION_fish = fish/vendor_completions.d/godwit.fish
MODELS_TO = $(SHARE_TO)/godwit/models
MODELS = $(patsubst %/,%,$(wildcard share/godwit/models/*/))
in_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
install:
	@$(MAKE) --no-print-directory $(parallel) install-files

.PHONY: install-files
install-files: program man completions $(BUILD)/libgodwit.so
	install -d $(BIN_TO) $(MAN_TO) $(INCLUDE_TO) $(LIB_TO)/pkgconfig
	install -m 755 $(BUILD)/godwit $(BIN_TO)/
	$(if $(HAVE_CUDA),install -d $(PLUGIN_TO) && install -m 755 $(PLUGIN) $(PLUGIN_TO)/)
	$(if $(MPIS),install -d $(PLUGIN_TO) && install -m 755 $(MPI_PLUGINS) $(PLUGIN_TO)/)
	$(if $(HAVE_PARQUET),[ ! -e $(PARQUET_PLUGIN) ] || { install -d $(PLUGIN_TO) && install -m 755 $(PARQUET_PLUGIN) $(PLUGIN_TO)/; })
	install -m 644 lib/godwit.h $(INCLUDE_TO)/
	install -m 644 $(BUILD)/libgodwit.a $(LIB_TO)/
	install -m 755 $(BUILD)/libgodwit.so $(LIB_TO)/libgodwit.so.$(VERSION)
	ln -sf libgodwit.so.$(VERSION) $(LIB_TO)/$(SONAME)
	ln -sf $(SONAME) $(LIB_TO)/libgodwit.so
	install -m 644 $(BUILD)/man/*.1 $(MAN_TO)/
	$(foreach s,$(SHELLS),install -D -m 644 $(BUILD)/completion/$(s) $(SHARE_TO)/$(COMPLETION_$(s)) &&) :
	$(foreach m,$(MODELS),install -d $(MODELS_TO)/$(notdir $m) && install -m 644 $m/* $(MODELS_TO)/$(notdir $m)/ &&) :
	install -m 644 share/godwit/models/available.tsv $(MODELS_TO)/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call in_prefix,$(LIBDIR))|' \
	    -e 's|@INCLUDEDIR@|$(call in_prefix,$(INCLUDEDIR))|' \
	    -e 's|@VERSION@|$(VERSION)|' -e 's|@PACKAGES@|$(LIBRARY_PACKAGES)|' -e 's|@LIBS@|$(OTHER_LIBS)|' \
	    lib/godwit.pc.in > $(LIB_TO)/pkgconfig/godwit.pc

# What is committed, as a source package.
DIST := $(BUILD)/godwit-$(VERSION).tar.gz
dist:
	@mkdir -p $(BUILD)
	@git diff --quiet HEAD || echo "dist: changes that are not committed are left out" >&2
	@git archive --format=tar --prefix=godwit-$(VERSION)/ HEAD | gzip -9n > $(DIST).new && mv $(DIST).new $(DIST)
	@echo $(DIST)

# The Python package, with the shared library inside (docs/guides/python.md).
wheel:
	@$(MAKE) --no-print-directory $(parallel) $(BUILD)/libgodwit.so $(BUILD)/godwit $(if $(HAVE_PARQUET),$(PARQUET_PLUGIN))
	@$(PYTHON) tools/python/make_wheel.py $(BUILD)/libgodwit.so $(BUILD)/godwit $(WHEEL)

# What is published. PORTABLE keeps the libraries that the portable program has inside, which are made once.
RELEASE ?= $(BUILD)/release
PORTABLE ?= $(BUILD)/portable
release:
	@CC="$(CC)" PYTHON="$(PYTHON)" JOBS="$(JOBS)" sh tools/packaging/release.sh $(RELEASE) $(PORTABLE)

# The documents as pages that need no network, and pictures drawn from what is shipped.
SITE ?= $(BUILD)/site
GALLERY ?= $(BUILD)/gallery
site:
	@sh tools/site/build.sh $(SITE)
gallery:
	@$(MAKE) --no-print-directory $(parallel) program
	@sh tools/site/gallery.sh $(BUILD)/godwit $(GALLERY)

FORMATTED = $(shell git ls-files '*.c' '*.h' '*.cu' '*.cc')
format:
	clang-format -i $(FORMATTED)

lint: program
	@$(if $(shell command -v abidw),$(MAKE) --no-print-directory $(parallel) $(BUILD)/libgodwit.abi.xml)
	@sh tests/lint.sh $(BUILD)

clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d) $(CUDA_OBJECTS:.o=.d) $(CHECKED_OBJECTS:.o=.d) $(EMULATOR_OBJECTS:.o=.d)
