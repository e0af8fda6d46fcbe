package org.millrace.heritage.mpiio;

import java.nio.ByteOrder;
import java.util.Arrays;

/** How values lie in a file. */
enum Datarep {
  /** As in memory. */
  NATIVE,
  /** As the implementation likes; here as in memory. */
  INTERNAL,
  /** Big-endian IEEE. All basic types here have the same size in it as in memory. */
  EXTERNAL32;

  static Datarep named(String name) throws MpiFileException {
    return Arrays.stream(values())
        .filter(one -> one.word().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new MpiFileException(
                    ErrorClass.UNSUPPORTED_DATAREP,
                    "data representation '%s' is none of native, internal, external32"
                        .formatted(name)));
  }

  String word() {
    return switch (this) {
      case NATIVE -> "native";
      case INTERNAL -> "internal";
      case EXTERNAL32 -> "external32";
    };
  }

  /** Whether bytes of these elements lie in the other order than in memory. */
  boolean swaps(Signature signature) {
    return this == EXTERNAL32
        && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        && !signature.isBytes();
  }
}
