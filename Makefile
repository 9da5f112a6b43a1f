# godwit: `make demo` shows the main job, `make test` checks it; both work right after `git clone`.
#
#   make deps | all | test | oracle | demo | bench | install | format | lint | clean
#   variables: CC=gcc|clang  BUILD=build  PREFIX=/usr/local  DESTDIR=  SAN=address,undefined  WERROR=1

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
CXX ?= g++
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
SAN ?=
WERROR ?=
VERSION := $(shell sed -n 's/^\#define GW_VERSION "\(.*\)"/\1/p' tools/cli.h)

# Right after `git clone` the libraries may be missing: then `make deps` runs first.
PACKAGES := htslib jansson cairo zlib
HAVE_DEPS := $(shell pkg-config --exists $(PACKAGES) 2>/dev/null && test -e /usr/include/dnnl.h -o -n "$(DNNL)" && echo yes)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers
OPTIMISE ?= -O2
# -ffp-contract=off: a product and a sum round as written, whatever the compiler; kernels ask for fused ones by name.
CFLAGS_ALL = -std=gnu11 $(OPTIMISE) -g -fPIC -ffp-contract=off -D_GNU_SOURCE $(WARNINGS) $(if $(WERROR),-Werror) \
             $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) -I. -Ilib $(PACKAGE_CFLAGS) $(CFLAGS)
PACKAGE_CFLAGS = $(shell pkg-config --cflags $(PACKAGES))
PACKAGE_LIBS = $(shell pkg-config --libs $(PACKAGES)) -ldnnl -lgomp -lpthread -lm
LDFLAGS_ALL = $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)
# Only base/parallel.c has a pragma; under clang it calls libgomp itself, since clang would link a second runtime.
OPENMP := $(if $(findstring clang,$(CC)),,-fopenmp)

LIB_SOURCES := $(wildcard lib/*/*.c) $(filter-out kernels/cpu/%,$(wildcard kernels/*.c))
CPU_SOURCES := $(wildcard kernels/cpu/*.c)
TOOL_SOURCES := $(wildcard tools/*.c)
REFERENCE_SOURCES := $(wildcard reference/*.c)
TEST_SOURCES := $(wildcard tests/unit/*.c tests/kernel/*.c tests/model/*.c)
BENCH_SOURCES := $(wildcard tests/bench/*.c)

# Each kernel source is compiled once per instruction set; GW_ISA names the variant and its symbols end in it.
ISA_baseline :=
ISA_avx2 := -mavx2 -mfma -mf16c
ISA_avx512 := -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mfma -mf16c -mprefer-vector-width=512
ISAS := $(if $(filter x86_64,$(shell uname -m)),baseline avx2 avx512,baseline)

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
CPU_OBJECTS := $(foreach isa,$(ISAS),$(patsubst kernels/cpu/%.c,$(BUILD)/kernels/cpu/$(isa)/%.o,$(CPU_SOURCES)))
LIB_OBJECTS := $(call objects,$(LIB_SOURCES)) $(CPU_OBJECTS)
OBJECTS := $(LIB_OBJECTS) $(call objects,$(TOOL_SOURCES) $(REFERENCE_SOURCES) $(TEST_SOURCES) $(BENCH_SOURCES))

.PHONY: all deps test check demo bench install format lint oracle clean man
.DEFAULT_GOAL := all

all: $(if $(HAVE_DEPS),,deps) program

.PHONY: program
program: $(BUILD)/godwit

$(BUILD)/godwit: $(call objects,$(TOOL_SOURCES)) $(BUILD)/libgodwit.a
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(PACKAGE_LIBS)

$(BUILD)/libgodwit.a: $(LIB_OBJECTS)
	rm -f $@ && ar rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(OPENMP) -MMD -MP -c -o $@ $<

define isa_rule
$(BUILD)/kernels/cpu/$(1)/%.o: kernels/cpu/%.c Makefile
	@mkdir -p $$(@D)
	$(CC) $(CFLAGS_ALL) $(OPENMP) -O3 $$(ISA_$(1)) -DGW_ISA=$(1) -DGW_ISA_$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach isa,$(ISAS),$(eval $(call isa_rule,$(isa))))

deps:
	@sh tools/install-deps.sh

test: $(if $(HAVE_DEPS),,deps)
	@$(MAKE) --no-print-directory check

check: $(BUILD)/tests/all $(BUILD)/godwit
	sh tests/run.sh $(BUILD)

$(BUILD)/tests/all: $(call objects,$(TEST_SOURCES) $(REFERENCE_SOURCES)) $(BUILD)/libgodwit.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ -lcriterion $(PACKAGE_LIBS)

clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d)
