package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;

/**
 * What a node remembers, in the file {@code epochs}: how often it was started, which start of the
 * coordinator it has seen, how far its log of strands has come, and for each strand its last
 * generation. The coordinator remembers the node's number in turn. So older copies are found out:
 * of a strand and of the log by the node, of the whole node by the coordinator, and of the
 * coordinator by the nodes.
 *
 * <p>Starting is forced, and so is the first change of a strand, or of the log, that was there
 * before this start: no copy from an earlier start is taken for the last one. What changes
 * afterwards is written after each flush, and forced once a second at most, so that flushes take no
 * longer: after a loss of power some may be behind, by no more than what was flushed in the last
 * second, never ahead. Closing forces all. An entry that is destroyed says nothing, nor does a file
 * that is missing; what is known of a strand is learned again when it is next flushed.
 *
 * <pre>
 *   file     header, 512 bytes; then entries of 32 bytes
 *
 *   header   0          8         12      16      24       32     40       48       56       60
 *            +----------+---------+-------+-------+--------+------+--------+--------+--------+------+
 *            | MILLNODE | version |   0   | epoch | run of | its  | log's  | its    | CRC32C | 0 ...|
 *            |          |    2    |       |       | coord. | mark | gen.   | frames | of 0-56|      |
 *            +----------+---------+-------+-------+--------+------+--------+--------+--------+------+
 *
 *   entry    0         8        12      16           24       28      32
 *            +---------+--------+-------+------------+--------+-------+
 *            | file id | strand |   0   | generation | CRC32C |   0   |   of its number and 0-24
 *            +---------+--------+-------+------------+--------+-------+   all zeros: free
 * </pre>
 *
 * <p>Safe for use by several threads.
 */
public final class NodeMemory implements StrandMemory, AutoCloseable {

  private static final String NAME = "epochs";
  private static final long MAGIC = 0x45444f4e_4c4c494dL; // "MILLNODE"
  private static final int VERSION = 2;
  private static final int HEADER_BYTES = 512;
  private static final int ENTRY_BYTES = 32;
  private static final int HEADER_CRC_AT = 56;
  private static final int ENTRY_CRC_AT = 24;

  /**
   * A start of the coordinator. Two starts from the same files, of which one was restored from an
   * older copy, have the same number and different marks.
   *
   * @param number how often it was started
   * @param mark drawn at random for each start
   */
  public record Run(long number, long mark) {}

  /** A strand's entry. */
  private record Entry(int number, long generation) {}

  private static final long EVERY_NANOS = 1_000_000_000;

  // Constant after construction.
  private final Disk disk;
  private final DiskFile file;
  private final boolean begun;
  private final LongSupplier clock;

  private final ReentrantLock forcing = new ReentrantLock(); // taken before lock

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  @GuardedBy("lock")
  private final Map<StrandKey, Entry> entries = new HashMap<>();

  @GuardedBy("lock")
  private final ArrayDeque<Integer> free = new ArrayDeque<>();

  @GuardedBy("lock")
  private int count;

  @GuardedBy("lock")
  private long epoch;

  @GuardedBy("lock")
  private Run run;

  @GuardedBy("lock")
  private EndMark log; // of strands

  @GuardedBy("lock")
  private boolean started;

  /** Strands of before this start of which nothing that came since is forced. */
  @GuardedBy("lock")
  private final Set<StrandKey> behind = new HashSet<>();

  @GuardedBy("lock")
  private boolean logBehind = true; // likewise

  @GuardedBy("lock")
  private long writes;

  @GuardedBy("lock")
  private long forced; // writes of which all are

  @GuardedBy("lock")
  private long lastForce;

  @GuardedBy("lock")
  private boolean failed; // a force, which is final

  @GuardedBy("lock")
  private boolean closed;

  private NodeMemory(Disk disk, DiskFile file, byte[] bytes, LongSupplier clock) {
    this.disk = disk;
    this.file = file;
    this.clock = clock;
    this.lastForce = clock.getAsLong();
    ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    this.begun =
        bytes.length >= HEADER_BYTES
            && b.getLong(0) == MAGIC
            && b.getInt(Long.BYTES) == VERSION
            && b.getInt(HEADER_CRC_AT) == crc(-1, b.slice(0, HEADER_CRC_AT));
    this.epoch = begun ? b.getLong(16) : 0;
    this.run = begun ? new Run(b.getLong(24), b.getLong(32)) : new Run(0, 0);
    this.log = begun ? new EndMark(b.getLong(40), b.getLong(48)) : EndMark.NOTHING;
  }

