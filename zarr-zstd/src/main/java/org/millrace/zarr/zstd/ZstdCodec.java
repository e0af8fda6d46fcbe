package org.millrace.zarr.zstd;

import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.util.Arrays;
import org.millrace.array.zarr.ByteCodec;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Compression by Zstandard. The library's own objects are made for each call: they are not for
 * several threads. Immutable.
 */
record ZstdCodec() implements ByteCodec {

  @Override
  public byte[] encode(byte[] bytes) {
    ZstdCompressor compressor = new ZstdCompressor();
    byte[] stored = new byte[compressor.maxCompressedLength(bytes.length)];
    int length = compressor.compress(bytes, 0, bytes.length, stored, 0, stored.length);
    return Arrays.copyOf(stored, length);
  }

  @Override
  public byte[] decode(byte[] stored, int most) throws MillraceException {
    byte[] bytes = new byte[most];
    try {
      int length = new ZstdDecompressor().decompress(stored, 0, stored.length, bytes, 0, most);
      return Arrays.copyOf(bytes, length);
    } catch (MalformedInputException | IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.CORRUPT,
          "zstd: %s, or more than the %s bytes that there can be".formatted(e.getMessage(), most),
          e);
    }
  }
}
