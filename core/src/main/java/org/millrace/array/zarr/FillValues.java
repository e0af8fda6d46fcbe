package org.millrace.array.zarr;

import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.List;
import org.millrace.array.ElementType;
import org.millrace.array.ElementType.Kind;

/**
 * Fill values as {@code zarr.json} writes them, and as the bytes of an element: numbers, {@code
 * "NaN"}, {@code "Infinity"}, {@code "-Infinity"}, the bits of a floating-point number as {@code
 * "0x7fc00000"}, pairs for complex numbers, lists of bytes for raw elements. Stateless.
 */
final class FillValues {

  private FillValues() {}

  /** Zero, or false. */
  static Json zero(ElementType type) {
    return switch (type.kind()) {
      case BOOL -> Json.Bool.FALSE;
      case INT, UINT -> new Json.Num(0);
      case FLOAT -> new Json.Num("0.0");
      case COMPLEX -> new Json.Arr(List.of(new Json.Num("0.0"), new Json.Num("0.0")));
      case RAW, OPAQUE -> Json.numbers(java.util.Collections.nCopies(type.bytes(), 0L));
    };
  }

  /**
   * The bytes of an element with this value.
   *
   * @throws IllegalArgumentException if the type has no such value
   */
  static byte[] bytes(ElementType type, Json value) {
    byte[] bytes = new byte[type.bytes()];
    switch (type.kind()) {
      case BOOL -> {
        if (!(value instanceof Json.Bool truth)) {
          throw wrong(type, value);
        }
        bytes[0] = (byte) (truth == Json.Bool.TRUE ? 1 : 0);
      }
      case INT, UINT -> put(bytes, 0, type, whole(type, value));
      case FLOAT -> put(bytes, 0, type, floatBits(type, value));
      case COMPLEX -> {
        List<Json> parts = list(type, value, 2);
        for (int i = 0; i < 2; i++) {
          put(bytes, i * type.wordBytes(), type, floatBits(type, parts.get(i)));
        }
      }
      case RAW, OPAQUE -> {
        List<Json> parts = list(type, value, type.bytes());
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = whole(ElementType.UINT8, parts.get(i)).byteValue();
        }
      }
    }
    return bytes;
  }

  private static List<Json> list(ElementType type, Json value, int length) {
    if (value instanceof Json.Arr list && list.elements().size() == length) {
      return list.elements();
    }
    throw wrong(type, value);
  }

  private static BigInteger whole(ElementType type, Json value) {
    if (!(value instanceof Json.Num number) || !number.text().matches("-?[0-9]{1,20}")) {
      throw wrong(type, value);
    }
    BigInteger found = new BigInteger(number.text());
    int bits = 8 * type.bytes();
    boolean fits =
        type.kind() == Kind.INT
            ? found.bitLength() < bits
            : found.signum() >= 0 && found.bitLength() <= bits;
    if (!fits) {
      throw wrong(type, value);
    }
    return found;
  }

  private static BigInteger floatBits(ElementType type, Json value) {
    int bytes = type.wordBytes();
    return switch (value) {
      case Json.Num number -> bits(bytes, number.text());
      case Json.Str(String text) when text.equals("NaN") -> bits(bytes, "NaN");
      case Json.Str(String text) when text.equals("Infinity") -> bits(bytes, "Infinity");
      case Json.Str(String text) when text.equals("-Infinity") -> bits(bytes, "-Infinity");
      case Json.Str(String text) when text.matches("0x[0-9a-fA-F]{" + 2 * bytes + "}") ->
          new BigInteger(text.substring(2), 16);
      default -> throw wrong(type, value);
    };
  }

  private static BigInteger bits(int bytes, String text) {
    return BigInteger.valueOf(
        switch (bytes) {
          case 2 -> Float.floatToFloat16(Float.parseFloat(text));
          case 4 -> Float.floatToIntBits(Float.parseFloat(text));
          default -> Double.doubleToLongBits(Double.parseDouble(text));
        });
  }

  /** Writes the lowest bytes of a number in the order of the type. */
  private static void put(byte[] bytes, int at, ElementType type, BigInteger value) {
    int n = type.wordBytes();
    long low = value.longValue();
    for (int i = 0; i < n; i++) {
      int place = type.order() == ByteOrder.LITTLE_ENDIAN ? i : n - 1 - i;
      bytes[at + place] = (byte) (low >>> (8 * i));
    }
  }

  private static IllegalArgumentException wrong(ElementType type, Json value) {
    return new IllegalArgumentException(
        "fill value %s is none of data type %s".formatted(value, DataTypes.name(type)));
  }
}
