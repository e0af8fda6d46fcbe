package org.millrace.sim.rot;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * One thing that a bad disk, or somebody with a backup, does to the files of a cluster.
 *
 * @param kind what
 * @param where to which file or disk, for people
 * @param result the files afterwards
 */
record Mutation(Kind kind, String where, Image result) {

  /** What can happen. */
  enum Kind {
    FLIPPED_BIT,
    ZEROED_SECTOR,
    ZEROED_PAGE,
    SWAPPED_SECTORS,
    OLDER_FILE,
    OLDER_STRAND,
    OLDER_DISK,
    TRUNCATION,
    DELETED_FILE;

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private static final int SECTOR = 512;
  private static final int PAGE = 4096;

  /**
   * A mutation that changes something, drawn by {@code random}; {@code older} are earlier images.
   */
  static Mutation draw(RandomGenerator random, Image now, List<Image> older) {
    while (true) {
      Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
      int disk = random.nextInt(now.disks().size());
      List<String> names = List.copyOf(now.disks().get(disk).keySet());
      String name = names.get(random.nextInt(names.size()));
      Mutation drawn = of(kind, random, now, older, disk, name);
      if (!isSame(now, drawn.result, disk)) {
        return drawn;
      }
    }
  }

  private static boolean isSame(Image a, Image b, int disk) {
    Map<String, byte[]> left = a.disks().get(disk);
    Map<String, byte[]> right = b.disks().get(disk);
    return left.keySet().equals(right.keySet())
        && left.keySet().stream().allMatch(name -> Arrays.equals(left.get(name), right.get(name)));
  }

  private static Mutation of(
      Kind kind, RandomGenerator random, Image now, List<Image> older, int disk, String name) {
    String where = (disk == 0 ? "coordinator/" : "node-" + (disk - 1) + "/") + name;
    byte[] bytes = requireNonNull(now.disks().get(disk).get(name)).clone();
    Image past = older.get(random.nextInt(older.size()));
    return switch (kind) {
      case FLIPPED_BIT -> {
        if (bytes.length > 0) {
          int bit = random.nextInt(8 * bytes.length);
          bytes[bit / 8] ^= (byte) (1 << bit % 8);
          where += " bit " + bit;
        }
        yield new Mutation(kind, where, now.with(disk, name, bytes));
      }
      case ZEROED_SECTOR, ZEROED_PAGE -> {
        int unit = kind == Kind.ZEROED_SECTOR ? SECTOR : PAGE;
        int from = unit * random.nextInt(Math.ceilDiv(bytes.length, unit) + 1);
        Arrays.fill(
            bytes, Math.min(from, bytes.length), Math.min(from + unit, bytes.length), (byte) 0);
        yield new Mutation(kind, where + " at " + from, now.with(disk, name, bytes));
      }
      case SWAPPED_SECTORS -> {
        int sectors = bytes.length / SECTOR;
        if (sectors > 1) {
          int a = SECTOR * random.nextInt(sectors);
          int b = SECTOR * random.nextInt(sectors);
          byte[] kept = Arrays.copyOfRange(bytes, a, a + SECTOR);
          System.arraycopy(bytes, b, bytes, a, SECTOR);
          System.arraycopy(kept, 0, bytes, b, SECTOR);
          where += " at " + a + " and " + b;
        }
        yield new Mutation(kind, where, now.with(disk, name, bytes));
      }
      case OLDER_FILE -> {
        byte[] before = past.disks().get(disk).get(name);
        yield new Mutation(kind, where, before == null ? now : now.with(disk, name, before));
      }
      case OLDER_STRAND -> {
        Image result = now;
        for (String file : sameStrand(now, disk, name)) {
          byte[] before = past.disks().get(disk).get(file);
          result = before == null ? result : result.with(disk, file, before);
        }
        yield new Mutation(kind, where, result);
      }
      case OLDER_DISK -> {
        String whole = disk == 0 ? "coordinator/" : "node-" + (disk - 1) + "/";
        yield new Mutation(kind, whole, now.withDisk(disk, past));
      }
      case TRUNCATION -> {
        int length = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        length = random.nextBoolean() ? length - length % SECTOR : length;
        yield new Mutation(
            kind, where + " to " + length, now.with(disk, name, Arrays.copyOf(bytes, length)));
      }
      case DELETED_FILE -> new Mutation(kind, where, now.with(disk, name, null));
    };
  }

  /** The files of the strand to which a file belongs; that file alone if it is no strand's. */
  private static List<String> sameStrand(Image now, int disk, String name) {
    String stem = name.contains("-") ? name.substring(0, name.lastIndexOf('.') + 1) : name;
    List<String> found = new ArrayList<>();
    for (String file : now.disks().get(disk).keySet()) {
      if (file.equals(name) || (name.contains("-") && file.startsWith(stem))) {
        found.add(file);
      }
    }
    return found;
  }

  /** Which kind of file it struck, for the count. */
  String target() {
    String file = where.substring(where.indexOf('/') + 1);
    file = file.contains(" ") ? file.substring(0, file.indexOf(' ')) : file;
    if (file.isEmpty()) {
      return where.startsWith("c") ? "coordinator" : "node";
    }
    return file.contains("-") && file.contains(".")
        ? kind == Kind.OLDER_STRAND ? "strand" : file.substring(file.lastIndexOf('.'))
        : file;
  }
}
