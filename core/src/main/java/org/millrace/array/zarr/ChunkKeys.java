package org.millrace.array.zarr;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * How the keys of chunks are made: {@code c/0/1}, or {@code 0.1} as version 2 of Zarr had it.
 * Immutable.
 *
 * @param encoding {@code default} or {@code v2}
 * @param separator {@code /} or {@code .}
 */
public record ChunkKeys(String encoding, String separator) {

  /** The usual one: {@code c/0/1}. */
  public static final ChunkKeys DEFAULT = new ChunkKeys("default", "/");

  /** Refuses others than those. */
  public ChunkKeys {
    if (!encoding.equals("default") && !encoding.equals("v2")) {
      throw new IllegalArgumentException(
          "chunk key encoding \"" + encoding + "\" is neither \"default\" nor \"v2\"");
    }
    if (!separator.equals("/") && !separator.equals(".")) {
      throw new IllegalArgumentException(
          "chunk key separator \"" + separator + "\" is neither \"/\" nor \".\"");
    }
  }

  static ChunkKeys of(Extension extension) {
    Fields fields = extension.fields();
    boolean isDefault = extension.name().equals("default");
    String separator =
        fields.find("separator").isPresent() ? fields.string("separator") : isDefault ? "/" : ".";
    fields.checkRest();
    return new ChunkKeys(extension.name(), separator);
  }

  Json json() {
    return new Extension(encoding).with("separator", new Json.Str(separator)).json();
  }

  /**
   * The key of a chunk.
   *
   * @param chunk its place in the grid; none for an array without dimensions
   */
  public String key(long... chunk) {
    String numbers =
        Arrays.stream(chunk).mapToObj(Long::toString).collect(Collectors.joining(separator));
    if (encoding.equals("v2")) {
      return numbers.isEmpty() ? "0" : numbers;
    }
    return numbers.isEmpty() ? "c" : "c" + separator + numbers;
  }
}
