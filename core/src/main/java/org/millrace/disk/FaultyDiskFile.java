package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.Faults.Operation;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** A file of a {@link FaultyDisk}. Thread-safe if the file below is; closing closes that. */
final class FaultyDiskFile implements DiskFile {

  // Constant after construction.
  private final String disk;
  private final DiskFile below;
  private final Faults faults;

  private volatile @Nullable String forceFailure;

  FaultyDiskFile(String disk, DiskFile below, Faults faults) {
    this.disk = disk;
    this.below = below;
    this.faults = faults;
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
    return read(position, List.of(into));
  }

  @Override
  public long read(long position, List<MemorySegment> into) throws IOException {
    faults.on(Operation.READ, disk, name());
    long there =
        into.size() == 1 ? below.read(position, into.getFirst()) : below.read(position, into);
    flip(into, faults.flippedBit(name(), there));
    return faults.moved(there);
  }

  private static void flip(List<MemorySegment> segments, long bit) {
    long at = bit / Byte.SIZE;
    for (MemorySegment segment : segments) {
      if (bit < 0) {
        return;
      }
      if (at < segment.byteSize()) {
        byte now = segment.get(ValueLayout.JAVA_BYTE, at);
        segment.set(ValueLayout.JAVA_BYTE, at, (byte) (now ^ 1 << (bit % Byte.SIZE)));
        return;
      }
      at -= segment.byteSize();
    }
  }

  @Override
  public void write(long position, MemorySegment from) throws IOException {
    faults.on(Operation.WRITE, disk, name());
    faults.take(from.byteSize(), disk, name());
    long moved = wholeSectors(position, from.byteSize(), faults.moved(from.byteSize()));
    below.write(position, from.asSlice(0, moved));
    if (moved < from.byteSize()) {
      throw new MillraceException(
          ErrorCode.DISK,
          "disk "
              + disk
              + ": "
              + name()
              + ": wrote "
              + moved
              + " of "
              + from.byteSize()
              + " bytes at "
              + position
              + " (injected)");
    }
  }

  /** How many of the bytes that were moved end a sector: systems and disks write no part of one. */
  private static long wholeSectors(long position, long bytes, long moved) {
    long part = (position + moved) % MemoryContent.SECTOR_BYTES;
    return moved == bytes ? moved : Math.max(0, moved - part);
  }

  @Override
  public void resize(long size) throws IOException {
    faults.on(Operation.WRITE, disk, name());
    below.resize(size);
  }

  @Override
  public void preallocate(long size) throws IOException {
    below.preallocate(size);
  }

  @Override
  public List<DiskExtent> placements(long from, long to) throws IOException {
    return below.placements(from, to);
  }

  @Override
  public void force() throws IOException {
    String failure = forceFailure;
    if (failure != null) {
      throw new MillraceException(
          ErrorCode.DISK, "disk " + disk + ": " + name() + ": an earlier force failed: " + failure);
    }
    try {
      faults.on(Operation.FORCE, disk, name());
      if (!faults.dropsForce(name())) {
        below.force();
      }
    } catch (IOException e) {
      forceFailure = String.valueOf(e.getMessage());
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    below.close();
  }
}
