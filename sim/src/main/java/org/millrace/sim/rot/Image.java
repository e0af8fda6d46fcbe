package org.millrace.sim.rot;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;

/**
 * The files of a cluster's disks at some moment: the coordinator's first, then those of the nodes.
 *
 * @param disks for each disk its files, by name; never changed
 */
record Image(List<Map<String, byte[]>> disks) {

  /** What is on the disks now. */
  static Image of(List<? extends Disk> disks) throws IOException {
    List<Map<String, byte[]>> all = new ArrayList<>();
    for (Disk disk : disks) {
      Map<String, byte[]> files = new TreeMap<>();
      for (String name : disk.list()) {
        files.put(name, read(disk, name));
      }
      all.add(files);
    }
    return new Image(all);
  }

  /** Whether all files are the same. */
  boolean isSame(Image other) {
    for (int i = 0; i < disks.size(); i++) {
      Map<String, byte[]> here = disks.get(i);
      Map<String, byte[]> there = other.disks.get(i);
      if (!here.keySet().equals(there.keySet())
          || !here.keySet().stream()
              .allMatch(name -> Arrays.equals(here.get(name), there.get(name)))) {
        return false;
      }
    }
    return true;
  }

  private static byte[] read(Disk disk, String name) throws IOException {
    try (DiskFile file = disk.open(name)) {
      byte[] bytes = new byte[(int) file.size()];
      int got = 0;
      while (got < bytes.length) {
        long more = file.read(got, MemorySegment.ofArray(bytes).asSlice(got));
        if (more <= 0) {
          throw new IOException(name + " has become shorter");
        }
        got += (int) more;
      }
      return bytes;
    }
  }

  /** Makes the disks hold these files and no others. */
  void restoreTo(List<? extends Disk> to) throws IOException {
    for (int i = 0; i < disks.size(); i++) {
      Disk disk = to.get(i);
      Map<String, byte[]> wanted = disks.get(i);
      for (String name : disk.list()) {
        if (!wanted.containsKey(name)) {
          disk.delete(name);
        }
      }
      for (Map.Entry<String, byte[]> file : wanted.entrySet()) {
        if (!disk.exists(file.getKey())
            || !Arrays.equals(read(disk, file.getKey()), file.getValue())) {
          disk.delete(file.getKey());
          try (DiskFile made = disk.create(file.getKey())) {
            made.write(0, MemorySegment.ofArray(file.getValue()));
            made.force();
          }
        }
      }
      disk.force();
    }
  }

  /** The same with one file changed; removed if {@code content} is null. */
  Image with(int disk, String name, byte @Nullable [] content) {
    List<Map<String, byte[]>> all = new ArrayList<>(disks);
    Map<String, byte[]> files = new TreeMap<>(disks.get(disk));
    if (content == null) {
      files.remove(name);
    } else {
      files.put(name, content);
    }
    all.set(disk, files);
    return new Image(all);
  }

  /** The same with one disk as in another image. */
  Image withDisk(int disk, Image other) {
    List<Map<String, byte[]>> all = new ArrayList<>(disks);
    all.set(disk, other.disks.get(disk));
    return new Image(all);
  }
}
