package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The file that says which part of which cluster a directory is.
 *
 * <pre>
 * file "identity", UTF-8, one line each:
 *   millrace 1                      what it is, version of this format
 *   cluster 6f1c...                 the same in all directories of a cluster
 *   node 3   |   coordinator of 4   which part this is; the coordinator says how many nodes there are
 *   places hher-                    the coordinator's only, see {@link StoredPlaces}; may be missing
 * </pre>
 *
 * @param cluster which cluster
 * @param role "node 3" or "coordinator of 4"
 * @param places where the nodes' directories are; empty if nothing is said
 */
record IdentityFile(String cluster, String role, String places) {

  static final String NAME = "identity";

  private static final String FORMAT = "millrace 1";
  private static final int MAX_BYTES = 1 << 20;

  static IdentityFile ofNode(String cluster, int number) {
    return new IdentityFile(cluster, "node " + number, "");
  }

  static IdentityFile ofCoordinator(String cluster, String places) {
    return new IdentityFile(cluster, "coordinator of " + places.length(), places);
  }

  static IdentityFile read(Disk disk) throws IOException {
    try (DiskFile file = disk.open(NAME)) {
      MemorySegment bytes = MemorySegment.ofArray(new byte[(int) Math.min(MAX_BYTES, file.size())]);
      file.read(0, bytes);
      String text = new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
      List<String> lines = text.lines().toList();
      boolean placed = lines.size() == 4 && lines.get(3).matches("places [her-]+");
      if (!(placed || lines.size() == 3)
          || !lines.get(1).startsWith("cluster ")
          || !lines.get(0).equals(FORMAT)) {
        throw new MillraceException(
            ErrorCode.NODE, disk.name() + ": file " + NAME + " is not of the form " + FORMAT);
      }
      return new IdentityFile(
          lines.get(1).substring("cluster ".length()),
          lines.get(2),
          placed ? lines.get(3).substring("places ".length()) : "");
    }
  }

  /** Says it, durably: a reader sees this or what was there before. */
  void write(Disk disk) throws IOException {
    String last = places.isEmpty() ? "" : "places " + places + "\n";
    String text = FORMAT + "\ncluster " + cluster + "\n" + role + "\n" + last;
    disk.delete(NAME + ".new");
    try (DiskFile file = disk.create(NAME + ".new")) {
      file.write(0, MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
      file.force();
    }
    disk.rename(NAME + ".new", NAME);
    disk.force();
  }
}
