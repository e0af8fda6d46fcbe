package org.millrace.sim.scale;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.millrace.access.View;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.sim.disk.LeanDisk;
import org.millrace.sim.disk.SizeOnlyFile;
import org.millrace.sim.machine.Host;

/**
 * What the file's bytes are. They change nothing in how long a run takes: no part of the file
 * system looks at them.
 *
 * <p>For threads of one seeded environment, which run one at a time.
 */
sealed interface Filling {

  /** A node's disk. */
  Disk disk(String name);

  /**
   * What a rank writes through a view.
   *
   * @param again whether it is what takes the place of the first content
   */
  MemorySegment toWrite(View view, boolean again);

  /** Memory for what a rank reads. */
  MemorySegment toRead();

  /** Says where the memory of a host comes from, before anything runs on it. */
  void equip(Host host);

  /** Checks what a rank has read through a view. */
  void check(View view, MemorySegment memory, boolean again) throws IOException;

  /**
   * Nothing but zeros, which disks need not keep, and one memory for all buffers of ranks and for
   * all caches: so thousands fit. Nothing can be checked.
   */
  final class Hollow implements Filling {

    private final MemorySegment zeros = Arena.ofAuto().allocate(Sharing.RANK_BYTES, Long.BYTES);
    private final Arena shared = new SharedZeros();

    @Override
    public Disk disk(String name) {
      return new LeanDisk(name, SizeOnlyFile::new);
    }

    @Override
    public MemorySegment toWrite(View view, boolean again) {
      return zeros;
    }

    @Override
    public MemorySegment toRead() {
      return zeros;
    }

    @Override
    public void equip(Host host) {
      host.takeMemoryFrom(() -> shared);
    }

    @Override
    public void check(View view, MemorySegment memory, boolean again) {}
  }

  /** Bytes that tell where in the file they belong, on disks that keep them. */
  final class Solid implements Filling {

    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    @Override
    public Disk disk(String name) {
      return new MemoryDisk(name);
    }

    @Override
    public MemorySegment toWrite(View view, boolean again) {
      MemorySegment memory = toRead();
      for (long position = 0; position < memory.byteSize(); position++) {
        memory.set(ValueLayout.JAVA_BYTE, position, expected(view.offsetOf(position), again));
      }
      return memory;
    }

    @Override
    public MemorySegment toRead() {
      return Arena.ofAuto().allocate(Sharing.RANK_BYTES, Long.BYTES);
    }

    @Override
    public void equip(Host host) {}

    @Override
    public void check(View view, MemorySegment memory, boolean again) throws IOException {
      for (long position = 0; position < memory.byteSize(); position++) {
        long offset = view.offsetOf(position);
        byte there = memory.get(ValueLayout.JAVA_BYTE, position);
        if (there != expected(offset, again)) {
          throw new IOException(
              "byte %s of the file is %s, must be %s"
                  .formatted(offset, there, expected(offset, again)));
        }
      }
    }

    private static byte expected(long offset, boolean again) {
      long mixed = (offset + 1) * SPREAD;
      return (byte) ((mixed >>> 56) + (again ? 1 : 0));
    }
  }
}
