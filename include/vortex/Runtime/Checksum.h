//===- Checksum.h - What an artifact's checksums cover ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that says which bytes of an artifact its checksums cover. The
// compiler writes them with `sealArtifact`, the loader recomputes them. Works
// on the bytes of a file in memory, needs neither LLVM nor <elf.h>, allocates
// nothing, and reads nothing outside the image.
//
//   crc32       SHF_ALLOC SHT_PROGBITS sections other than .vortex.meta,
//               .dynamic, .got* and .data.rel.ro: code and constants
//   link_crc32  the program headers and every other SHF_ALLOC section with
//               bytes in the file, .vortex.meta apart: what the dynamic linker
//               acts on
//
// Both are zlib's CRC-32 of the bytes joined in the order of the section
// headers, written in the metadata as eight lower-case hexadecimal digits:
// "crc32": "0a1b2c3d".
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_RUNTIME_CHECKSUM_H
#define VORTEX_RUNTIME_CHECKSUM_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vortex {
namespace runtime {

/// zlib's CRC-32 of `size` bytes, continued from `crc` (0 to begin).
inline uint32_t crc32(const void *data, size_t size, uint32_t crc = 0) {
  // Slicing by four: the loader checks whole models of embedded weights.
  static const struct Tables {
    uint32_t t[4][256];
    Tables() {
      for (uint32_t i = 0; i < 256; ++i) {
        uint32_t c = i;
        for (int k = 0; k < 8; ++k)
          c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        t[0][i] = c;
      }
      for (uint32_t i = 0; i < 256; ++i)
        for (int s = 1; s < 4; ++s)
          t[s][i] = (t[s - 1][i] >> 8) ^ t[0][t[s - 1][i] & 0xFF];
    }
  } tables;
  const auto *p = static_cast<const unsigned char *>(data);
  crc = ~crc;
  for (; size >= 4; size -= 4, p += 4) {
    crc ^= uint32_t(p[0]) | uint32_t(p[1]) << 8 | uint32_t(p[2]) << 16 |
           uint32_t(p[3]) << 24;
    crc = tables.t[3][crc & 0xFF] ^ tables.t[2][(crc >> 8) & 0xFF] ^
          tables.t[1][(crc >> 16) & 0xFF] ^ tables.t[0][crc >> 24];
  }
  for (; size; --size, ++p)
    crc = tables.t[0][(crc ^ *p) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

/// A little-endian ELF64 file in memory, checked before every read.
class ElfImage {
public:
  struct Section {
    const char *name = ""; ///< ends within the image
    uint32_t type = 0;
    uint64_t flags = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  static constexpr uint32_t progbits = 1, nobits = 8;
  static constexpr uint64_t alloc = 2;

  ElfImage(const void *data, size_t size)
      : data(static_cast<const unsigned char *>(data)), size(size) {}

  /// Null when header, program headers and sections all lie in the image and
  /// the file is a shared object; otherwise what is wrong.
  const char *check() const {
    if (size < 64 || std::memcmp(data, "\177ELF", 4) != 0)
      return "not an ELF file";
    if (data[4] != 2 || data[5] != 1 || data[6] != 1)
      return "not a little-endian 64-bit ELF file";
    if (read<uint16_t>(16) != 3)
      return "not a shared object";
    if (read<uint16_t>(54) != 56 || !numProgramHeaders())
      return "no program headers";
    if (!holds(programHeaders(), uint64_t(numProgramHeaders()) * 56))
      return "truncated: the program headers lie outside the file";
    if (!read<uint16_t>(60))
      return "no section headers";
    if (read<uint16_t>(58) != 64 ||
        !holds(sectionHeaders(), uint64_t(numSections()) * 64))
      return "truncated: the section headers lie outside the file";
    bool loads = false, dynamic = false;
    for (unsigned i = 0; i < numProgramHeaders(); ++i) {
      uint64_t at = programHeaders() + uint64_t(i) * 56;
      uint32_t type = read<uint32_t>(at);
      uint64_t offset = read<uint64_t>(at + 8),
               address = read<uint64_t>(at + 16),
               inFile = read<uint64_t>(at + 32),
               inMemory = read<uint64_t>(at + 40);
      if (!holds(offset, inFile))
        return "truncated: a segment lies outside the file";
      if (type == 1 && (inFile > inMemory || address + inMemory < address ||
                        address + inMemory > (uint64_t(1) << 40) ||
                        (address - offset) % 4096 != 0))
        return "corrupt: a segment has impossible addresses";
      loads |= type == 1;
      dynamic |= type == 2;
    }
    if (!loads || !dynamic)
      return "not a shared object that can be loaded";
    uint16_t names = read<uint16_t>(62);
    if (names >= numSections())
      return "corrupt: no section names";
    Section s = rawSection(names);
    if (s.type == nobits || s.size == 0 || !holds(s.offset, s.size) ||
        data[s.offset + s.size - 1] != 0)
      return "truncated: the section names lie outside the file";
    for (unsigned i = 1; i < numSections(); ++i) {
      Section section = rawSection(i);
      if (section.type != nobits && !holds(section.offset, section.size))
        return "truncated: a section lies outside the file";
      if (read<uint32_t>(sectionHeaders() + uint64_t(i) * 64) >= s.size)
        return "corrupt: a section's name lies outside the file";
    }
    return nullptr;
  }

  /// The rest is defined after check() gave null.
  uint16_t machine() const { return read<uint16_t>(18); }
  unsigned numSections() const { return read<uint16_t>(60); }
  unsigned numProgramHeaders() const { return read<uint16_t>(56); }
  uint64_t programHeaders() const { return read<uint64_t>(32); }
  const unsigned char *bytes(uint64_t offset) const { return data + offset; }
  Section section(unsigned index) const {
    Section s = rawSection(index);
    s.name = reinterpret_cast<const char *>(data) +
             rawSection(read<uint16_t>(62)).offset +
             read<uint32_t>(sectionHeaders() + uint64_t(index) * 64);
    return s;
  }
  /// False when there is no section of that name with bytes in the file.
  bool find(const char *name, Section &out) const {
    for (unsigned i = 1; i < numSections(); ++i) {
      out = section(i);
      if (out.type != nobits && std::strcmp(out.name, name) == 0)
        return true;
    }
    return false;
  }

private:
  template <typename T>
  T read(uint64_t at) const {
    T value;
    std::memcpy(&value, data + at, sizeof(T));
    return value;
  }
  uint64_t sectionHeaders() const { return read<uint64_t>(40); }
  bool holds(uint64_t offset, uint64_t bytes) const {
    return offset <= size && bytes <= size - offset;
  }
  Section rawSection(unsigned index) const {
    uint64_t at = sectionHeaders() + uint64_t(index) * 64;
    Section s;
    s.type = read<uint32_t>(at + 4);
    s.flags = read<uint64_t>(at + 8);
    s.offset = read<uint64_t>(at + 24);
    s.size = read<uint64_t>(at + 32);
    return s;
  }

  const unsigned char *data;
  size_t size;
};

struct ArtifactChecksums {
  uint32_t code; ///< "crc32"
  uint32_t link; ///< "link_crc32"
};

/// The checksums of a shared object for which ElfImage::check gave null.
inline ArtifactChecksums artifactChecksums(const ElfImage &image) {
  ArtifactChecksums sums{0, 0};
  sums.link = crc32(image.bytes(image.programHeaders()),
                    size_t(image.numProgramHeaders()) * 56);
  for (unsigned i = 1; i < image.numSections(); ++i) {
    ElfImage::Section s = image.section(i);
    if (!(s.flags & ElfImage::alloc) || s.type == ElfImage::nobits ||
        std::strcmp(s.name, ".vortex.meta") == 0)
      continue;
    bool code = s.type == ElfImage::progbits &&
                std::strcmp(s.name, ".dynamic") != 0 &&
                std::strncmp(s.name, ".got", 4) != 0 &&
                std::strcmp(s.name, ".data.rel.ro") != 0;
    uint32_t &crc = code ? sums.code : sums.link;
    crc = crc32(image.bytes(s.offset), size_t(s.size), crc);
  }
  return sums;
}

/// Writes the checksums of the linked artifact in `image` into its metadata,
/// over the eight digits after "crc32":" and (if present) "link_crc32":".
/// Returns null, or what is wrong.
inline const char *sealArtifact(void *image, size_t size) {
  ElfImage elf(image, size);
  if (const char *error = elf.check())
    return error;
  ElfImage::Section meta;
  if (!elf.find(".vortex.meta", meta))
    return "no section .vortex.meta";
  ArtifactChecksums sums = artifactChecksums(elf);
  char *text = static_cast<char *>(image) + meta.offset;
  bool sealed = false;
  const struct {
    const char *key;
    uint32_t value;
  } fields[] = {{"\"crc32\":\"", sums.code}, {"\"link_crc32\":\"", sums.link}};
  for (const auto &field : fields) {
    size_t length = std::strlen(field.key);
    for (uint64_t i = 0; i + length + 9 <= meta.size; ++i) {
      if (std::memcmp(text + i, field.key, length) != 0)
        continue;
      for (int d = 0; d < 8; ++d)
        text[i + length + d] =
            "0123456789abcdef"[(field.value >> (28 - 4 * d)) & 15];
      sealed |= &field == fields;
      break;
    }
  }
  return sealed ? nullptr : "the metadata has no field \"crc32\":\"00000000\"";
}

} // namespace runtime
} // namespace vortex

#endif // VORTEX_RUNTIME_CHECKSUM_H
