package org.millrace.array;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteOrder;
import java.util.Objects;

/**
 * What an array is an array of: elements of a fixed size, as the {@code descr} of a {@code .npy}
 * file says it. Elements of one byte and raw ones have no byte order; theirs is always this
 * machine's. Immutable.
 *
 * @param kind what the bytes mean
 * @param bytes how many they are
 * @param order the order of the bytes of a number in the file
 */
public record ElementType(Kind kind, int bytes, ByteOrder order) {

  /** What the bytes of an element mean. */
  public enum Kind {
    /** One byte, 0 or 1. */
    BOOL('b'),
    /** A signed whole number. */
    INT('i'),
    /** A whole number without sign. */
    UINT('u'),
    /** A floating-point number. */
    FLOAT('f'),
    /** Two floating-point numbers. */
    COMPLEX('c'),
    /** Bytes that mean nothing here. */
    RAW('V');

    private final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    private boolean has(int bytes) {
      return switch (this) {
        case BOOL -> bytes == 1;
        case INT, UINT -> bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
        case FLOAT -> bytes == 2 || bytes == 4 || bytes == 8;
        case COMPLEX -> bytes == 8 || bytes == 16;
        case RAW -> bytes >= 1;
      };
    }
  }

  /** A byte, 0 or 1. */
  public static final ElementType BOOL = of(Kind.BOOL, 1);

  /** A signed byte. */
  public static final ElementType INT8 = of(Kind.INT, 1);

  /** A signed number of two bytes. */
  public static final ElementType INT16 = of(Kind.INT, 2);

  /** A signed number of four bytes. */
  public static final ElementType INT32 = of(Kind.INT, 4);

  /** A signed number of eight bytes. */
  public static final ElementType INT64 = of(Kind.INT, 8);

  /** A byte without sign. */
  public static final ElementType UINT8 = of(Kind.UINT, 1);

  /** A number of two bytes without sign. */
  public static final ElementType UINT16 = of(Kind.UINT, 2);

  /** A number of four bytes without sign. */
  public static final ElementType UINT32 = of(Kind.UINT, 4);

  /** A number of eight bytes without sign. */
  public static final ElementType UINT64 = of(Kind.UINT, 8);

  /** A floating-point number of four bytes. */
  public static final ElementType FLOAT32 = of(Kind.FLOAT, 4);

  /** A floating-point number of eight bytes. */
  public static final ElementType FLOAT64 = of(Kind.FLOAT, 8);

  /** Two floating-point numbers of four bytes. */
  public static final ElementType COMPLEX64 = of(Kind.COMPLEX, 8);

  /** Two floating-point numbers of eight bytes. */
  public static final ElementType COMPLEX128 = of(Kind.COMPLEX, 16);

  /** Checks that there is such a type. */
  public ElementType {
    Objects.requireNonNull(order, "order");
    if (!kind.has(bytes)) {
      throw new IllegalArgumentException(
          "there is no element type " + kind + " of " + bytes + " bytes");
    }
    if (kind == Kind.RAW || bytes == 1) {
      order = ByteOrder.nativeOrder();
    }
  }

  private static ElementType of(Kind kind, int bytes) {
    return new ElementType(kind, bytes, ByteOrder.nativeOrder());
  }

  /** Elements of any size that are moved as they are. */
  public static ElementType raw(int bytes) {
    return of(Kind.RAW, bytes);
  }

  /** The same with another order of the bytes in the file. */
  public ElementType withOrder(ByteOrder newOrder) {
    return new ElementType(kind, bytes, newOrder);
  }

  /** Bytes of one number: half of a complex element, all of any other. */
  public int wordBytes() {
    return kind == Kind.COMPLEX ? bytes / 2 : bytes;
  }

  /** Whether numbers lie in the file in the order of this machine. */
  public boolean isNative() {
    return order == ByteOrder.nativeOrder();
  }

  /** As {@code .npy} files write it: {@code <f8}, {@code |u1}, {@code |V24}. */
  public String descr() {
    char mark = kind == Kind.RAW || bytes == 1 ? '|' : order == BIG_ENDIAN ? '>' : '<';
    return "" + mark + kind.letter + bytes;
  }

  /**
   * Reads what {@link #descr} writes.
   *
   * @throws IllegalArgumentException if it is none of the types that there are
   */
  public static ElementType parse(String descr) {
    if (descr.length() < 3 || !descr.substring(2).matches("[1-9][0-9]{0,8}")) {
      throw unknown(descr);
    }
    int bytes = Integer.parseInt(descr.substring(2));
    for (Kind kind : Kind.values()) {
      if (kind.letter == descr.charAt(1) && kind.has(bytes)) {
        return new ElementType(kind, bytes, order(descr, kind == Kind.RAW || bytes == 1));
      }
    }
    throw unknown(descr);
  }

  private static ByteOrder order(String descr, boolean orderless) {
    char mark = descr.charAt(0);
    if (mark == '=' || (mark == '|' && orderless)) {
      return ByteOrder.nativeOrder();
    }
    if (mark != '<' && mark != '>') {
      throw unknown(descr);
    }
    return mark == '<' ? LITTLE_ENDIAN : BIG_ENDIAN;
  }

  private static IllegalArgumentException unknown(String descr) {
    return new IllegalArgumentException(
        "element type '"
            + descr
            + "' is none of b1, i1..i8, u1..u8, f2, f4, f8, c8, c16, V<n> with <, > or | before it");
  }

  @Override
  public String toString() {
    return descr();
  }
}
