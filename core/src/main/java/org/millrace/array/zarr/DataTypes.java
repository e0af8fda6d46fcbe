package org.millrace.array.zarr;

import java.nio.ByteOrder;
import org.millrace.array.ElementType;
import org.millrace.array.ElementType.Kind;

/** The data types of Zarr that have a fixed size, as element types of arrays. Stateless. */
final class DataTypes {

  private DataTypes() {}

  /** What a name means, with the bytes of numbers in little-endian order. */
  static ElementType parse(String name) {
    if (name.equals("bool")) {
      return ElementType.BOOL;
    }
    for (Kind kind : new Kind[] {Kind.INT, Kind.UINT, Kind.FLOAT, Kind.COMPLEX}) {
      String prefix = prefix(kind);
      if (name.startsWith(prefix) && name.substring(prefix.length()).matches("[1-9][0-9]{0,2}")) {
        int bits = Integer.parseInt(name.substring(prefix.length()));
        try {
          if (bits % 8 == 0) {
            return new ElementType(kind, bits / 8, ByteOrder.LITTLE_ENDIAN);
          }
        } catch (IllegalArgumentException e) {
          throw unknown(name, e);
        }
      }
    }
    if (name.matches("r[1-9][0-9]{0,8}") && Integer.parseInt(name.substring(1)) % 8 == 0) {
      return ElementType.raw(Integer.parseInt(name.substring(1)) / 8);
    }
    throw unknown(name, null);
  }

  private static IllegalArgumentException unknown(
      String name, @org.jspecify.annotations.Nullable Throwable cause) {
    return new IllegalArgumentException(
        "data type \""
            + name
            + "\" is none of bool, int8 to int64, uint8 to uint64, float16 to float64, complex64,"
            + " complex128 and r<bits>, the types of a fixed size",
        cause);
  }

  private static String prefix(Kind kind) {
    return switch (kind) {
      case BOOL -> "bool";
      case INT -> "int";
      case UINT -> "uint";
      case FLOAT -> "float";
      case COMPLEX -> "complex";
      case RAW -> "r";
      case OPAQUE -> throw new IllegalArgumentException("Zarr has no type for opaque elements");
    };
  }

  /**
   * The name of a type.
   *
   * @throws IllegalArgumentException if Zarr has none
   */
  static String name(ElementType type) {
    if (type.kind() == Kind.OPAQUE) {
      throw new IllegalArgumentException(
          "Zarr has no data type for elements " + type + "; store them as r" + 8 * type.bytes());
    }
    return type.kind() == Kind.BOOL ? "bool" : prefix(type.kind()) + 8 * type.bytes();
  }
}
