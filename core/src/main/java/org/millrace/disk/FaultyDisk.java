package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A disk that forwards to another one, with injected {@link Faults}. After a failed force all later
 * forces of the same open file fail, too.
 *
 * <p>Thread-safe if the other disk is. Closing closes the other disk.
 */
public final class FaultyDisk implements Disk {

  private final Disk below;
  private final Faults faults;

  /** {@code below}, with {@code faults}. */
  public FaultyDisk(Disk below, Faults faults) {
    this.below = below;
    this.faults = faults;
  }

  /** What goes wrong here, to be changed at any time. */
  public Faults faults() {
    return faults;
  }

  /**
   * Flips a bit at rest: bit {@code bit} of {@code file}, counted from the file's start, durably.
   */
  public void flipBit(String file, long bit) throws IOException {
    try (DiskFile opened = below.open(file)) {
      MemorySegment one = MemorySegment.ofArray(new byte[1]);
      if (opened.read(bit / Byte.SIZE, one) != 1) {
        throw new IndexOutOfBoundsException(
            file + " has " + opened.size() + " bytes, no bit " + bit);
      }
      byte flipped = (byte) (one.get(ValueLayout.JAVA_BYTE, 0) ^ 1 << (bit % Byte.SIZE));
      one.set(ValueLayout.JAVA_BYTE, 0, flipped);
      opened.write(bit / Byte.SIZE, one);
      opened.force();
    }
  }

  @Override
  public String name() {
    return below.name();
  }

  @Override
  public DiskFile open(String file) throws IOException {
    faults.on(Faults.Operation.OPEN, name(), file);
    return new FaultyDiskFile(name(), below.open(file), faults);
  }

  @Override
  public DiskFile create(String file) throws IOException {
    faults.on(Faults.Operation.OPEN, name(), file);
    return new FaultyDiskFile(name(), below.create(file), faults);
  }

  @Override
  public boolean exists(String file) throws IOException {
    return below.exists(file);
  }

  @Override
  public void delete(String file) throws IOException {
    faults.on(Faults.Operation.WRITE, name(), file);
    below.delete(file);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    faults.on(Faults.Operation.WRITE, name(), from);
    below.rename(from, to);
  }

  @Override
  public DiskSpace space() throws IOException {
    return below.space();
  }

  @Override
  public List<String> list() throws IOException {
    return below.list();
  }

  @Override
  public void force() throws IOException {
    faults.on(Faults.Operation.FORCE, name(), "");
    if (!faults.dropsForce("")) {
      below.force();
    }
  }

  @Override
  public void close() throws IOException {
    below.close();
  }

  @Override
  public String toString() {
    return "disk " + name();
  }
}
