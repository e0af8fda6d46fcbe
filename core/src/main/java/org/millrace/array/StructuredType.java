package org.millrace.array;

/**
 * Parses the {@code descr} of elements, including structured ones, and computes their size.
 * Millrace does not interpret the fields: it moves such elements unchanged.
 *
 * <pre>
 *   type  = string | "[" { field "," } "]"
 *   field = "(" name "," type [ "," tuple ] ")"       the tuple: the field is an array of this shape
 *   name  = string | "(" string "," string ")"        a title and a name
 * </pre>
 *
 * Stateless.
 */
final class StructuredType {

  /** Types within types: more than this is an attack, not a type. */
  private static final int MAX_DEPTH = 32;

  private StructuredType() {}

  /** Reads one type. */
  static ElementType read(PythonReader in) {
    int start = in.mark();
    if (!in.isAt('[')) {
      return simple(in);
    }
    int bytes = fields(in, 1);
    return new ElementType(ElementType.Kind.OPAQUE, bytes, in.since(start));
  }

  private static ElementType simple(PythonReader in) {
    int start = in.mark();
    String descr = in.string();
    try {
      return ElementType.parse(descr);
    } catch (IllegalArgumentException e) {
      in.backTo(start);
      throw in.wrong(String.valueOf(e.getMessage()));
    }
  }

  /** The bytes of all fields together. */
  private static int fields(PythonReader in, int depth) {
    int start = in.mark();
    if (depth > MAX_DEPTH) {
      throw in.wrong("types within types, " + MAX_DEPTH + " deep are possible");
    }
    in.expect('[');
    long bytes = 0;
    boolean comma = true;
    while (!in.tryTake(']')) {
      if (!comma) {
        throw in.wrong("neither ',' nor ']'");
      }
      bytes = checked(in, start, bytes + field(in, depth));
      comma = in.tryTake(',');
    }
    if (bytes == 0) {
      in.backTo(start);
      throw in.wrong("elements without bytes");
    }
    return (int) bytes;
  }

  private static long field(PythonReader in, int depth) {
    in.expect('(');
    if (in.tryTake('(')) {
      in.string();
      in.expect(',');
      in.string();
      in.expect(')');
    } else {
      in.string();
    }
    in.expect(',');
    int start = in.mark();
    long bytes = in.isAt('[') ? fields(in, depth + 1) : simple(in).bytes();
    if (in.tryTake(',') && !in.isAt(')')) {
      for (long dimension : in.tuple()) {
        bytes = dimension > Integer.MAX_VALUE ? Long.MAX_VALUE : bytes * dimension;
        checked(in, start, bytes);
      }
      in.tryTake(',');
    }
    in.expect(')');
    return bytes;
  }

  private static long checked(PythonReader in, int start, long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      in.backTo(start);
      throw in.wrong("elements of more than 2^31-1 bytes");
    }
    return bytes;
  }
}
