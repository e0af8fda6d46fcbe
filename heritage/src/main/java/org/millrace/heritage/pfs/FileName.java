package org.millrace.heritage.pfs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a name means to {@code open}.
 *
 * @param path of the cluster, or of this host
 * @param isShared whether all clients share it; else it is an ordinary file of this process's host
 */
record FileName(String path, boolean isShared) {

  private static final Pattern HASHES = Pattern.compile("#{3,}");
  private static final int MAX_NAME_BYTES = 255;
  private static final int MAX_PATH_BYTES = 4096;

  /** A name as {@code open} reads it. */
  static FileName ofOpen(String name, int number) throws PfsException {
    checkThere(name);
    Matcher hashes = HASHES.matcher(name);
    if (hashes.find()) {
      return new FileName(
          checked(hashes.replaceAll(String.format(Locale.ROOT, "%03d", number))), false);
    }
    return name.contains("pfs") ? ofShared(name) : new FileName(checked(name), false);
  }

  /** A name as {@code gopen} reads it. */
  static FileName ofShared(String name) throws PfsException {
    checkThere(name);
    return new FileName(fromRoot(checked(name)), true);
  }

  /**
   * Names of shared files are looked up from the root: the cluster has no working directories.
   * Slashes in a row are one, {@code .} is where one is, {@code ..} one up.
   */
  static String fromRoot(String name) {
    List<String> parts = new ArrayList<>();
    for (String part : name.split("/", -1)) {
      if (part.equals("..")) {
        if (!parts.isEmpty()) {
          parts.removeLast();
        }
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return String.join("/", parts);
  }

  private static void checkThere(String name) throws PfsException {
    if (name == null) {
      throw new PfsException(Epfsl.EPFSLINVAL, "no name");
    }
  }

  private static String checked(String name) throws PfsException {
    int longest = 0;
    for (String part : name.split("/", -1)) {
      longest = Math.max(longest, bytes(part));
    }
    if (longest > MAX_NAME_BYTES || bytes(name) > MAX_PATH_BYTES) {
      throw new PfsException(
          Epfsl.ENAMETOOLONG,
          "a path of %s bytes with a name of %s; at most %s and %s"
              .formatted(bytes(name), longest, MAX_PATH_BYTES, MAX_NAME_BYTES));
    }
    return name;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
