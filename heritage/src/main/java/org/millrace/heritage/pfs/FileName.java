package org.millrace.heritage.pfs;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a name means to {@code open}.
 *
 * @param path of the cluster
 * @param isShared whether all clients share it; else it is an ordinary file of this process
 */
record FileName(String path, boolean isShared) {

  private static final Pattern HASHES = Pattern.compile("#{3,}");
  private static final int MAX_NAME_BYTES = 255;
  private static final int MAX_PATH_BYTES = 4096;

  /** A name as {@code open} reads it. */
  static FileName ofOpen(String name, int number) throws PfsException {
    Matcher hashes = HASHES.matcher(name);
    return hashes.find()
        ? new FileName(path(hashes.replaceAll("%03d".formatted(number))), false)
        : new FileName(path(name), name.contains("pfs"));
  }

  /** A name as {@code gopen} reads it. */
  static FileName ofShared(String name) throws PfsException {
    return new FileName(path(name), true);
  }

  /** Names are looked up from the root: the cluster has no working directories. */
  static String fromRoot(String name) {
    return name.replaceFirst("^/+", "");
  }

  private static String path(String name) throws PfsException {
    String path = fromRoot(name);
    int longest = 0;
    for (String part : path.split("/", -1)) {
      longest = Math.max(longest, bytes(part));
    }
    if (longest > MAX_NAME_BYTES || bytes(path) > MAX_PATH_BYTES) {
      throw new PfsException(
          Epfsl.ENAMETOOLONG,
          "a path of %d bytes with a name of %d; at most %d and %d"
              .formatted(bytes(path), longest, MAX_PATH_BYTES, MAX_NAME_BYTES));
    }
    return path;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
