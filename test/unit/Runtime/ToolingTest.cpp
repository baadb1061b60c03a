//===- ToolingTest.cpp - Values, files and comparison ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"
#include "Tooling/SmallFloat.h"
#include "vortex/Runtime/Tooling/Compare.h"
#include "vortex/Runtime/Tooling/Npy.h"
#include "vortex/Runtime/Tooling/ValueSpec.h"

#include <cmath>
#include <unistd.h>

using namespace vortex::runtime;

static HostTensor spec(const std::string &text,
                       const VortexDType *want = nullptr) {
  HostTensor tensor;
  std::string error;
  EXPECT_EQ(parseValueSpec(text, want, tensor, error), SpecOutcome::Ok)
      << error;
  return tensor;
}

TEST(SmallFloat, RoundTripsEveryValue) {
  for (const SmallFloat &f : {half, bfloat, float8E4M3FN, float8E5M2})
    for (uint32_t i = 0; i < 1u << (1 + f.exponentBits + f.mantissaBits); ++i)
      if (!std::isnan(f.decode(i)))
        ASSERT_EQ(f.encode(f.decode(i)), i);
  EXPECT_EQ(half.encode(1), 0x3C00u);
  EXPECT_EQ(half.encode(65504), 0x7BFFu);
  EXPECT_EQ(half.encode(65520), 0x7C00u);
  EXPECT_EQ(half.encode(1 + 1.0 / 2048), 0x3C00u);
  EXPECT_EQ(half.encode(1 + 3.0 / 2048), 0x3C02u);
  EXPECT_EQ(bfloat.encode(1), 0x3F80u);
  EXPECT_EQ(float8E4M3FN.encode(448), 0x7Eu);
  EXPECT_TRUE(std::isnan(float8E4M3FN.decode(0x7F)));
}

TEST(ValueSpec, Forms) {
  EXPECT_EQ(valueText(spec("2x3xf32=\"1 2 3 4 5 6\""), 10),
            "2x3xf32=1 2 3 4 5 6");
  EXPECT_EQ(valueText(spec("2x2xf16=1,2.5, -3 4"), 10), "2x2xf16=1 2.5 -3 4");
  EXPECT_EQ(valueText(spec("2x2xbf16=0.5"), 10), "2x2xbf16=0.5 0.5 0.5 0.5");
  EXPECT_EQ(valueText(spec("i64=3"), 10), "i64=3");
  EXPECT_EQ(valueText(spec("0x5xf32="), 10), "0x5xf32=");
  EXPECT_EQ(valueText(spec("3xf64=nan inf -inf"), 10), "3xf64=nan inf -inf");
  EXPECT_EQ(valueText(spec("3xi1=true false 1"), 10), "3xi1=1 0 1");
  EXPECT_EQ(valueText(spec("3xi4=-8 7 0x1"), 10), "3xi4=-8 7 1");
  EXPECT_EQ(valueText(spec("2xi8=200 -1"), 10), "2xi8=-56 -1");
  EXPECT_EQ(valueText(spec("5xindex=9"), 2), "5xindex=9 9 ...");
  EXPECT_EQ(valueText(spec("i64=-9223372036854775808"), 1),
            "i64=-9223372036854775808");
  EXPECT_EQ(valueText(spec("2xcomplex<f32>=(1,2) 3"), 10),
            "2xcomplex<f32>=(1,2) (3,0)");
  VortexDType want = VORTEX_INDEX;
  EXPECT_EQ(spec("i64=3", &want).dtype, VORTEX_INDEX);
}

TEST(ValueSpec, Mistakes) {
  HostTensor tensor;
  std::string error;
  for (const char *text : {"",
                           "f32",
                           "2x3",
                           "2x3xf33=0",
                           "2xf32=1 2 3",
                           "3xf32=1 2",
                           "2xf32=",
                           "f32=x",
                           "2xf32=1 y",
                           "-1xf32=0",
                           "xf32=1",
                           "i8=300",
                           "i1=2",
                           "i32=1.5",
                           "complex<f32>=(1",
                           "99999999999x99999999999xf32=0",
                           "0xf32=1",
                           "f32=1e50",
                           "f32=-1e50",
                           "f64=1e999",
                           "f16=65520",
                           "bf16=1e39",
                           "f8E4M3FN=1000",
                           "f8E5M2=1e6",
                           "complex<f32>=(0,1e50)",
                           "18446744073709551617x0xf32="})
    EXPECT_EQ(parseValueSpec(text, nullptr, tensor, error),
              SpecOutcome::Malformed)
        << text;
  EXPECT_EQ(parseValueSpec("@/nonexistent.npy", nullptr, tensor, error),
            SpecOutcome::Failed);
}

class Npy : public ::testing::Test {
protected:
  std::string path =
      ::testing::TempDir() + "/npy-" + std::to_string(getpid()) + ".npy";
  void TearDown() override { unlink(path.c_str()); }
  void write(const std::string &descr, const std::string &order,
             const std::string &shape, const std::string &data) {
    std::string header = "{'descr': '" + descr +
                         "', 'fortran_order': " + order +
                         ", 'shape': " + shape + ", }\n";
    std::ofstream out(path, std::ios::binary);
    out << "\x93NUMPY" << '\1' << '\0' << char(header.size()) << '\0' << header
        << data;
  }
};

