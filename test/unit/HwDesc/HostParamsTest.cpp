//===- HostParamsTest.cpp - The file of measured numbers ------ -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Probe/HostParams.h"

#include "gtest/gtest.h"

using namespace vortex;

TEST(HostParams, RoundTrip) {
  HostParams params, read;
  params.numbers = {{"core.units", 2},
                    {"l2.bandwidth", 187.3},
                    {"device.capacity", 25276502016.0}};
  params.spread = {{"l2.bandwidth", 0.03}};
  params.machine = {{"signature", "a \"quoted\\name"}};
  std::string error;
  ASSERT_TRUE(parseHostParams(printHostParams(params), read, error)) << error;
  EXPECT_EQ(read.numbers, params.numbers);
  EXPECT_EQ(read.spread, params.spread);
  EXPECT_EQ(read.machine, params.machine);
}

TEST(HostParams, EveryPrefixIsRefused) {
  HostParams params;
  params.numbers = {{"core.units", 2}};
  params.machine = {{"signature", "x"}};
  std::string text = printHostParams(params);
  text.pop_back(); // the newline after the object
  for (size_t size = 0; size != text.size(); ++size) {
    HostParams read;
    std::string error;
    EXPECT_FALSE(parseHostParams(text.substr(0, size), read, error)) << size;
    EXPECT_NE(error.find("line "), std::string::npos);
  }
}

TEST(HostParams, ErrorsNameTheLine) {
  HostParams params;
  std::string error;
  EXPECT_FALSE(parseHostParams("{\n  \"a\": 1,\n  \"b\": x}", params, error));
  EXPECT_EQ(error, "line 3: expected a number");
  EXPECT_FALSE(parseHostParams("{\"a\": inf}", params, error));
  EXPECT_FALSE(parseHostParams("{} {}", params, error));
  EXPECT_EQ(error, "line 1: text after the object");
}
