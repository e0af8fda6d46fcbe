package org.millrace.array.zarr;

import java.io.IOException;

/**
 * A codec of Zarr from bytes to bytes: a compression or a checksum. Codecs that need a library are
 * in modules of their own and are found as services of type {@link Provider}.
 *
 * <p>Safe for use by several threads.
 */
public interface ByteCodec {

  /** What is stored for these bytes. */
  byte[] encode(byte[] bytes) throws IOException;

  /**
   * The bytes for which something was stored.
   *
   * @param most so many bytes at most; more are an error, so that a damaged file cannot fill memory
   * @throws IOException if it was not stored by this codec, or is damaged
   */
  byte[] decode(byte[] stored, int most) throws IOException;

  /** Makes codecs of one name. */
  interface Provider {

    /** The name in {@code zarr.json}. */
    String name();

    /**
     * A codec.
     *
     * @throws IllegalArgumentException if the configuration is wrong
     */
    ByteCodec of(Json.Obj configuration);
  }
}
