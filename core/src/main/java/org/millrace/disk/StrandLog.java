package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Which strands a disk holds, and the content of those that are small. A strand comes into being
 * with its first durable bytes: before that the log does not know it, and it is empty. Small
 * strands are records of the log; larger ones are in files of their own, and the log says so.
 *
 * <p>Records that come while others are being forced are forced together, so that small files cost
 * one force for all that are flushed at the same time, and no descriptor. If a force fails, those
 * who wait get the error, and the next batch begins by writing the whole log anew, from memory,
 * under another name. The same is done, without need, when the file has grown too long.
 *
 * <p>Memory holds the content of all small strands of the disk, up to a bound; where it is reached,
 * strands get files, however small they are.
 *
 * <p>Safe for use by several threads. {@link #load} is called first, on a disk thread. Closing
 * makes durable what is queued and ends the thread; idempotent.
 */
public final class StrandLog implements AutoCloseable {

  private static final long COMPACT_BYTES = 16 << 20;
  private static final int ENTRY_BYTES = 128; // what an entry takes beside its content, about
  private static final long MAX_BYTES = 64 << 20;
  private static final int SHARE_OF_HEAP = 32;
  private static final int MAX_GONE = 1 << 14;

  /** How a flush ended: null, or the error. */
  interface Done {
    void end(@Nullable MillraceException error);
  }

  private record Waiting(StrandRecord record, Done done) {}

  // Constant after construction.
  private final Env env;
  private final Disk disk;
  private final int smallBytes;
  private final boolean verifying;
  private final long maxBytes;
  private final Consumer<MillraceException> onFailure;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal work;
  private final Signal progress;

  // Owned by the thread that loads, then by the log's own.
  private @Nullable StrandLogFile file;
  private long compactAtBytes;
  private long generation; // of the last log that was written or read

  // Set by load, then constant.
  private volatile @Nullable NodeMemory memory;

  // Guarded by lock.
  @GuardedBy("lock")
  private final Map<StrandKey, StrandRecord> strands = new TreeMap<>();

  /**
   * The last that were removed, of which there still are records: neither a request that comes late
   * nor a journal that has lost its end may bring them back as empty strands.
   */
  @GuardedBy("lock")
  private final LinkedHashSet<StrandKey> gone = new LinkedHashSet<>();

  /** Strands that have files of their own and no record: only these must be looked at. */
  @GuardedBy("lock")
  private final Set<StrandKey> strays = new HashSet<>();

  @GuardedBy("lock")
  private List<Waiting> queue = new ArrayList<>();

  @GuardedBy("lock")
  private long bytes;

  @GuardedBy("lock")
  private boolean broken;

  @GuardedBy("lock")
  private boolean running;

  @GuardedBy("lock")
  private boolean closing;

  /**
   * The log of {@code disk}.
   *
   * @param smallBytes strands of no more bytes are kept in the log; 0 for none
   * @param verifying whether blocks that are read are compared with their checksums
   * @param onFailure told of every call of a strand that fails, besides the one who waits for it
   */
  public StrandLog(
      Env env,
      Disk disk,
      int smallBytes,
      boolean verifying,
      Consumer<MillraceException> onFailure) {
    this.verifying = verifying;
    this.onFailure = onFailure;
    this.env = env;
    this.disk = disk;
    this.smallBytes = smallBytes;
    this.maxBytes = Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    this.work = env.signal(lock);
    this.progress = env.signal(lock);
  }

  /** Reads the log and starts its thread. Once. */
  public void load() throws IOException {
    Map<StrandKey, StrandRecord> found = new TreeMap<>();
    NodeMemory known = NodeMemory.open(disk, env::nanoTime);
    memory = known;
    StrandLogFile opened = StrandLogFile.open(disk, found);
    file = opened;
    known.onLogFound(opened == null ? EndMark.NOTHING : opened.end());
    generation = opened == null ? 0 : opened.generation();
    List<StrandKey> files = StrandFiles.list(disk);
    lock.lock();
    try {
      strays.addAll(files);
      found.values().forEach(this::apply);
      // one that is found long is written anew with the next record: a node that is restarted often
      // would let it grow without bound if it had to double first
      compactAtBytes = opened == null ? 0 : Math.max(COMPACT_BYTES, opened.size());
      broken = opened == null; // the first batch writes it
      running = true;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.DISK, "strand log " + disk.name(), this::serve);
  }

  /** As {@link NodeMemory#begin}. After {@link #load}. */
  public long begin(long remembered, List<NodeMemory.Run> coordinator) throws IOException {
    return memory().begin(remembered, coordinator);
  }

  private NodeMemory memory() {
    return Objects.requireNonNull(memory, "loaded first");
  }

  /** All strands of which the disk holds something, as far as can be seen without a log's owner. */
  public static Set<StrandKey> peek(Disk disk) throws IOException {
    Set<StrandKey> found = new TreeSet<>(StrandFiles.list(disk));
    found.addAll(StrandLogFile.peek(disk).keySet());
    return found;
  }

  /** Whether the disk holds a strand, without a log's owner. */
  public static boolean holds(Disk disk, long fileId, int strand) throws IOException {
    StrandKey id = new StrandKey(fileId, strand);
    return StrandLogFile.peek(disk).containsKey(id) || StrandFiles.exist(disk, id);
  }

  /**
   * What the log knows of a strand that is not open, without opening it.
   *
   * @param end where it ends
   * @param modified as {@link BlockStore#modified} says
   */
  public record Glance(long end, long modified) {}

  /**
   * A glance at a strand; null if it is in files, or the log is not read yet. One that the log does
   * not know is empty.
   *
   * @throws CorruptBlockException if the log must know it
   */
  public @Nullable Glance glance(long fileId, int strand) throws IOException {
    StrandKey id = new StrandKey(fileId, strand);
    lock.lock();
    try {
      StrandRecord record = strands.get(id);
      if (running && record instanceof StrandRecord.Small small) {
        return new Glance(small.end(), small.modified());
      }
      if (!running || record != null || strays.contains(id)) {
        return null;
      }
    } finally {
      lock.unlock();
    }
    memory().checkNeverWas(id);
    return new Glance(0, 0);
  }

  /** Whether the log says that a strand is in files of its own. */
  public boolean isInFiles(long fileId, int strand) {
    return known(new StrandKey(fileId, strand)) instanceof StrandRecord.InFiles;
  }

  /**
   * What the log knows, in order.
   *
   * @param inFiles strands that are in files of their own
   * @param small strands that are in the log
   * @param lost strands that were here, and that nobody removed
   */
  public record Content(List<StrandKey> inFiles, List<StrandKey> small, List<StrandKey> lost) {}

  /** What there is now. After {@link #load}. */
  public Content content() {
    List<StrandKey> inFiles = new ArrayList<>();
    List<StrandKey> small = new ArrayList<>();
    List<StrandKey> lost = new ArrayList<>(memory().strands());
    lock.lock();
    try {
      strands.forEach(
          (id, record) -> {
            switch (record) {
              case StrandRecord.Small _ -> small.add(id);
              case StrandRecord.InFiles _ -> inFiles.add(id);
              case StrandRecord.Gone _ -> {}
            }
          });
      lost.removeAll(strands.keySet());
    } finally {
      lock.unlock();
    }
    return new Content(inFiles, small, lost);
  }

  /**
   * Remembers that strands were here and are lost, durably: they are never taken for empty ones.
   * For a node that takes the place of one whose disk is gone. After {@link #load}.
   */
  public void onLost(List<StrandKey> ids) throws IOException {
    for (StrandKey id : ids) {
      if (known(id) == null) {
        memory().onDurable(id, 1);
      }
    }
    memory().force();
  }

  /**
   * Reads the log's file again; one that has rotted is written anew, from memory. Returns whether
   * that was so.
   */
  public boolean mend() throws IOException {
    try {
      MarkedLog.peek(disk, StrandLogFile.NAME);
      return false;
    } catch (CorruptBlockException e) {
      lock.lock();
      try {
        if (strands.isEmpty() || closing || !running) {
          throw e;
        }
        broken = true;
        queue.add(new Waiting(strands.values().iterator().next(), _ -> {}));
        work.signal();
      } finally {
        lock.unlock();
      }
      return true;
    }
  }

  /** Removes strands from a disk that nobody else uses now. */
  public static void removeAll(Disk disk, List<StrandKey> ids) throws IOException {
    Map<StrandKey, StrandRecord> found = new TreeMap<>();
    StrandLogFile opened = StrandLogFile.open(disk, found);
    try (opened) {
      List<StrandRecord> gone = new ArrayList<>();
      for (StrandKey id : ids) {
        StrandFiles.remove(disk, id);
        if (isThere(found.get(id))) {
          gone.add(new StrandRecord.Gone(id));
        }
      }
      if (opened != null && !gone.isEmpty()) {
        opened.append(gone);
      }
    }
  }

  /**
   * Opens a strand; one that the log does not know is empty, with blocks of {@code blockBytes}.
   *
   * @throws CorruptBlockException if something of the strand is there that the log must know
   */
  public StrandStore open(long fileId, int strand, int blockBytes) throws IOException {
    try {
      return opened(new StrandKey(fileId, strand), blockBytes);
    } catch (IOException e) {
      throw noted(e);
    }
  }

  /** As {@link #open}, if that needs no disk; else null. */
  public @Nullable StrandStore tryOpen(long fileId, int strand, int blockBytes) throws IOException {
    StrandKey id = new StrandKey(fileId, strand);
    lock.lock();
    try {
      if (!running || strays.contains(id) || strands.get(id) instanceof StrandRecord.InFiles) {
        return null;
      }
    } finally {
      lock.unlock();
    }
    return open(fileId, strand, blockBytes);
  }

  private StrandStore opened(StrandKey id, int blockBytes) throws IOException {
    return switch (known(id)) {
      case StrandRecord.Small small -> StrandStore.small(this, small, true);
      case StrandRecord.InFiles _ ->
          StrandStore.inFiles(this, BlockFile.open(disk, id, memory(), verifying), id);
      case StrandRecord.Gone _ ->
          throw new CorruptBlockException(
              "strand file %s is missing on %s: it was removed".formatted(id.dataFile(), disk));
      case null -> {
        checkUnknown(id);
        yield StrandStore.small(
            this,
            new StrandRecord.Small(id, BlockSize.require(blockBytes), 0, 0, new byte[0]),
            false);
      }
    };
  }

  /** Durable bytes have a record: those without one came from another time than the log. */
  private void checkUnknown(StrandKey id) throws IOException {
    memory().checkNeverWas(id);
    if (isStray(id) && StrandFiles.exist(disk, id)) {
      try (BlockFile stray = BlockFile.open(disk, id.fileId(), id.strand())) {
        if (stray.end() > 0) {
          throw new CorruptBlockException(
              "%s has the files of %s, but its file %s does not know them: it is an older copy"
                  .formatted(disk.name(), id, StrandLogFile.NAME));
        }
      }
    }
  }

  private boolean isStray(StrandKey id) {
    lock.lock();
    try {
      return strays.contains(id);
    } finally {
      lock.unlock();
    }
  }

  /** Makes it durable that there is a strand with blocks of this size. */
  public void create(long fileId, int strand, int blockBytes) throws IOException {
    StrandKey id = new StrandKey(fileId, strand);
    StrandRecord before = known(id);
    if (!isThere(before)) {
      if (before == null) {
        memory().checkNeverWas(id);
      }
      StrandRecord made =
          new StrandRecord.Small(id, BlockSize.require(blockBytes), 0, 0, new byte[0]);
      try {
        commit(made);
      } catch (IOException e) {
        forget(made); // or a second try would take it for durable
        throw e;
      }
    }
  }

  /** Removes what there is of a strand. Durable some time later. */
  public void remove(long fileId, int strand) throws IOException {
    StrandKey id = new StrandKey(fileId, strand);
    if (isThere(known(id))) {
      start(new StrandRecord.Gone(id), _ -> {});
    }
    StrandFiles.remove(disk, id);
    lock.lock();
    try {
      strays.remove(id);
    } finally {
      lock.unlock();
    }
    memory().onRemoved(id);
  }

  /**
   * Makes the files of a strand that the log holds, or does not know.
   *
   * @param recorded whether the log knows of the files: until then nobody else remembers them
   */
  BlockFile createFiles(StrandKey id, int blockBytes, BooleanSupplier recorded) throws IOException {
    StrandFiles.remove(disk, id); // what an earlier try may have left
    memory().onRemoved(id);
    lock.lock();
    try {
      strays.add(id);
    } finally {
      lock.unlock();
    }
    StrandMemory later =
        new StrandMemory() {
          @Override
          public long generation(StrandKey strand) {
            return memory().generation(strand);
          }

          @Override
          public void onFound(StrandKey strand, long reached) throws IOException {
            onDurable(strand, reached);
          }

          @Override
          public void onDurable(StrandKey strand, long reached) throws IOException {
            if (recorded.getAsBoolean()) {
              memory().onDurable(strand, reached);
            }
          }

          @Override
          public void onRemoved(StrandKey strand) throws IOException {
            memory().onRemoved(strand);
          }
        };
    return BlockFile.create(disk, id, blockBytes, later, verifying);
  }

  private void forget(StrandRecord record) {
    lock.lock();
    try {
      if (strands.remove(record.id(), record)) {
        bytes -= weight(record);
      }
    } finally {
      lock.unlock();
    }
  }

  private static boolean isThere(@Nullable StrandRecord record) {
    return record != null && !(record instanceof StrandRecord.Gone);
  }

  private @Nullable StrandRecord known(StrandKey id) {
    lock.lock();
    try {
      return strands.get(id);
    } finally {
      lock.unlock();
    }
  }

  /** What a call of a strand failed with, for its caller. */
  IOException noted(IOException e) {
    if (e instanceof MillraceException known) {
      onFailure.accept(known);
    }
    return e;
  }

  Disk disk() {
    return disk;
  }

  /** The most bytes of a strand that is kept in the log now. */
  int smallBytes() {
    lock.lock();
    try {
      return bytes < maxBytes ? smallBytes : 0;
    } finally {
      lock.unlock();
    }
  }

  /** Makes a record durable and waits for it. */
  void commit(StrandRecord record) throws IOException {
    boolean[] ended = new boolean[1];
    @Nullable MillraceException[] failure = new MillraceException[1];
    start(
        record,
        error -> {
          lock.lock();
          try {
            ended[0] = true;
            failure[0] = error;
            progress.signalAll();
          } finally {
            lock.unlock();
          }
        });
    lock.lock();
    try {
      while (!ended[0]) {
        progress.await(Env.NEVER); // the disk ends every call, one way or the other
      }
    } finally {
      lock.unlock();
    }
    MillraceException error = failure[0];
    if (error != null) {
      throw error.again();
    }
  }

  /**
   * Makes a record durable, together with all others that come meanwhile; {@code done} is called
   * when it is, on the log's thread, without a lock.
   */
  void start(StrandRecord record, Done done) {
    boolean closed;
    lock.lock();
    try {
      closed = closing || !running;
      if (!closed) {
        apply(record);
        queue.add(new Waiting(record, done));
        work.signal();
      }
    } finally {
      lock.unlock();
    }
    if (closed) {
      done.end(new MillraceException(ErrorCode.CLOSED, "the strands of " + disk + " are closed"));
    }
  }

  @GuardedBy("lock")
  private void apply(StrandRecord record) {
    bytes += weight(record) - weight(strands.get(record.id()));
    strands.put(record.id(), record);
    gone.remove(record.id());
    if (record instanceof StrandRecord.InFiles) {
      strays.remove(record.id());
    }
    if (record instanceof StrandRecord.Gone) {
      gone.add(record.id());
      if (gone.size() > MAX_GONE) {
        bytes -= weight(strands.remove(gone.removeFirst()));
      }
    }
  }

  private static long weight(@Nullable StrandRecord record) {
    return switch (record) {
      case StrandRecord.Small small -> ENTRY_BYTES + small.content().length;
      case StrandRecord.InFiles _, StrandRecord.Gone _ -> ENTRY_BYTES;
      case null -> 0;
    };
  }

  private void serve() {
    try {
      while (serveBatch()) {}
    } finally {
      closeFile();
      lock.lock();
      try {
        running = false;
        progress.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean serveBatch() {
    List<Waiting> batch;
    List<StrandRecord> all = List.of();
    boolean must;
    lock.lock();
    try {
      while (queue.isEmpty() && !closing) {
        work.await(Env.NEVER);
      }
      if (queue.isEmpty()) {
        return false;
      }
      batch = queue;
      queue = new ArrayList<>();
      StrandLogFile now = file;
      must = broken || now == null;
      if (broken || now == null || now.size() > compactAtBytes) {
        all = List.copyOf(strands.values()); // with what came since, which is no harm
      }
    } finally {
      lock.unlock();
    }
    MillraceException error = persist(batch, all, must);
    lock.lock();
    try {
      broken = error != null;
    } finally {
      lock.unlock();
    }
    batch.forEach(one -> one.done.end(error));
    return true;
  }

  /** Returns null if the batch is durable. */
  private @Nullable MillraceException persist(
      List<Waiting> batch, List<StrandRecord> all, boolean must) {
    try {
      StrandLogFile now = file;
      if (must || now == null) {
        replaceBy(StrandLogFile.prepare(disk, all, ++generation));
      } else if (all.isEmpty() || !tryRewrite(all, now)) {
        now.append(batch.stream().map(Waiting::record).toList());
      }
      remember();
      return null;
    } catch (IOException | RuntimeException e) {
      MillraceException error = MillraceException.wrap(ErrorCode.DISK, e);
      onFailure.accept(error);
      return error;
    }
  }

  /** Notes how far the log has come. If that fails nothing is lost: what is noted is still true. */
  private void remember() {
    StrandLogFile now = file;
    if (now != null) {
      try {
        memory().onLog(now.end());
      } catch (IOException e) {
        return;
      }
    }
  }

  /** Writes the log anew; where there is no room for that, the old one serves on. */
  private boolean tryRewrite(List<StrandRecord> all, StrandLogFile now) throws IOException {
    StrandLogFile next;
    try {
      next = StrandLogFile.prepare(disk, all, ++generation);
    } catch (IOException e) {
      compactAtBytes = 2 * now.size();
      return false;
    }
    replaceBy(next);
    return true;
  }

  private void replaceBy(StrandLogFile next) throws IOException {
    next.swapIn();
    closeFile();
    file = next;
    compactAtBytes = 2 * next.size() + COMPACT_BYTES;
  }

  private void closeFile() {
    StrandLogFile open = file;
    file = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // What was acknowledged is durable already; closing adds nothing to it.
        return;
      }
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closing = true;
      work.signalAll();
      while (running) {
        progress.await(Env.NEVER);
      }
    } finally {
      lock.unlock();
    }
    NodeMemory known = memory;
    if (known != null) {
      known.close();
    }
  }
}
