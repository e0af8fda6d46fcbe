package org.millrace.array;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Shape;

/**
 * A strict reader of the dict in the header of a {@code .npy} file.
 *
 * <pre>
 *   dict  = "{" [ entry { "," entry } [ "," ] ] "}" spaces
 *   entry = "'descr'" ":" type | "'fortran_order'" ":" ("True" | "False") | "'shape'" ":" tuple
 * </pre>
 *
 * Each key comes exactly once; {@link StructuredType} has the grammar of types. Belongs to one
 * thread, for one header.
 */
final class NpyDict {

  // owned by the thread that reads
  private final PythonReader in;
  private @Nullable ElementType type;
  private @Nullable Boolean fortranOrder;
  private @Nullable List<Long> dims;

  /**
   * @param text the header without its prefix
   * @param base at which byte of the file it begins
   */
  NpyDict(String text, int base) {
    this.in = new PythonReader(text, base);
  }

  NpyHeader header(int headerBytes) {
    in.expect('{');
    while (!in.tryTake('}')) {
      entry();
      if (!in.tryTake(',')) {
        in.expect('}');
        break;
      }
    }
    if (!in.isAtEnd()) {
      throw in.wrong("something behind the dict");
    }
    ElementType foundType = require("descr", type);
    boolean foundOrder = require("fortran_order", fortranOrder);
    List<Long> foundDims = require("shape", dims);
    Shape shape = NpyHeader.shape(foundDims, foundOrder);
    NpyHeader header = new NpyHeader(shape, foundType, headerBytes);
    header.fileBytes(); // fits in a long
    return header;
  }

  private <T> T require(String key, @Nullable T value) {
    if (value == null) {
      throw in.wrong("the key '" + key + "' is missing");
    }
    return value;
  }

  private void entry() {
    String key = in.string();
    in.expect(':');
    switch (key) {
      case "descr" -> {
        checkFirst(key, type);
        type = StructuredType.read(in);
      }
      case "fortran_order" -> {
        checkFirst(key, fortranOrder);
        fortranOrder = truth();
      }
      case "shape" -> {
        checkFirst(key, dims);
        dims = in.tuple();
      }
      default -> throw in.wrong("the key '" + key + "' is unknown");
    }
  }

  private void checkFirst(String key, @Nullable Object before) {
    if (before != null) {
      throw in.wrong("the key '" + key + "' comes twice");
    }
  }

  private boolean truth() {
    if (in.tryTake("True")) {
      return true;
    }
    if (in.tryTake("False")) {
      return false;
    }
    throw in.wrong("neither True nor False");
  }
}
