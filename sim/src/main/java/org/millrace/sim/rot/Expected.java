package org.millrace.sim.rot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a cluster must hold: names with their mode bits, and bytes. Bytes that were written and not
 * flushed may be as before or as written. Owned by the thread that makes history.
 */
final class Expected {

  /** A file as it is acknowledged, and as it was with each write since. */
  static final class File {
    byte[] durable = new byte[0];
    List<byte[]> since = new ArrayList<>();

    /** Bytes that were written since. */
    final BitSet touched = new BitSet();

    /** How long it may be. */
    boolean isLength(long size) {
      return size == durable.length || since.stream().anyMatch(one -> one.length == size);
    }

    boolean isRight(int at, byte found) {
      if (found == (at < durable.length ? durable[at] : 0)) {
        return true;
      }
      for (byte[] one : since) {
        if (at < one.length && found == one[at]) {
          return true;
        }
      }
      return false;
    }
  }

  private final Map<String, File> files = new TreeMap<>();
  private final Map<String, Integer> modes = new TreeMap<>();
  private final Set<String> directories = new LinkedHashSet<>();

  void directory(String path) {
    directories.add(path);
  }

  void mode(String path, int bits) {
    modes.put(path, bits);
  }

  File file(String path) {
    return files.computeIfAbsent(path, _ -> new File());
  }

  void rename(String from, String to) {
    File moved = files.remove(from);
    if (moved != null) {
      files.put(to, moved);
    }
    Integer bits = modes.remove(from);
    if (bits != null) {
      modes.put(to, bits);
    }
  }

  void remove(String path) {
    files.remove(path);
    modes.remove(path);
  }

  /** Writes to a file; what is not durable may be lost. */
  void write(String path, int at, byte[] bytes, boolean durable) {
    File file = file(path);
    byte[] base = file.since.isEmpty() ? file.durable : file.since.getLast();
    byte[] next = Arrays.copyOf(base, Math.max(base.length, at + bytes.length));
    System.arraycopy(bytes, 0, next, at, bytes.length);
    if (durable) {
      file.durable = next;
      file.since.clear();
      file.touched.clear();
    } else {
      file.since.add(next);
      file.touched.set(at, at + bytes.length);
    }
  }

  Map<String, File> files() {
    return files;
  }

  Map<String, Integer> modes() {
    return modes;
  }

  Set<String> directories() {
    return directories;
  }

  /** As it is now, for good. */
  Expected copy() {
    Expected copy = new Expected();
    files.forEach(
        (path, file) -> {
          File same = copy.file(path);
          same.durable = file.durable;
          same.since = List.copyOf(file.since);
          same.touched.or(file.touched);
        });
    copy.modes.putAll(modes);
    copy.directories.addAll(directories);
    return copy;
  }
}
