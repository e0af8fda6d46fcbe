package org.millrace.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.millrace.access.Order;
import org.millrace.access.Shape;

/**
 * The header of a {@code .npy} file, as NumPy's NEP 1 has it:
 *
 * <pre>
 *   0    6      7      8               10 or 12           headerBytes
 *   | \x93NUMPY | major | minor | length | dict, spaces, \n | elements ...
 *                                 2 bytes in 1.0, 4 in 2.0 and 3.0, little-endian
 * </pre>
 *
 * The dict is a literal of Python with exactly the keys {@code descr}, {@code fortran_order} and
 * {@code shape}. Written are headers of version 1.0, of 3.0 if a field's name is not ASCII, that
 * end at byte {@value #WRITTEN_BYTES}, or at twice that if they must, so that elements begin on a
 * page; read are 1.0, 2.0 and 3.0 of up to {@value #MAX_BYTES} bytes, which is where NumPy stops by
 * default. Immutable.
 *
 * @param shape of the array; an array of no dimensions has one of one element here
 * @param type of its elements
 * @param headerBytes where the elements begin
 */
record NpyHeader(Shape shape, ElementType type, int headerBytes) {

  /** How long written headers are, unless the element type has very many fields. */
  public static final int WRITTEN_BYTES = 4096;

  /** The longest dict that is read. */
  public static final int MAX_BYTES = 10_000;

  private static final int PREFIX = 10;
  private static final int LONG_PREFIX = 12;

  /** So many bytes from a file's start hold any header that is read. */
  static final int MAX_WITH_PREFIX = MAX_BYTES + LONG_PREFIX;

  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

  /**
   * The header of a new file.
   *
   * @throws IllegalArgumentException if shape and type are too long for a header
   */
  public static NpyHeader of(Shape shape, ElementType type) {
    String dict = dict(shape, type);
    int bytes = prefix(dict) + dict.getBytes(StandardCharsets.UTF_8).length + 1;
    if (bytes > 2 * WRITTEN_BYTES) {
      throw new IllegalArgumentException(
          "shape and element type take %s bytes in the header, at most %s can be written"
              .formatted(bytes, 2 * WRITTEN_BYTES));
    }
    return new NpyHeader(shape, type, bytes <= WRITTEN_BYTES ? WRITTEN_BYTES : 2 * WRITTEN_BYTES);
  }

  private static int prefix(String dict) {
    return dict.chars().allMatch(c -> c < 0x80) ? PREFIX : LONG_PREFIX;
  }

  /** How long the file is. */
  public long fileBytes() {
    long bytes = shape.bytes(type.bytes());
    if (bytes > Long.MAX_VALUE - headerBytes) {
      throw new IllegalArgumentException(
          "an array of %s bytes behind a header of %s exceeds 2^63-1"
              .formatted(bytes, headerBytes));
    }
    return headerBytes + bytes;
  }

  /** The dict, as NumPy itself would write it. */
  String dict() {
    return dict(shape, type);
  }

  private static String dict(Shape shape, ElementType type) {
    String dims = shape.dims().stream().map(String::valueOf).collect(Collectors.joining(", "));
    return "{'descr': %s, 'fortran_order': %s, 'shape': (%s%s), }"
        .formatted(
            type.literal(),
            shape.order() == Order.COLUMN_MAJOR ? "True" : "False",
            dims,
            shape.dimensions() == 1 ? "," : "");
  }

  /** The bytes of the header of a new file, {@link #headerBytes} of them. */
  public byte[] encode() {
    String dict = dict();
    int prefix = prefix(dict);
    byte[] all = new byte[headerBytes];
    Arrays.fill(all, (byte) ' ');
    ByteBuffer out = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN).put(MAGIC);
    if (prefix == PREFIX) {
      out.put((byte) 1).put((byte) 0).putShort((short) (headerBytes - prefix));
    } else {
      out.put((byte) 3).put((byte) 0).putInt(headerBytes - prefix);
    }
    out.put(dict.getBytes(StandardCharsets.UTF_8));
    all[headerBytes - 1] = '\n';
    return all;
  }

  /**
   * Reads a header.
   *
   * @param bytes the begin of the file: all of it, or at least {@value #MAX_WITH_PREFIX} bytes
   * @throws IllegalArgumentException if this is no header that can be read; says what is wrong, and
   *     at which byte
   */
  public static NpyHeader decode(byte[] bytes) {
    if (bytes.length < PREFIX || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new IllegalArgumentException("no .npy file: byte 0 does not begin with \\x93NUMPY");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int major = bytes[6];
    int minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0) {
      throw new IllegalArgumentException(
          "byte 6: version %s.%s of .npy, known are 1.0, 2.0 and 3.0".formatted(major, minor));
    }
    int at = major == 1 ? PREFIX : LONG_PREFIX;
    if (bytes.length < at) {
      throw new IllegalArgumentException("byte 8: the file ends within the header's length");
    }
    long length = major == 1 ? in.getShort(8) & 0xFFFF : in.getInt(8) & 0xFFFF_FFFFL;
    if (length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "byte 8: a header of %s bytes, at most %s are read".formatted(length, MAX_BYTES));
    }
    if (length > bytes.length - at) {
      throw new IllegalArgumentException(
          "byte 8: a header of %s bytes in a file that has %s behind it"
              .formatted(length, bytes.length - at));
    }
    var charset = major == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
    String text = new String(bytes, at, (int) length, charset);
    return new NpyDict(text, at).header(at + (int) length);
  }

  /** The shape that a tuple of a file means. */
  static Shape shape(List<Long> dims, boolean fortranOrder) {
    Order order = fortranOrder ? Order.COLUMN_MAJOR : Order.ROW_MAJOR;
    return new Shape(dims.isEmpty() ? List.of(1L) : dims, order);
  }
}
