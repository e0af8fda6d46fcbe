package org.millrace.cli.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.millrace.cli.terminal.Shown;
import org.millrace.client.FileNames;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;

/**
 * A name of the cluster with all that is to be told about it. Immutable.
 *
 * @param path the name with its path
 * @param entry what the coordinator knows
 * @param size a file's size; empty for a directory, and for files that the user may not open
 */
record Listing(String path, FileEntry entry, OptionalLong size) {

  /** What {@code path} names. */
  static Listing of(FileNames names, String path) throws IOException {
    FileEntry entry = names.stat(path);
    return new Listing(path, entry, size(names, path, entry));
  }

  private static OptionalLong size(FileNames names, String path, FileEntry entry)
      throws IOException {
    if (entry.isDirectory()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(names.size(path));
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NOT_PERMITTED || e.code() == ErrorCode.NODE) {
        return OptionalLong.empty(); // the rest can be told
      }
      throw e;
    }
  }

  /** The size in bytes, or in units for people. */
  String sizeShown(boolean human) {
    if (entry.isDirectory()) {
      return "-";
    }
    if (size.isEmpty()) {
      return "?";
    }
    return human ? Shown.bytes(size.getAsLong()) : Long.toString(size.getAsLong());
  }

  String mode() {
    return Shown.mode(entry.isDirectory(), entry.permissions());
  }

  /**
   * For instance "4 x 64K": strands and stripe unit; of a file with copies also how many there are,
   * and how many of all strands' are missing.
   */
  String layoutShown() {
    String copies = entry.copies() > 1 ? ", " + entry.copies() + " copies" : "";
    String missing = entry.missing() > 0 ? ", " + entry.missing() + " missing" : "";
    return entry
        .layout()
        .map(layout -> layout.strands() + " x " + Shown.bytes(layout.stripeUnitBytes()))
        .map(shown -> shown + copies + missing)
        .orElse(copies.isEmpty() ? "-" : copies.substring(2));
  }

  /** The strands: which node, how many bytes. */
  List<Map<String, Object>> strands() {
    List<Map<String, Object>> strands = new ArrayList<>();
    if (entry.layout().isPresent()) {
      Layout layout = entry.layout().get();
      for (int s = 0; s < layout.strands(); s++) {
        Map<String, Object> strand = new LinkedHashMap<>();
        strand.put("strand", s);
        strand.put("node", layout.node(s));
        if (size.isPresent()) {
          strand.put("bytes", layout.strandSize(s, size.getAsLong()));
        }
        strands.add(strand);
      }
    }
    return strands;
  }

  /** All of it, for JSON. */
  Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("path", path);
    values.put("kind", entry.isDirectory() ? "directory" : "file");
    values.put("id", entry.id());
    values.put("mode", "%04o".formatted(entry.permissions()));
    values.put("owner", entry.owner());
    values.put("group", entry.group());
    values.put("createdMillis", entry.createdMillis());
    values.put("copies", entry.copies());
    if (entry.layout().isPresent()) {
      values.put("size", size);
      values.put("missingCopies", entry.missing());
      values.put("stripeUnitBytes", entry.layout().get().stripeUnitBytes());
      values.put("blockBytes", entry.layout().get().blockBytes());
      values.put("strands", strands());
    }
    return values;
  }
}
