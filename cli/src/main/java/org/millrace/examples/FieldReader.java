package org.millrace.examples;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.View;
import org.millrace.access.copy.Crc32cJoin;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * One rank that reads what all have written: the field from begin to end, and of some snapshots as
 * many cells as a small picture shows. Belongs to the rank's thread.
 */
final class FieldReader {

  private static final int PICTURE_SIDE = 1120;
  private static final int SNAPSHOT_SIDE = 120;
  private static final int SNAPSHOTS = 4;
  private static final int BYTES_AT_ONCE = 1 << 20;

  // constant after construction
  private final Rank rank;
  private final HeatPlan plan;

  /** A reader for a rank that is alone in its group. */
  FieldReader(Rank rank, HeatPlan plan) {
    this.rank = rank;
    this.plan = plan;
  }

  HeatResult.Done read() throws IOException {
    int n = plan.size();
    Raster raster = new Raster(n, PICTURE_SIDE);
    CRC32C crc = new CRC32C();
    double maximum = Double.NEGATIVE_INFINITY;
    double sum = 0;
    int rowsAtOnce = Math.clamp(BYTES_AT_ONCE / Double.BYTES / n, 1, n);
    double[] rows = new double[rowsAtOnce * n];
    try (SharedFile file = rank.open(HeatRank.FIELD, OpenOptions.read())) {
      for (int first = 0; first < n; first += rowsAtOnce) {
        int count = Math.min(rowsAtOnce, n - first);
        MemorySegment into = segment(rows, count * n);
        file.at((long) first * n * Double.BYTES).read(into);
        Crc32cJoin.update(crc, into);
        for (int i = 0; i < count * n; i++) {
          maximum = Math.max(maximum, rows[i]);
          sum += rows[i];
        }
        for (int row = 0; row < count; row++) {
          raster.add(first + row, rows, row * n);
        }
      }
    }
    double mean = sum / n / n;
    return new HeatResult.Done(plan, maximum, mean, (int) crc.getValue(), raster, snapshots());
  }

  /** Some of the snapshots, evenly chosen, the last left out: it is the field, or nearly. */
  private List<HeatResult.Snapshot> snapshots() throws IOException {
    List<HeatResult.Snapshot> chosen = new ArrayList<>();
    int last = plan.snapshots() - 1;
    try (SharedFile file = rank.open(HeatRank.SNAPSHOTS, OpenOptions.read())) {
      for (int i = 0; i < Math.min(SNAPSHOTS, last); i++) {
        int number = (int) ((long) i * last / Math.min(SNAPSHOTS, last));
        chosen.add(new HeatResult.Snapshot(number * plan.every(), snapshot(file, number)));
      }
    }
    return chosen;
  }

  /** Every so many rows and columns of a snapshot, in one read through a view of just these. */
  private Raster snapshot(SharedFile file, int number) throws IOException {
    int n = plan.size();
    Range some = new Range(0, n - 1, Math.ceilDiv(n, SNAPSHOT_SIDE));
    Section section = Section.of(some, some);
    long start = number * plan.fieldBytes();
    file.setView(
        new View(start, section.in(Shape.rowMajor(n, n), Double.BYTES), plan.fieldBytes()));
    int side = (int) some.count();
    double[] cells = new double[side * side];
    file.at(0).read(segment(cells, cells.length));
    Raster raster = new Raster(side, side);
    for (int row = 0; row < side; row++) {
      raster.add(row, cells, row * side);
    }
    return raster;
  }

  private static MemorySegment segment(double[] values, int count) {
    return MemorySegment.ofArray(values).asSlice(0, (long) count * Double.BYTES);
  }
}