TEST_F(Npy, RoundTrip) {
  std::string error;
  for (const char *text :
       {"2x3xf32=1 2 3 4 5 6", "f64=2.5", "3xf16=1 2 3", "2xbf16=1 2",
        "0x5xi32=", "2xi1=1 0", "2xi4=-3 4", "2xindex=7 7", "2x1xi16=-5 6",
        "1x2xcomplex<f64>=(1,2) (3,4)", "2xf8E4M3FN=1 448", "2xf8E5M2=1 2"}) {
    HostTensor tensor = spec(text), back;
    ASSERT_TRUE(writeNpy(path, tensor, error)) << error;
    ASSERT_TRUE(readNpy(path, &tensor.dtype, back, error)) << error;
    EXPECT_EQ(valueText(back, 10), text);
    std::string bytes = fileBytes(path);
    EXPECT_EQ((bytes.size() - tensor.bytes.size()) % 64, 0u);
  }
}

TEST_F(Npy, OtherOrders) {
  HostTensor tensor;
  std::string error;
  write("<i2", "True", "(2, 3)", std::string("\1\0\4\0\2\0\5\0\3\0\6\0", 12));
  ASSERT_TRUE(readNpy(path, nullptr, tensor, error)) << error;
  EXPECT_EQ(valueText(tensor, 10), "2x3xi16=1 2 3 4 5 6");
  write(">i2", "False", "(2,)", std::string("\1\0\0\2", 4));
  ASSERT_TRUE(readNpy(path, nullptr, tensor, error)) << error;
  EXPECT_EQ(valueText(tensor, 10), "2xi16=256 2");
  VortexDType bf16 = VORTEX_BF16;
  write("<u2", "False", "()", std::string("\x80\x3f", 2));
  ASSERT_TRUE(readNpy(path, &bf16, tensor, error)) << error;
  EXPECT_EQ(valueText(tensor, 10), "bf16=1");
}

TEST_F(Npy, Mistakes) {
  HostTensor tensor;
  std::string error;
  auto fails = [&](const char *text) {
    EXPECT_FALSE(readNpy(path, nullptr, tensor, error));
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  write("<f4", "False", "(3,)", "1234");
  fails("ends early");
  write("<f4", "False", "(1,)", "12345");
  fails("1 bytes behind the elements");
  for (const char *shape : {"(3)", "(-1,)", "(1 1)", "(1,,)", "1", "(1", "(1x)",
                            "(99999999999999999999,)", "(,)"}) {
    write("<f4", "False", shape, "1234");
    fails("bad shape");
  }
  write("<f4", "Maybe", "(1,)", "1234");
  fails("bad fortran_order");
  write("<f4", "Trueish", "(1,)", "1234");
  fails("not a dictionary");
  for (const char *type :
       {"<f4x", "<f", "", "<", "<f-4", "f 4", "<f3", "<i16"}) {
    write(type, "False", "(1,)", "1234");
    fails("are not supported");
  }
  write("<f4", "False", "(1,), 'more': 1", "1234");
  fails("has a key 'more'");
  write("<f4", "False", "(1,), 'shape': (1,)", "1234");
  fails("'shape' more than once");
  write("<f4", "False", "(1,)} {", "1234");
  fails("goes on behind its dictionary");
  write("<f4', 'unused", "False", "(1,)", "1234");
  fails("not a dictionary");
  VortexDType bit = VORTEX_I1;
  write("|b1", "False", "(2,)", "\1\2");
  EXPECT_FALSE(readNpy(path, &bit, tensor, error));
  EXPECT_NE(error.find("2 is not a value of type i1"), std::string::npos);
  write("<U4", "False", "(3,)", "1234");
  fails("'<U4' are not supported");
  write("<f4", "False", "(9999999999, 9999999999)", "");
  fails("more elements than there are addresses");
  write("<f4", "False", "(99999999999,)", "");
  fails("ends early");
  std::ofstream(path) << "\x93NUMPY\1\7  ";
  fails("an unknown version");
  std::ofstream(path) << "hello, world";
  fails("not a .npy file");
}

TEST(Compare, Tolerances) {
  std::string report;
  auto same = [&](const char *got, const char *want, Tolerance t = {}) {
    return compare(spec(got), spec(want), t, report);
  };
  EXPECT_TRUE(same("2xf32=1 2", "2xf32=1.0001 2"));
  EXPECT_FALSE(same("2xf32=1 2", "2xf32=1 2.001"));
  EXPECT_NE(report.find("1 of 2 elements differ; the worst at [1]: got 2, "
                        "expected 2.0"),
            std::string::npos)
      << report;
  // Relative to the largest element.
  EXPECT_TRUE(same("2xf32=0.01 1000", "2xf32=0.02 1000"));
  Tolerance elementwise;
  elementwise.elementwise = true;
  elementwise.rtol = 0.1;
  EXPECT_FALSE(same("2xf32=0.01 1000", "2xf32=0.02 1000", elementwise));
  EXPECT_TRUE(same("2xf32=0.02 1000", "2xf32=0.021 1050", elementwise));
  EXPECT_TRUE(same("3xf32=nan inf -inf", "3xf32=nan inf -inf"));
  EXPECT_FALSE(same("f32=inf", "f32=-inf"));
  EXPECT_FALSE(same("f32=nan", "f32=1"));
  EXPECT_FALSE(same("f32=inf", "f32=3e38"));
  EXPECT_FALSE(same("i64=9007199254740993", "i64=9007199254740992"));
  EXPECT_FALSE(same("f32=1", "f64=1"));
  EXPECT_FALSE(same("1x2xf32=1", "2x1xf32=1"));
  EXPECT_NE(report.find("is 1x2xf32, expected 2x1xf32"), std::string::npos);
  EXPECT_TRUE(same("0x3xf32=", "0x3xf32="));
}
