package org.millrace.bench.processes;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.millrace.bench.measure.Content;
import org.millrace.env.Env;

/**
 * One file that one rank reads and writes in requests of one size, one after the other. Each eight
 * bytes of the file say where they belong. Of every read the first and the last eight bytes are
 * compared within the time, and all of the last one after it; all that was written is read again
 * and compared, with all that was not, and put back.
 *
 * <p>Belongs to the rank's thread. Closing closes the file.
 */
public final class Traffic implements AutoCloseable {

  private static final int CHUNK_BYTES = 1 << 20;

  private final Env env;
  private final RequestFile file;
  private final long fileBytes;
  private final boolean flushes;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment chunk = arena.allocate(CHUNK_BYTES, 4096);
  private MemorySegment buffer = chunk;
  private long version;

  /**
   * What a lap did.
   *
   * @param requests how many
   * @param bytes all together
   * @param nanos it took
   * @param worstNanos the longest request took; 0 if that is not known
   */
  public record Lap(long requests, long bytes, long nanos, long worstNanos) {

    Lap(long requests, long bytes, long nanos) {
      this(requests, bytes, nanos, 0);
    }

    @Override
    public String toString() {
      return requests + " " + bytes + " " + nanos + " " + worstNanos;
    }

    static Lap parse(String text) {
      String[] words = text.split(" ", -1);
      return new Lap(
          Long.parseLong(words[0]),
          Long.parseLong(words[1]),
          Long.parseLong(words[2]),
          Long.parseLong(words[3]));
    }

    /** The rate of the lap. */
    public double bytesPerSecond() {
      return bytes * 1e9 / Math.max(1, nanos);
    }

    double micros() {
      return nanos / 1e3 / Math.max(1, requests);
    }
  }

  /**
   * Fills the file.
   *
   * @param fileBytes a multiple of all sizes of requests
   * @param flushes whether writes count only when they are durable
   */
  Traffic(Env env, RequestFile file, long fileBytes, boolean flushes) throws IOException {
    this.env = env;
    this.fileBytes = fileBytes;
    this.flushes = flushes;
    this.file = file;
    for (long at = 0; at < fileBytes; at += CHUNK_BYTES) {
      Content.fill(chunk, at, 0);
      file.write(at, chunk);
    }
    if (flushes) {
      file.flush();
    }
  }

  /**
   * Requests for so long, or until each place had one.
   *
   * @param random in no order, else from the begin on
   */
  Lap run(boolean write, boolean random, int bytes, long millis) throws IOException {
    if (buffer.byteSize() != bytes) {
      buffer = arena.allocate(bytes, 4096);
    }
    return write ? writes(random, bytes, millis) : reads(random, bytes, millis);
  }

  private Lap reads(boolean random, int bytes, long millis) throws IOException {
    long slots = fileBytes / bytes;
    buffer.fill((byte) 0x5A);
    long from = env.nanoTime();
    long until = from + millis * 1_000_000;
    long done = 0;
    long worst = 0;
    long at = 0;
    long now = from;
    while (done < slots && now < until) {
      at = place(random, done, slots) * bytes;
      file.read(at, buffer);
      Content.checkEqual("read", at, buffer.get(JAVA_LONG, 0), Content.at(at, 0));
      int last = bytes - Long.BYTES;
      Content.checkEqual("read", at + last, buffer.get(JAVA_LONG, last), Content.at(at + last, 0));
      done++;
      long before = now;
      now = env.nanoTime();
      worst = Math.max(worst, now - before);
    }
    Content.check(buffer, at, 0);
    return new Lap(done, done * bytes, now - from, worst);
  }

  private Lap writes(boolean random, int bytes, long millis) throws IOException {
    long slots = fileBytes / bytes;
    version++;
    Content.fill(buffer, 0, version);
    BitSet written = new BitSet();
    long from = env.nanoTime();
    long until = from + millis * 1_000_000;
    long done = 0;
    long worst = 0;
    long now = from;
    while (done < slots && now < until) {
      long slot = place(random, done, slots);
      buffer.set(JAVA_LONG, 0, Content.at(slot * bytes, version));
      file.write(slot * bytes, buffer);
      written.set((int) slot);
      done++;
      long before = now;
      now = env.nanoTime();
      worst = Math.max(worst, now - before);
    }
    if (flushes) {
      file.flush();
      now = env.nanoTime();
    }
    checkWritten(written, bytes);
    return new Lap(done, done * bytes, now - from, worst);
  }

  private long place(boolean random, long index, long slots) {
    long key = random ? Content.mix(index + version * 7919) : index;
    return Long.remainderUnsigned(key, slots);
  }

  /** Compares the whole file, and puts back what was written. */
  private void checkWritten(BitSet written, int bytes) throws IOException {
    for (long at = 0; at < fileBytes; at += CHUNK_BYTES) {
      file.read(at, chunk);
      for (long i = 0; i < CHUNK_BYTES; i += Long.BYTES) {
        long place = at + i;
        long in = place % bytes;
        boolean isNew = written.get((int) (place / bytes));
        long expected =
            !isNew
                ? Content.at(place, 0)
                : in == 0 ? Content.at(place, version) : Content.at(in, version);
        Content.checkEqual("written", place, chunk.get(JAVA_LONG, i), expected);
      }
      int first = (int) (at / bytes);
      int last = (int) ((at + CHUNK_BYTES - 1) / bytes);
      int next = written.nextSetBit(first);
      if (next >= 0 && next <= last) {
        Content.fill(chunk, at, 0);
        file.write(at, chunk);
      }
    }
    if (flushes) {
      file.flush();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
    arena.close();
  }
}
