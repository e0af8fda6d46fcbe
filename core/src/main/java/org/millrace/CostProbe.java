package org.millrace;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.env.Env;
import org.millrace.env.Parker;
import org.millrace.env.ThreadKind;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.plan.Costs;

/**
 * Measures what transfers cost on this machine and on a node's disk, in some milliseconds. Copies,
 * messages, meetings and the disk are timed; what is too small to time in so short a run follows
 * the copies. Every number is kept within a factor of the defaults: a busy moment must not decide
 * the strategy for good.
 *
 * <p>For one use by one thread.
 */
final class CostProbe {

  private static final double MOST = 4;
  private static final int MEBIBYTE = 1 << 20;
  private static final long BLOCK = 64 << 10;
  private static final int MESSAGES = 2_000;
  private static final int SWITCHES = 200;
  private static final int LAPS = 3;
  private static final String SCRATCH = "cost-probe";

  private final Env env;

  CostProbe(Env env) {
    this.env = env;
  }

  Costs measure(Disk disk) throws IOException {
    Costs usual = Costs.DEFAULT;
    double copy = near(usual.copyNanosPerByte(), copyNanosPerByte());
    double slower = copy / usual.copyNanosPerByte();
    double[] ofDisk = disk(disk);
    return new Costs(
        Runtime.getRuntime().availableProcessors(),
        near(usual.messageNanos(), messageNanos()),
        near(usual.meetingNanos(), switchNanos()),
        copy,
        usual.runNanos() * slower,
        usual.getNanos() * slower,
        near(usual.seekNanos(), ofDisk[0]),
        near(usual.diskNanosPerByte(), ofDisk[1]),
        usual.missFraction(),
        false);
  }

  private static double near(double usual, double measured) {
    return Math.clamp(measured, usual / MOST, usual * MOST);
  }

  /** Beyond the processor's caches, the quickest of some. */
  private double copyNanosPerByte() {
    try (Arena arena = Arena.ofConfined()) {
      long bytes = 8L * MEBIBYTE;
      MemorySegment from = arena.allocate(bytes).fill((byte) 1);
      MemorySegment to = arena.allocate(bytes).fill((byte) 2);
      long best = Long.MAX_VALUE;
      for (int lap = 0; lap < LAPS; lap++) {
        long start = env.nanoTime();
        for (long at = 0; at < bytes; at += BLOCK) {
          MemorySegment.copy(from, at, to, at, BLOCK);
        }
        best = Math.min(best, env.nanoTime() - start);
      }
      // cores that copy at the same time share the way to memory
      double crowd = Runtime.getRuntime().availableProcessors() > 1 ? 1.5 : 1;
      return crowd * best / bytes;
    }
  }

  private record Question() implements Message {}

  /** Answers at once. */
  private static final class Echo implements Endpoint {
    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      replyTo.reply(request);
    }
  }

  private double messageNanos() throws IOException {
    Link link = Links.local(env, new Peer(0, "probe"), new Echo());
    try {
      long best = Long.MAX_VALUE;
      for (int lap = 0; lap < LAPS; lap++) {
        long start = env.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
          link.call(new Question(), MemorySegment.NULL, Env.NEVER);
        }
        best = Math.min(best, env.nanoTime() - start);
      }
      // the requests of transfers carry more than this one, and do more when they arrive
      return 10.0 * best / MESSAGES;
    } finally {
      link.close();
    }
  }

  /** One rank's part of a meeting: to be woken by another. */
  private double switchNanos() {
    Parker here = env.parker();
    Parker there = env.parker();
    long best = Long.MAX_VALUE;
    for (int lap = 0; lap < LAPS; lap++) {
      Parker done = env.parker();
      long start = env.nanoTime();
      env.start(ThreadKind.RANK, "cost probe", () -> pingPong(here, there, done, true));
      env.start(ThreadKind.RANK, "cost probe", () -> pingPong(there, here, done, false));
      done.park(Env.NEVER);
      best = Math.min(best, env.nanoTime() - start);
    }
    return (double) best / (2 * SWITCHES);
  }

  private static void pingPong(Parker own, Parker other, Parker done, boolean first) {
    for (int i = 0; i < SWITCHES; i++) {
      if (first) {
        other.unpark();
        own.park(Env.NEVER);
      } else {
        own.park(Env.NEVER);
        other.unpark();
      }
    }
    if (first) {
      done.unpark();
    }
  }

  /** Nanoseconds until a transfer has started, and of each byte of it. */
  private double[] disk(Disk disk) throws IOException {
    int small = 4096;
    long seek = Long.MAX_VALUE;
    long transfer = Long.MAX_VALUE;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(2L * MEBIBYTE, small).fill((byte) 3);
      if (disk.exists(SCRATCH)) {
        disk.delete(SCRATCH); // of a probe that was killed
      }
      try (DiskFile file = disk.create(SCRATCH)) {
        for (int lap = 0; lap < LAPS; lap++) {
          long start = env.nanoTime();
          file.write(0, bytes);
          transfer = Math.min(transfer, env.nanoTime() - start);
          start = env.nanoTime();
          file.write((long) lap * small, bytes.asSlice(0, small));
          seek = Math.min(seek, env.nanoTime() - start);
        }
        return new double[] {seek, (double) transfer / bytes.byteSize()};
      } finally {
        disk.delete(SCRATCH);
      }
    }
  }
}
