package org.millrace.bench.grid;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.measure.WorkerThreads;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.env.Env;

/**
 * The naive yardstick: one FileChannel call for each run of each rank, by two threads, on a plain
 * file that the page cache holds. Where that takes longer than a budget it stops, and the share
 * that was done is told.
 *
 * <p>Rank 0 calls it. The channel belongs to the caller.
 */
final class ChannelCalls implements Method {

  private static final int RUNS_BETWEEN_LOOKS = 256;

  // constant after construction
  private final Env env;
  private final WorkerThreads workers;
  private final RankMemory memory;
  private final FileChannel channel;
  private final long budgetNanos;

  // of the workload and of the last call; used by rank 0, and by one worker for each rank
  private List<Workload.Part> parts = List.of();
  private long[] runsDone = {};

  ChannelCalls(
      Env env, WorkerThreads workers, RankMemory memory, FileChannel channel, long budgetNanos) {
    this.env = env;
    this.workers = workers;
    this.memory = memory;
    this.channel = channel;
    this.budgetNanos = budgetNanos;
  }

  void lay(Workload workload) {
    parts = workload.parts();
    runsDone = new long[parts.size()];
  }

  @Override
  public String name() {
    return "calls";
  }

  @Override
  public boolean isPlain() {
    return true;
  }

  @Override
  public double run(int rank, Call call) throws IOException {
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int r = 0; r < parts.size(); r++) {
      var its = call.write() ? memory.source(r, call.complement()) : memory.target(r);
      buffers.add(its.asByteBuffer());
    }
    workers.run(call.times(), new Task(buffers, call.write(), env.deadlineAfter(budgetNanos)));
    double all = 0;
    double done = 0;
    for (int r = 0; r < parts.size(); r++) {
      all += parts.get(r).runs();
      done += runsDone[r];
    }
    return all == 0 ? 1 : done / all;
  }

  /** How many bytes of a rank's memory the last call moved. */
  long bytesDone(int rank) {
    return runsDone[rank] * parts.get(rank).runBytes();
  }

  private final class Task implements WorkerThreads.Task {

    private final List<ByteBuffer> buffers;
    private final boolean write;
    private final long deadline;

    Task(List<ByteBuffer> buffers, boolean write, long deadline) {
      this.buffers = buffers;
      this.write = write;
      this.deadline = deadline;
    }

    @Override
    public void begin() {
      java.util.Arrays.fill(runsDone, 0);
    }

    @Override
    public void run(int worker) throws IOException {
      for (int rank = worker; rank < parts.size(); rank += WorkerThreads.WORKERS) {
        Workload.Part part = parts.get(rank);
        if (part.runBytes() > 0 && env.nanoTime() < deadline) {
          ByteBuffer buffer = buffers.get(rank);
          buffer.clear();
          runs(part, rank, part.loops().size() - 1, part.offset(), buffer);
        }
      }
    }

    /** Returns false when the time is up. */
    private boolean runs(Workload.Part part, int rank, int loop, long at, ByteBuffer buffer)
        throws IOException {
      if (loop < 0) {
        move(buffer, at, (int) part.runBytes());
        return ++runsDone[rank] % RUNS_BETWEEN_LOOKS != 0 || env.nanoTime() < deadline;
      }
      Workload.Loop one = part.loops().get(loop);
      for (long i = 0; i < one.count(); i++) {
        if (!runs(part, rank, loop - 1, at + i * one.stride(), buffer)) {
          return false;
        }
      }
      return true;
    }

    private void move(ByteBuffer buffer, long at, int bytes) throws IOException {
      int end = buffer.position() + bytes;
      buffer.limit(end);
      for (long place = at; buffer.hasRemaining(); ) {
        int moved = write ? channel.write(buffer, place) : channel.read(buffer, place);
        if (moved < 0) {
          throw new WrongResultException("the plain file ends at " + place);
        }
        place += moved;
      }
    }
  }
}
