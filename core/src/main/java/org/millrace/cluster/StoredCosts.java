package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.millrace.access.group.Reach;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.env.Env;
import org.millrace.plan.collective.Costs;

/**
 * The costs of a cluster, measured once and stored with the coordinator, so that the same request
 * is planned alike each time the cluster is opened. To measure again, remove the file; to use other
 * costs, edit it.
 *
 * <pre>
 * file "costs", UTF-8:
 *   costs 1                                            what it is, version of this format
 *   cores, message, meeting, copy/byte, run, get, seek, disk/byte, misses   one number a line
 * </pre>
 */
public final class StoredCosts {

  private static final String NAME = "costs";
  private static final String FORMAT = "costs 1";
  private static final int NUMBERS = 9;

  private StoredCosts() {}

  /** What is stored, or what is measured now; the defaults if the disk gives neither. */
  public static Costs of(Env env, Disk coordinator, Disk node) {
    try {
      if (coordinator.exists(NAME)) {
        List<String> lines = read(coordinator);
        if (!lines.isEmpty()) {
          return parse(lines);
        }
        coordinator.delete(NAME); // the first measuring was killed
      }
      Costs costs = new CostProbe(env).measure(node);
      write(coordinator, costs);
      return costs;
    } catch (IOException | IllegalArgumentException e) {
      return Costs.DEFAULT; // a strategy chosen less well is no reason to refuse a cluster
    }
  }

  /** As a setting that a coordinator hands out. */
  public static Map<String, String> asSettings(Costs costs) {
    return Map.of(NAME, text(costs));
  }

  /** What a coordinator handed out; the defaults if it did not. */
  public static Costs in(Map<String, String> settings) {
    try {
      return parse(settings.getOrDefault(NAME, "").lines().toList());
    } catch (IllegalArgumentException e) {
      return Costs.DEFAULT; // the same on every rank that has the same settings
    }
  }

  private static List<String> read(Disk disk) throws IOException {
    try (DiskFile file = disk.open(NAME)) {
      MemorySegment bytes = MemorySegment.ofArray(new byte[(int) Math.min(4096, file.size())]);
      file.read(0, bytes);
      return new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)
          .lines()
          .toList();
    }
  }

  private static void write(Disk disk, Costs costs) throws IOException {
    try (DiskFile file = disk.create(NAME)) {
      file.write(0, MemorySegment.ofArray(text(costs).getBytes(StandardCharsets.UTF_8)));
      file.force();
    }
    disk.force();
  }

  static String text(Costs c) {
    return String.format(
        Locale.ROOT,
        "%s%n%s%n%s%n%s%n%s%n%s%n%s%n%s%n%s%n%s%n",
        FORMAT,
        c.cores(),
        c.messageNanos(),
        c.meetingNanos(),
        c.copyNanosPerByte(),
        c.runNanos(),
        c.getNanos(),
        c.seekNanos(),
        c.diskNanosPerByte(),
        c.missFraction());
  }

  static Costs parse(List<String> lines) {
    if (lines.size() != NUMBERS + 1 || !lines.getFirst().equals(FORMAT)) {
      throw new IllegalArgumentException("not of the form " + FORMAT);
    }
    double[] n =
        lines.stream().skip(2).mapToDouble(line -> Double.parseDouble(line.trim())).toArray();
    int cores = Integer.parseInt(lines.get(1).trim());
    return new Costs(cores, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], Reach.MESSAGES);
  }
}
