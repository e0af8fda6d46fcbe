package org.millrace.bench.papers;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.Rank;
import org.millrace.env.Env;
import org.millrace.heritage.sharedfiles.SfHandle;
import org.millrace.heritage.sharedfiles.SfRequest;
import org.millrace.heritage.sharedfiles.SharedFiles;
import org.millrace.heritage.sharedfiles.SizeHints;

/**
 * One rank of the benchmark on one file: reads, decompresses, updates, compresses and writes back
 * records, each under the group's lock of it.
 *
 * <p>Belongs to the rank's thread. Closing destroys the file, on all ranks together.
 */
final class ColumbusRank implements AutoCloseable {

  private static final int TYPICAL = 32 << 10;

  // constant after construction
  private final Env env;
  private final Rank rank;
  private final SharedFiles files;
  private final SfHandle file;
  private final int records;
  private final ColumbusRecord record = new ColumbusRecord();
  private final byte[] buffer = new byte[ColumbusRecord.SLOT];

  // sums of a lap
  private long readBytes;
  private long readNanos;
  private long writtenBytes;
  private long writeNanos;
  private long lockNanos;

  ColumbusRank(Env env, Rank rank, String name, int records) throws IOException {
    this.env = env;
    this.rank = rank;
    this.records = records;
    this.files = new SharedFiles(rank);
    SizeHints hints = new SizeHints((long) records * ColumbusRecord.SLOT);
    this.file = files.sf_create(name, hints, TYPICAL);
    for (int r = rank.number(); r < records; r += rank.size()) {
      write(r, record.compress(ColumbusRecord.initial(r), buffer));
    }
    rank.barrier();
  }

  /** Which record a rank updates in its n-th update of a lap, in no order. */
  static int chosen(int rank, int lap, int n, int records) {
    return new SplittableRandom(update(rank, lap, n) ^ 0x5DEECE66DL).nextInt(records);
  }

  /** What update that is: no two are the same. */
  static long update(int rank, int lap, int n) {
    return ((long) lap << 48) + ((long) rank << 32) + n;
  }

  /** All ranks make that many updates each; returns the sums of all, on every rank. */
  ColumbusResult lap(String way, int lap, int updates) throws IOException {
    readBytes = readNanos = writtenBytes = writeNanos = lockNanos = 0;
    rank.barrier();
    long start = env.nanoTime();
    for (int n = 0; n < updates; n++) {
      update(chosen(rank.number(), lap, n, records), update(rank.number(), lap, n));
    }
    rank.barrier();
    long nanos = env.nanoTime() - start;
    return new ColumbusResult(
        way,
        (long) updates * rank.size(),
        rank.allReduceLong(nanos, Math::max),
        rank.allReduceLong(readBytes, Long::sum),
        rank.allReduceLong(readNanos, Long::sum),
        rank.allReduceLong(writtenBytes, Long::sum),
        rank.allReduceLong(writeNanos, Long::sum),
        rank.allReduceLong(lockNanos, Long::sum));
  }

  private void update(int which, long update) throws IOException {
    long asked = env.nanoTime();
    var lock = files.lock(file, which);
    try (lock) {
      lockNanos += env.nanoTime() - asked;
      int length = read(which);
      int[] numbers = record.decompress(buffer, length);
      ColumbusRecord.apply(numbers, update);
      write(which, record.compress(numbers, buffer));
      asked = env.nanoTime();
    }
    lockNanos += env.nanoTime() - asked;
  }

  /** Reads the header, then as many compressed bytes as it says; returns how many. */
  private int read(int which) throws IOException {
    long start = env.nanoTime();
    long slot = (long) which * ColumbusRecord.SLOT;
    transfer(slot, ColumbusRecord.HEADER);
    int length = ByteBuffer.wrap(buffer).getInt(0);
    if (length < 1 || length > ColumbusRecord.SLOT - ColumbusRecord.HEADER) {
      throw new WrongResultException("record " + which + " has " + length + " bytes");
    }
    transfer(slot + ColumbusRecord.HEADER, length);
    readNanos += env.nanoTime() - start;
    readBytes += ColumbusRecord.HEADER + length;
    return length;
  }

  private void transfer(long offset, int length) throws IOException {
    SfRequest request = new SfRequest();
    files.sf_read(file, offset, length, MemorySegment.ofArray(buffer), request);
    files.sf_wait(request);
  }

  private void write(int which, int length) throws IOException {
    long start = env.nanoTime();
    SfRequest request = new SfRequest();
    long slot = (long) which * ColumbusRecord.SLOT;
    files.sf_write(file, slot, length, MemorySegment.ofArray(buffer), request);
    files.sf_wait(request); // before the lock is given back
    writeNanos += env.nanoTime() - start;
    writtenBytes += length;
  }

  /** Checks that every record holds what the updates of all ranks in all laps say. */
  void verify(int laps, int updates) throws IOException {
    int[][] expected = new int[records][];
    for (int r = rank.number(); r < records; r += rank.size()) {
      expected[r] = ColumbusRecord.initial(r);
    }
    for (int lap = 0; lap < laps; lap++) {
      for (int by = 0; by < rank.size(); by++) {
        for (int n = 0; n < updates; n++) {
          int which = chosen(by, lap, n, records);
          if (which % rank.size() == rank.number()) {
            ColumbusRecord.apply(expected[which], update(by, lap, n));
          }
        }
      }
    }
    for (int r = rank.number(); r < records; r += rank.size()) {
      int[] found = record.decompress(buffer, read(r));
      if (!Arrays.equals(found, expected[r])) {
        throw new WrongResultException("record " + r + " does not hold what its updates say");
      }
    }
    rank.barrier();
  }

  @Override
  public void close() throws IOException {
    record.close();
    files.sf_destroy(file);
  }
}
