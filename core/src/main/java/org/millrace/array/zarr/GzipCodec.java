package org.millrace.array.zarr;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The codec {@code gzip}. Immutable.
 *
 * @param level of compression, 0 to 9
 */
record GzipCodec(int level) implements ByteCodec {

  static GzipCodec of(Extension codec) {
    Fields fields = codec.fields();
    long level = fields.number("level");
    fields.checkRest();
    if (level < 0 || level > 9) {
      throw fields.wrong("level", "from 0 to 9", new Json.Num(level));
    }
    return new GzipCodec((int) level);
  }

  private static final class Output extends GZIPOutputStream {
    Output(ByteArrayOutputStream out, int level) throws IOException {
      super(out);
      def.setLevel(level == 0 ? Deflater.NO_COMPRESSION : level);
    }
  }

  @Override
  public byte[] encode(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new Output(out, level)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  @Override
  public byte[] decode(byte[] stored, int most) throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(stored))) {
      byte[] bytes = in.readNBytes(most);
      if (in.read() >= 0) {
        throw new MillraceException(
            ErrorCode.CORRUPT, "gzip: more than the %s bytes that there can be".formatted(most));
      }
      return bytes;
    } catch (java.io.EOFException | java.util.zip.ZipException e) {
      throw new MillraceException(ErrorCode.CORRUPT, "gzip: " + e.getMessage(), e);
    }
  }
}
