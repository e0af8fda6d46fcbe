package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where files lie on disks, as far as the disks tell. */
class PlacementsTest {

  private static final int B = 64 << 10;

  private static void write(DiskFile file, long block) throws IOException {
    byte[] bytes = new byte[B];
    bytes[0] = (byte) (block + 1);
    file.write(block * B, MemorySegment.ofArray(bytes));
    file.force();
  }

  @Test
  void filesOfAFileSystemThatTellsLieApartAndTheirHolesNowhere(@TempDir Path folder)
      throws IOException {
    try (FileDisk disk = FileDisk.open(folder);
        DiskFile one = disk.create("one.strand");
        DiskFile two = disk.create("two.strand")) {
      for (long b : new long[] {7, 3, 0, 4}) {
        write(one, b);
        write(two, b);
      }
      List<DiskExtent> places = one.placements(0, one.size());
      assumeFalse(places.isEmpty(), "this file system does not tell where files lie");
      long at = 0;
      for (DiskExtent place : places) {
        assertThat(place.position()).isGreaterThanOrEqualTo(at);
        at = place.end();
      }
      for (long b = 0; b < 8; b++) {
        boolean written = b == 0 || b == 3 || b == 4 || b == 7;
        assertThat(bytesWithin(places, b * B, (b + 1) * B)).isEqualTo(written ? B : 0);
      }
      List<DiskExtent> both = new ArrayList<>(places);
      both.addAll(two.placements(0, two.size()));
      both.sort((a, b) -> Long.compare(a.place(), b.place()));
      for (int i = 1; i < both.size(); i++) {
        DiskExtent before = both.get(i - 1);
        assertThat(both.get(i).place()).isGreaterThanOrEqualTo(before.place() + before.length());
      }
      assertThat(one.placements(3 * B + 100, 3 * B + 200))
          .singleElement()
          .satisfies(part -> assertThat(part.length()).isEqualTo(100))
          .satisfies(part -> assertThat(part.place()).isEqualTo(placeOf(places, 3 * B + 100)));
    }
  }

  private static long bytesWithin(List<DiskExtent> places, long from, long to) {
    return places.stream()
        .mapToLong(p -> Math.max(0, Math.min(p.end(), to) - Math.max(p.position(), from)))
        .sum();
  }

  private static long placeOf(List<DiskExtent> places, long position) {
    for (DiskExtent p : places) {
      if (p.position() <= position && position < p.end()) {
        return p.place() + position - p.position();
      }
    }
    throw new AssertionError("no place at " + position);
  }

  @Test
  void memoryTellsNothing() throws IOException {
    try (MemoryDisk disk = new MemoryDisk("d");
        DiskFile file = disk.create("a")) {
      write(file, 0);
      assertThat(file.placements(0, B)).isEmpty();
    }
  }

  @Test
  void whatIsKnownIsAskedForAgainOnlyAfterNewRoom() throws IOException {
    int[] asked = new int[1];
    try (MemoryDisk disk = new MemoryDisk("d");
        DiskFile below = disk.create("a")) {
      DiskFile file =
          new Telling(below) {
            @Override
            public List<DiskExtent> placements(long from, long to) {
              asked[0]++;
              return to == from ? List.of() : List.of(new DiskExtent(from, to - from, 5));
            }
          };
      write(file, 0);
      write(file, 1);
      ExtentCache known = new ExtentCache(file);
      assertThat(known.fresh()).isNull();
      assertThat(known.query()).containsExactly(new DiskExtent(0, 2L * B, 5));
      known.onWritten(100, B + 100); // within what has a place
      known.onForced();
      assertThat(known.fresh()).isNotNull();
      assertThat(asked[0]).isEqualTo(1);
      write(file, 2);
      known.onWritten(2L * B - 1, 3L * B);
      assertThat(known.fresh()).isNull();
      assertThat(known.query()).hasSize(1);
      assertThat(known.fresh()).isNotNull();
      known.onForced(); // now it has the place that it keeps
      assertThat(known.fresh()).isNull();
      known.query();
      known.onResized();
      assertThat(known.fresh()).isNull();
    }
  }

  /** A file that passes everything on. */
  private abstract static class Telling implements DiskFile {

    private final DiskFile below;

    Telling(DiskFile below) {
      this.below = below;
    }

    @Override
    public String name() {
      return below.name();
    }

    @Override
    public long size() throws IOException {
      return below.size();
    }

    @Override
    public long read(long position, MemorySegment into) throws IOException {
      return below.read(position, into);
    }

    @Override
    public long read(long position, List<MemorySegment> into) throws IOException {
      return below.read(position, into);
    }

    @Override
    public void write(long position, MemorySegment from) throws IOException {
      below.write(position, from);
    }

    @Override
    public void resize(long size) throws IOException {
      below.resize(size);
    }

    @Override
    public void preallocate(long size) throws IOException {
      below.preallocate(size);
    }

    @Override
    public void force() throws IOException {
      below.force();
    }

    @Override
    public void close() throws IOException {
      below.close();
    }
  }
}
