package org.millrace.bench.peers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.measure.Launch;
import org.millrace.env.Env;

/**
 * Has an implementation of MPI-IO carry out cases, and starts it again behind those that had to be
 * cut off. Used by one thread.
 */
public final class PeerRunner {

  /** Making types, filling and checking memory take time beside the laps. */
  private static final long SILENCE_NANOS = 30_000_000_000L;

  private static final int CHUNK_BYTES = 1 << 20;

  // constant after construction
  private final Env env;
  private final Path folder;
  private final Path data;
  private final long dataBytes;
  private final boolean cold;

  private String library = "";

  /**
   * Makes the data file.
   *
   * @param folder a folder of its own
   * @param dataBytes size of the data file, that of the largest workload
   * @param cold whether each lap begins without the file in the page cache
   */
  public PeerRunner(Env env, Path folder, long dataBytes, boolean cold) throws IOException {
    this.env = env;
    this.folder = folder;
    this.data = folder.resolve("data");
    this.dataBytes = dataBytes;
    this.cold = cold;
    makeData();
  }

  /** The data file: the word k at byte 8k. */
  Path data() {
    return data;
  }

  /** Which MPI ran last, as it says itself. */
  String library() {
    return library;
  }

  /**
   * Runs all cases in the order of their workloads.
   *
   * @param stepped called when a case has ended
   * @return what each took; wrong bytes are a failure of the peer, and its times then count nothing
   */
  public Map<PeerCase, PeerTimes> run(
      Peer peer, int ranks, List<Workload> workloads, List<PeerCase> cases, Runnable stepped)
      throws IOException {
    Map<PeerCase, PeerTimes> all = new LinkedHashMap<>();
    List<PeerCase> left = WorkloadFile.of(ranks, workloads, cases).cases();
    while (!left.isEmpty()) {
      Path file = folder.resolve("workloads");
      Files.writeString(file, WorkloadFile.of(ranks, workloads, left).text());
      Turn turn = new Turn(peer, left, stepped);
      Launch launch = new Launch(env, folder.resolve("launcher.err"), silence(left));
      Launch.End end = launch.run(peer.command(ranks, file, data, cold), turn::line);
      turn.end(end, launch);
      all.putAll(turn.times);
      left = left.subList(turn.times.size(), left.size());
      if (!turn.done) {
        makeData(); // it may have ended while it was writing
      }
    }
    return all;
  }

  /** A peer in one way, as it is printed. */
  public static String method(Peer peer, PeerCase one) {
    return peer.name() + ", " + one.method();
  }

  private static long silence(List<PeerCase> cases) {
    long most = cases.stream().mapToLong(PeerCase::limitMillis).max().orElse(0);
    return most * 1_000_000 + SILENCE_NANOS;
  }

  private void makeData() throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (OutputStream out = Files.newOutputStream(data)) {
      for (long at = 0; at < dataBytes; at += CHUNK_BYTES) {
        for (int i = 0; i < CHUNK_BYTES; i += Long.BYTES) {
          chunk.putLong(i, (at + i) / Long.BYTES);
        }
        out.write(chunk.array(), 0, (int) Math.min(CHUNK_BYTES, dataBytes - at));
      }
    }
  }

  /** One start of the program. Used by one thread. */
  private final class Turn {

    private final Peer peer;
    private final List<PeerCase> cases;
    private final Runnable stepped;
    private final Map<PeerCase, PeerTimes> times = new LinkedHashMap<>();

    private @Nullable PeerCase current;
    private List<Double> laps = new ArrayList<>();
    private double cutNanos;
    private String failure = "";
    private boolean done;

    Turn(Peer peer, List<PeerCase> cases, Runnable stepped) {
      this.peer = peer;
      this.cases = cases;
      this.stepped = stepped;
    }

    void line(String text) {
      PeerLine line = PeerLine.parse(text).orElse(null);
      switch (line) {
        case PeerLine.Library it -> library = it.version();
        case PeerLine.Begin it -> begin(it.key());
        case PeerLine.Sample it -> laps.add((double) it.nanos());
        case PeerLine.Cut it -> cutNanos = it.nanos();
        case PeerLine.Wrong it ->
            failure =
                "wrong bytes: the word at byte %s is %s instead of %s"
                    .formatted(it.place(), it.found(), it.expected());
        case PeerLine.Failed it -> failure = it.why();
        case PeerLine.Done _ -> done = true;
        case null -> {} // a launcher's own
      }
    }

    private void begin(String key) {
      finish();
      PeerCase next = cases.get(times.size());
      if (!next.key().equals(key)) {
        throw new IllegalStateException(key + " begins instead of " + next.key());
      }
      current = next;
    }

    /** The current case has ended. */
    private void finish() {
      if (current != null) {
        times.put(current, new PeerTimes(method(peer, current), laps, cutNanos, failure));
        stepped.run();
      }
      current = null;
      laps = new ArrayList<>();
      cutNanos = 0;
      failure = "";
    }

    /** The program has ended; throws if it could not even begin. */
    void end(Launch.End end, Launch launch) throws IOException {
      if (current == null && !done) {
        throw new IOException(
            "%s ended with %s before it began: %s"
                .formatted(peer.name(), end.status(), failure + launch.errors()));
      }
      if (current != null && end.timedOut()) {
        cutNanos = current.limitMillis() * 1e6;
      } else if (!done && cutNanos == 0 && failure.isEmpty()) {
        failure = "ended with " + end.status() + ": " + launch.errors();
      }
      finish();
    }
  }
}
