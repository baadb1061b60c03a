//===- ChecksumTest.cpp - Checksums ---------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Runtime/Checksum.h"

#include "RuntimeTest.h"

using namespace vortex::runtime;

TEST(Checksum, KnownValues) {
  EXPECT_EQ(crc32("", 0), 0u);
  EXPECT_EQ(crc32("123456789", 9), 0xCBF43926u);
  // In pieces of any length.
  EXPECT_EQ(crc32("6789", 4, crc32("12345", 5)), 0xCBF43926u);
}

TEST(Checksum, ChangesWithCodeButNotWithMetadata) {
  std::string bytes = fileBytes(fakePath());
  ElfImage elf(bytes.data(), bytes.size());
  ASSERT_EQ(elf.check(), nullptr);
  ArtifactChecksums before = artifactChecksums(elf);
  ElfImage::Section text, meta;
  ASSERT_TRUE(elf.find(".text", text));
  ASSERT_TRUE(elf.find(".vortex.meta", meta));
  bytes[meta.offset] ^= 1;
  EXPECT_EQ(artifactChecksums(elf).code, before.code);
  EXPECT_EQ(artifactChecksums(elf).link, before.link);
  bytes[text.offset] ^= 1;
  EXPECT_NE(artifactChecksums(elf).code, before.code);
  EXPECT_EQ(artifactChecksums(elf).link, before.link);
}

TEST(Checksum, SealingNeedsAField) {
  std::string bytes = fileBytes(fakePath("fake_foreign"));
  EXPECT_STREQ(sealArtifact(&bytes[0], bytes.size()),
               "no section .vortex.meta");
}