  /**
   * What the node with this disk remembers.
   *
   * @param clock nanoseconds
   */
  static NodeMemory open(Disk disk, LongSupplier clock) throws IOException {
    DiskFile file = openOrCreate(disk);
    try {
      byte[] bytes = new byte[(int) Math.min(Integer.MAX_VALUE - 8, file.size())];
      FullReads.full(file, 0, MemorySegment.ofArray(bytes));
      NodeMemory memory = new NodeMemory(disk, file, bytes, clock);
      memory.load(ByteBuffer.wrap(bytes));
      return memory;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static DiskFile openOrCreate(Disk disk) throws IOException {
    if (!disk.exists(NAME)) {
      try {
        return disk.create(NAME);
      } catch (NameExistsException e) {
        return disk.open(NAME); // made meanwhile by one who only looks
      }
    }
    return disk.open(NAME);
  }

  private void load(ByteBuffer b) {
    lock.lock();
    try {
      loadEntries(b);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void loadEntries(ByteBuffer b) {
    for (int at = HEADER_BYTES; at + ENTRY_BYTES <= b.limit(); at += ENTRY_BYTES) {
      ByteBuffer one = b.slice(at, ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      boolean good =
          one.getLong(0) >= 0
              && one.getInt(8) >= 0
              && one.getInt(ENTRY_CRC_AT) == crc(count, one.slice(0, ENTRY_CRC_AT));
      if (good) {
        StrandKey strand = new StrandKey(one.getLong(0), one.getInt(8));
        Entry known = entries.get(strand);
        if (known == null || known.generation < one.getLong(16)) {
          entries.put(strand, new Entry(count, one.getLong(16)));
          behind.add(strand);
        }
      } else {
        free.add(count);
      }
      count++;
    }
  }

  /**
   * The node starts: checks that neither its own files nor the coordinator's are older copies, and
   * gives the start a number, durably.
   *
   * @param remembered the number of this node's last start, as the coordinator remembers it
   * @param coordinator the coordinator's last starts, the present one first
   * @return the number of this start
   * @throws CorruptBlockException if one of the two is older than the other has seen
   */
  public long begin(long remembered, List<Run> coordinator) throws IOException {
    Run current = coordinator.getFirst();
    lock.lock();
    try {
      if (begun && epoch < remembered) {
        throw new CorruptBlockException(
            ("%s is an older copy: it was started %s times, and the coordinator knows of %s. Put the"
                    + " last copy in its place. To use this one all the same, with whatever it has"
                    + " missed, remove its file %s")
                .formatted(disk.name(), epoch, remembered, NAME));
      }
      if (current.number < run.number || isUnknown(run, coordinator)) {
        throw new CorruptBlockException(
            ("the coordinator's directory is an older copy: this is its start number %s, and %s has"
                    + " seen a start number %s that it knows nothing of. Put the last copy in its place."
                    + " To use this one all the same, with the names it has, remove the file %s of"
                    + " every node")
                .formatted(current.number, disk.name(), run.number, NAME));
      }
      if (!started || epoch < remembered) { // else the same start, at another coordinator
        epoch = Math.max(epoch, remembered) + 1;
      }
      run = current;
      started = true;
      writeHeader();
      file.force();
      if (!begun) {
        disk.force(); // its name
      }
      return epoch;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void writeHeader() throws IOException {
    ByteBuffer b = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    b.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(epoch);
    b.putLong(run.number).putLong(run.mark);
    b.putLong(log.generation()).putLong(log.frames());
    b.putInt(crc(-1, b.slice(0, HEADER_CRC_AT)));
    file.write(0, MemorySegment.ofBuffer(b.clear()));
  }

  /**
   * The log of strands was found to have come so far.
   *
   * @throws CorruptBlockException if it had come further: it is an older copy, or lost
   */
  void onLogFound(EndMark found) throws CorruptBlockException {
    lock.lock();
    try {
      if (log.isAhead(found)) {
        throw new CorruptBlockException(
            ("the file %s in %s is an older copy, or lost: file %s knows of later changes. Put the"
                    + " last copy in its place. To go on without those changes, remove %s")
                .formatted(StrandLogFile.NAME, disk.name(), NAME, NAME));
      }
      log = found;
    } finally {
      lock.unlock();
    }
  }

  /** The log of strands has come so far, durably. */
  void onLog(EndMark now) throws IOException {
    boolean due;
    lock.lock();
    try {
      log = now;
      if (!started || closed) {
        return;
      }
      writes++;
      writeHeader();
      due = !failed && (logBehind || isDue());
      logBehind = false;
    } finally {
      lock.unlock();
    }
    if (due) {
      force();
    }
  }

  @GuardedBy("lock")
  private boolean isDue() {
    return clock.getAsLong() - lastForce >= EVERY_NANOS;
  }

  /** Makes durable what is written now; of several threads at the same time one does it for all. */
  void force() throws IOException {
    long wanted;
    lock.lock();
    try {
      wanted = writes;
    } finally {
      lock.unlock();
    }
    forcing.lock();
    try {
      long upTo = begunForce(wanted);
      if (upTo >= wanted) {
        file.force();
        ended(upTo, false);
      }
    } catch (IOException e) {
      ended(0, true);
      throw e;
    } finally {
      forcing.unlock();
    }
  }

  /** What a force that begins now covers; -1 if there is no need for it. */
  private long begunForce(long wanted) {
    lock.lock();
    try {
      lastForce = clock.getAsLong();
      return forced >= wanted || closed ? -1 : writes;
    } finally {
      lock.unlock();
    }
  }

  private void ended(long upTo, boolean badly) {
    lock.lock();
    try {
      forced = Math.max(forced, upTo);
      failed |= badly;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether a start that was seen is none of those the coordinator remembers. An older copy of its
   * directory counts on from where it was, so that after some starts its number alone says nothing.
   */
  private static boolean isUnknown(Run seen, List<Run> coordinator) {
    return coordinator.stream().anyMatch(one -> one.number == seen.number && one.mark != seen.mark);
  }

  @Override
  public long generation(StrandKey strand) {
    lock.lock();
    try {
      Entry entry = entries.get(strand);
      return entry == null ? 0 : entry.generation;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onFound(StrandKey strand, long generation) throws IOException {
    lock.lock();
    try {
      if (!entries.containsKey(strand)) {
        behind.add(strand); // its entry was lost with the power, or destroyed
      }
      note(strand, generation);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onDurable(StrandKey strand, long generation) throws IOException {
    boolean due;
    lock.lock();
    try {
      due = note(strand, generation) && (behind.remove(strand) || isDue()) && !failed;
    } finally {
      lock.unlock();
    }
    if (due) {
      force();
    }
  }

  /** Whether there was something to note. */
  @GuardedBy("lock")
  private boolean note(StrandKey strand, long generation) throws IOException {
    Entry known = entries.get(strand);
    if (closed || (known != null && known.generation >= generation)) {
      return false;
    }
    Integer number = known == null ? free.poll() : Integer.valueOf(known.number);
    write(number == null ? count++ : number, strand, generation);
    return true;
  }

  @GuardedBy("lock")
  private void write(int number, StrandKey strand, long generation) throws IOException {
    ByteBuffer b = ByteBuffer.allocate(ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    b.putLong(strand.fileId()).putInt(strand.strand()).putInt(0).putLong(generation);
    b.putInt(crc(number, b.slice(0, ENTRY_CRC_AT)));
    entries.put(strand, new Entry(number, generation));
    writes++;
    file.write(offset(number), MemorySegment.ofBuffer(b.clear()));
  }

  /** All strands that were seen to have a generation above 0. */
  List<StrandKey> strands() {
    lock.lock();
    try {
      return entries.entrySet().stream()
          .filter(one -> one.getValue().generation > 0)
          .map(Map.Entry::getKey)
          .sorted()
          .toList();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onRemoved(StrandKey strand) throws IOException {
    lock.lock();
    try {
      Entry known = entries.remove(strand);
      behind.remove(strand);
      if (known != null && !closed) {
        writes++;
        file.write(offset(known.number), MemorySegment.ofArray(new byte[ENTRY_BYTES]));
        free.add(known.number);
      }
    } finally {
      lock.unlock();
    }
  }

  private static long offset(int number) {
    return HEADER_BYTES + (long) number * ENTRY_BYTES;
  }

  private static int crc(int number, ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(number).flip());
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /** Makes everything durable and closes the file. Idempotent. */
  @Override
  public void close() throws IOException {
    forcing.lock();
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      try (file) {
        if (forced < writes) {
          file.force();
        }
      }
    } finally {
      lock.unlock();
      forcing.unlock();
    }
  }

  /** What a node's strand that is not there has lost, if it was there. */
  public void checkNeverWas(StrandKey strand) throws MillraceException {
    if (generation(strand) > 0) {
      throw CorruptBlockException.inAll(
          strand.strand(),
          "%s of %s is lost: it was there, and nobody removed it".formatted(strand, disk.name()));
    }
  }
}
