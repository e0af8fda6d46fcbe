package org.millrace.array.zarr;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.millrace.array.ElementType;

/**
 * The codecs of Zarr by name: {@code bytes}, {@code transpose}, {@code gzip}, {@code crc32c},
 * {@code sharding_indexed}, and those found as services, such as {@code zstd}. Stateless.
 */
public final class Codecs {

  static final String BYTES = "bytes";
  static final String TRANSPOSE = "transpose";
  static final String SHARDING = "sharding_indexed";
  private static final String GZIP = "gzip";
  private static final String CRC32C = "crc32c";

  private Codecs() {}

  /** Elements as bytes, numbers in the order of the type. */
  public static Extension bytes(ElementType type) {
    Extension codec = new Extension(BYTES);
    return hasOrder(type)
        ? codec.with(
            "endian", new Json.Str(type.order() == ByteOrder.LITTLE_ENDIAN ? "little" : "big"))
        : codec;
  }

  static boolean hasOrder(ElementType type) {
    return type.kind() != ElementType.Kind.RAW && type.wordBytes() > 1;
  }

  /** Dimensions in another order: dimension i of what is stored is dimension {@code order[i]}. */
  public static Extension transpose(int... order) {
    return new Extension(TRANSPOSE)
        .with("order", Json.numbers(Arrays.stream(order).mapToObj(d -> (long) d).toList()));
  }

  /** Compression by gzip, level 0 to 9. */
  public static Extension gzip(int level) {
    return new Extension(GZIP).with("level", new Json.Num(level));
  }

  /** A checksum of four bytes. */
  public static Extension crc32c() {
    return new Extension(CRC32C);
  }

  /** Compression by Zstandard; needs the module {@code zstd}. */
  public static Extension zstd(int level) {
    return new Extension("zstd")
        .with("level", new Json.Num(level))
        .with("checksum", Json.Bool.FALSE);
  }

  /** Chunks that are shards of smaller ones, with an index and its checksum at the end. */
  public static Extension sharding(List<Long> chunk, List<Extension> codecs) {
    ElementType offset = ElementType.UINT64.withOrder(ByteOrder.LITTLE_ENDIAN);
    return new Extension(SHARDING)
        .with("chunk_shape", Json.numbers(chunk))
        .with("codecs", list(codecs))
        .with("index_codecs", list(List.of(bytes(offset), crc32c())))
        .with("index_location", new Json.Str("end"));
  }

  static Json.Arr list(List<Extension> codecs) {
    return new Json.Arr(codecs.stream().map(Extension::json).toList());
  }

  /** The order of bytes that a {@code bytes} codec gives to a type. */
  static ElementType ordered(ElementType type, Extension codec) {
    Fields fields = codec.fields();
    var endian = fields.find("endian");
    fields.checkRest();
    if (endian.isEmpty()) {
      if (hasOrder(type)) {
        throw new IllegalArgumentException(
            "codec \"bytes\" has no \"endian\", which data type "
                + DataTypes.name(type)
                + " needs");
      }
      return type;
    }
    return switch (fields.string("endian")) {
      case "little" -> type.withOrder(ByteOrder.LITTLE_ENDIAN);
      case "big" -> type.withOrder(ByteOrder.BIG_ENDIAN);
      default -> throw fields.wrong("endian", "\"little\" or \"big\"", endian.get());
    };
  }

  /** A codec from bytes to bytes. */
  static ByteCodec byteCodec(Extension codec) {
    return switch (codec.name()) {
      case GZIP -> GzipCodec.of(codec);
      case CRC32C -> Crc32cCodec.of(codec);
      default -> service(codec);
    };
  }

  private static ByteCodec service(Extension codec) {
    TreeSet<String> known = new TreeSet<>(List.of(BYTES, TRANSPOSE, SHARDING, GZIP, CRC32C));
    for (ByteCodec.Provider provider : ServiceLoader.load(ByteCodec.Provider.class)) {
      if (provider.name().equals(codec.name())) {
        return provider.of(codec.configuration());
      }
      known.add(provider.name());
    }
    String hint = codec.name().equals("zstd") ? "; zstd is in the module millrace-zarr-zstd" : "";
    throw new IllegalArgumentException(
        "codec \"%s\" is unknown here; known are %s%s".formatted(codec.name(), known, hint));
  }
}
