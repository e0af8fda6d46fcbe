package org.millrace.bench.papers;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Places;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;

/**
 * A file whose one strand lies on one node, read and written in requests of 1 KB, one after the
 * other, for as long as somebody likes. Each eight bytes say where they belong and which write they
 * came with; of every read all are compared at once, what was written when it is verified.
 *
 * <p>Belongs to the rank's thread. Closing closes the file.
 */
final class StreamedFile implements AutoCloseable {

  /** Of one request, as in the paper. */
  static final int REQUEST_BYTES = 1 << 10;

  private static final int CHUNK_BYTES = 1 << 20;
  private static final int REQUESTS_PER_LOOK = 16;

  private final Env env;
  private final SharedFile file;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment chunk = arena.allocate(CHUNK_BYTES, 4096);
  private final MemorySegment buffer = chunk.asSlice(0, REQUEST_BYTES);

  /** The write that each request's place was last written by; 0 is the first filling. */
  private final int[] writes;

  private int lastWrite;
  private long streams;

  /** Tells when a stream should end. */
  interface Until {
    boolean reached() throws IOException;
  }

  /**
   * What a stream did.
   *
   * @param requests how many
   * @param nanos it took
   * @param cpuNanos of all threads of this process
   */
  record Streamed(long requests, long nanos, long cpuNanos) {

    @Override
    public String toString() {
      return requests + " " + nanos + " " + cpuNanos;
    }

    static Streamed parse(String text) {
      String[] words = text.split(" ", -1);
      return new Streamed(
          Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    double perSecond() {
      return requests * 1e9 / Math.max(1, nanos);
    }

    double cores() {
      return (double) cpuNanos / Math.max(1, nanos);
    }
  }

  /**
   * Makes the file.
   *
   * @param node that its strand lies on
   * @param bytes a multiple of a mebibyte
   */
  StreamedFile(Env env, Rank rank, int node, long bytes) throws IOException {
    this.env = env;
    writes = new int[Math.toIntExact(bytes / REQUEST_BYTES)];
    file = rank.open("stream-" + node, OpenOptions.create().withStrands(1).withFirstNode(node));
    Content.checkEqual("node of the strand", 0, file.layout().node(0), node);
    for (long at = 0; at < bytes; at += CHUNK_BYTES) {
      Content.fill(chunk, at, 0);
      file.at(at).write(chunk);
    }
    file.flush();
  }

  /** Requests until that is reached; writes are durable when it returns, which does not count. */
  Streamed run(boolean write, boolean random, Until until) throws IOException {
    Places places = new Places(++streams, 0, writes.length);
    long cpu = SharingRank.cpuNanos();
    long from = env.nanoTime();
    long done = 0;
    do {
      for (int i = 0; i < REQUESTS_PER_LOOK; i++) {
        int place = (int) (random ? places.next() : done % writes.length);
        if (write) {
          write(place);
        } else {
          read(place);
        }
        done++;
      }
    } while (!until.reached());
    Streamed streamed = new Streamed(done, env.nanoTime() - from, SharingRank.cpuNanos() - cpu);
    if (write) {
      file.flush();
    }
    return streamed;
  }

  private void read(int place) throws IOException {
    long at = (long) place * REQUEST_BYTES;
    long count = file.at(at).read(buffer);
    Content.checkEqual("bytes read", at, count, REQUEST_BYTES);
    Content.check(buffer, at, writes[place]);
  }

  private void write(int place) throws IOException {
    long at = (long) place * REQUEST_BYTES;
    writes[place] = ++lastWrite;
    Content.fill(buffer, at, lastWrite);
    file.at(at).write(buffer);
  }

  /** Reads the whole file; throws if any of it is not what was written last. */
  void verify() throws IOException {
    Content.checkEqual("size", 0, file.size(), (long) writes.length * REQUEST_BYTES);
    int perChunk = CHUNK_BYTES / REQUEST_BYTES;
    for (int first = 0; first < writes.length; first += perChunk) {
      long at = (long) first * REQUEST_BYTES;
      file.at(at).read(chunk);
      for (int i = 0; i < perChunk; i++) {
        long in = (long) i * REQUEST_BYTES;
        Content.check(chunk.asSlice(in, REQUEST_BYTES), at + in, writes[first + i]);
      }
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
    arena.close();
  }
}
