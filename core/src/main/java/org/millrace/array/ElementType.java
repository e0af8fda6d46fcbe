package org.millrace.array;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteOrder;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The type of an array's elements, which have a fixed size, as in the {@code descr} of a {@code
 * .npy} file. Elements of one byte, raw and opaque ones have no byte order; theirs is always this
 * machine's. Immutable.
 *
 * @param kind what the bytes mean
 * @param bytes how many they are
 * @param order the order of the bytes of a number in the file
 * @param descr as {@code .npy} files write it: {@code <f8}, {@code |u1}, {@code |V24}, {@code
 *     <M8[ns]}, {@code [('x', '<f4'), ('y', '<i2', (3,))]}
 */
public record ElementType(Kind kind, int bytes, ByteOrder order, String descr) {

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
    RAW('V'),
    /**
     * Bytes that mean something to NumPy and are moved as they are: text, dates and spans of time,
     * floating-point numbers of more than eight bytes, elements made of fields.
     */
    OPAQUE('?');

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
        case RAW, OPAQUE -> bytes >= 1;
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

  /** Text, dates, spans of time and long floating-point numbers, with the mark of their order. */
  private static final Pattern LONG_OR_TEXT =
      Pattern.compile(
          "(?<mark>[<>=|])(?:S(?<bytes>[1-9][0-9]{0,8})|U(?<letters>[1-9][0-9]{0,8})"
              + "|[Mm](?<time>8)(?:\\[[0-9]*[A-Za-z]+\\])?|f(?<real>12|16)|c(?<complex>24|32))");

  /** Checks that there is such a type. */
  public ElementType {
    Objects.requireNonNull(order, "order");
    if (!kind.has(bytes)) {
      throw new IllegalArgumentException(
          "there is no element type " + kind + " of " + bytes + " bytes");
    }
    if (isOrderless(kind, bytes)) {
      order = ByteOrder.nativeOrder();
    }
    if (kind != Kind.OPAQUE && !descr.equals(descr(kind, bytes, order))) {
      throw new IllegalArgumentException(
          "'%s' does not say %s of %s bytes".formatted(descr, kind, bytes));
    }
  }

  /** A number, or raw bytes. */
  public ElementType(Kind kind, int bytes, ByteOrder order) {
    this(kind, bytes, order, descr(kind, bytes, order));
  }

  /** What only its description tells. */
  ElementType(Kind kind, int bytes, String descr) {
    this(kind, bytes, ByteOrder.nativeOrder(), descr);
  }

  private static boolean isOrderless(Kind kind, int bytes) {
    return kind == Kind.RAW || kind == Kind.OPAQUE || bytes == 1;
  }

  private static String descr(Kind kind, int bytes, ByteOrder order) {
    if (kind == Kind.OPAQUE) {
      throw new IllegalArgumentException("an opaque element type is made by parse");
    }
    char mark = isOrderless(kind, bytes) ? '|' : order == BIG_ENDIAN ? '>' : '<';
    return "" + mark + kind.letter + bytes;
  }

  private static ElementType of(Kind kind, int bytes) {
    return new ElementType(kind, bytes, ByteOrder.nativeOrder());
  }

  /** Elements of any size that are moved as they are. */
  public static ElementType raw(int bytes) {
    return of(Kind.RAW, bytes);
  }

  /** The same with another order of the bytes in the file; what has none stays as it is. */
  public ElementType withOrder(ByteOrder newOrder) {
    return isOrderless(kind, bytes) ? this : new ElementType(kind, bytes, newOrder);
  }

  /** Bytes of one number: half of a complex element, all of any other. */
  public int wordBytes() {
    return kind == Kind.COMPLEX ? bytes / 2 : bytes;
  }

  /** Whether numbers lie in the file in the order of this machine. */
  public boolean isNative() {
    return order == ByteOrder.nativeOrder();
  }

  /** How a header writes it: a string, or a list of fields. */
  String literal() {
    return descr.startsWith("[") ? descr : "'" + descr + "'";
  }

  /**
   * Reads what {@link #descr} says.
   *
   * @throws IllegalArgumentException if it is none of the types that there are
   */
  public static ElementType parse(String descr) {
    if (descr.startsWith("[")) {
      PythonReader in = new PythonReader(descr, 0);
      ElementType found = StructuredType.read(in);
      if (!in.isAtEnd()) {
        throw unknown(descr);
      }
      return found;
    }
    if (descr.length() >= 3 && descr.substring(2).matches("[1-9][0-9]{0,8}")) {
      int bytes = Integer.parseInt(descr.substring(2));
      for (Kind kind : Kind.values()) {
        if (kind != Kind.OPAQUE && kind.letter == descr.charAt(1) && kind.has(bytes)) {
          return new ElementType(kind, bytes, order(descr, isOrderless(kind, bytes)));
        }
      }
    }
    return opaque(descr);
  }

  private static ElementType opaque(String descr) {
    Matcher found = LONG_OR_TEXT.matcher(descr);
    if (!found.matches() || (found.group("mark").equals("|") && found.group("bytes") == null)) {
      throw unknown(descr);
    }
    long bytes = 0;
    for (String group : new String[] {"bytes", "letters", "time", "real", "complex"}) {
      String digits = found.group(group);
      if (digits != null) {
        bytes = Long.parseLong(digits) * (group.equals("letters") ? 4 : 1);
      }
    }
    if (bytes > Integer.MAX_VALUE) {
      throw unknown(descr);
    }
    boolean plain = found.group("mark").equals("=");
    String marked = plain ? (isLittle() ? "<" : ">") + descr.substring(1) : descr;
    return new ElementType(Kind.OPAQUE, (int) bytes, marked);
  }

  private static boolean isLittle() {
    return ByteOrder.nativeOrder() == LITTLE_ENDIAN;
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
            + "' is none of b1, i1..i8, u1..u8, f2..f16, c8..c32, V<n>, S<n>, U<n>, M8, m8 with <, >"
            + " or | before it, nor a list of fields; Python objects have no fixed size");
  }

  @Override
  public String toString() {
    return descr;
  }
}
