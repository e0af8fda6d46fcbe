package org.millrace.sim.hunt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Rank;
import org.millrace.daemon.ContextServer;
import org.millrace.daemon.ProcessContext;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.error.MillraceException;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.message.TransportOptions;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.wire.Address;
import org.millrace.wire.Secret;

/**
 * A coordinator, two nodes and ranks as simulated processes. At one request of a rank the
 * coordinator dies with the power of its disk, and another one is started a moment later. For
 * threads of its environment.
 */
final class RestartScene {

  static final long SECOND = World.SECOND;
  static final int NODES = 2;

  /** When the coordinator dies. */
  enum Moment {
    /** Before it handles the request. */
    BEFORE,
    /** When it has handled the request, and before any answer to it leaves. */
    AFTER,
    /** When what it was asked is done and durable, and before any answer to it leaves. */
    AFTER_DURABLE,
    /** When one rank has been answered, and before the others are. */
    AFTER_ONE_ANSWER
  }

  /** What a rank does. */
  interface Part {
    void run(Rank rank) throws IOException;
  }

  /** What the first coordinator is hidden behind, beside what kills it; for planted bugs. */
  interface Front {
    Endpoint of(Endpoint coordinator);
  }

  final SeededEnv env;
  final SimNet net;
  final List<String> errors = new ArrayList<>(); // by rank, what its part threw
  private final Moment moment;
  private final Secret secret = new Secret(new byte[Secret.BYTES]);
  private final ClusterOptions cluster;
  private final List<ProcessEnv> ranks = new ArrayList<>();
  private final List<ProcessEnv> nodes = new ArrayList<>();
  private final MemoryDisk[] disks = new MemoryDisk[NODES];
  private final Front later;
  private final long lateNanos; // how much later each rank is than the one before
  private MemoryDisk names = new MemoryDisk("c");
  private @Nullable ProcessEnv coordinator;
  private int starts;
  private int ended;
  private long countdown;
  private boolean dying; // one more answer leaves
  private boolean dead; // nothing is handled or answered any more
  int requests; // of ranks, to the first coordinator
  boolean happened;

  /**
   * A scene.
   *
   * @param at the number of the request of a rank at which the coordinator dies, from 1 on
   * @param later what stands before the coordinator that is started then
   */
  RestartScene(long seed, Moment moment, long at, int fanOut, Front later) {
    this.env = SeededEnv.of(seed);
    this.net = new SimNet(env, new Tally(), Planted.NOTHING);
    this.moment = moment;
    this.countdown = at;
    this.later = later;
    this.lateNanos = at % 3 * SECOND / 50;
    this.cluster =
        ClusterOptions.DEFAULT.withLimits(
            new Limits(60 * SECOND, 120 * SECOND, 8, 1 << 20).withFanOut(fanOut));
  }

  private ProcessContext context(ProcessEnv process, String at) {
    TransportOptions transport =
        TransportOptions.DEFAULT.withSharedMemory(false).withTimeouts(20 * SECOND, 2 * SECOND);
    return new ProcessContext(
        process,
        net.of(process),
        new Address.Unix("/" + at),
        new Address.Unix("/coordinator"),
        secret,
        ServerOptions.of(cluster, transport));
  }

  void pause(long nanos) {
    World.pause(env, nanos);
  }

  /** Runs a job of ranks; {@code after} runs when all have ended, with a cluster that is whole. */
  void run(int size, Part part, Part after) {
    env.run(
        () -> {
          startCoordinator(this::dyingFront);
          for (int i = 0; i < NODES; i++) {
            disks[i] = new MemoryDisk("n" + i);
            startNode(i);
          }
          for (int r = 0; r < size; r++) {
            startRank("job", r, size, part);
          }
          while (ended < size) {
            pause(SECOND / 1000);
            if (dead && !happened) {
              restart();
            }
          }
          countdown = Long.MAX_VALUE; // what follows is undisturbed
          startRank("after", 0, 1, after);
          while (ended < size + 1) {
            pause(SECOND / 10);
          }
          ranks.forEach(this::kill);
          nodes.forEach(this::kill);
          kill(coordinator);
        });
  }

  private void restart() {
    happened = true;
    kill(coordinator);
    names = names.crash();
    startCoordinator(later);
  }

  private void kill(@Nullable ProcessEnv process) {
    if (process != null) {
      net.kill(process);
      process.kill();
    }
  }

  private void startRank(String job, int number, int size, Part part) {
    ProcessEnv process = new ProcessEnv(env, job + " rank " + number);
    ranks.add(process);
    ProcessContext context = context(process, job + "-" + number);
    process.start(
        ThreadKind.RANK,
        "main",
        () -> {
          try (ProcessRank launched =
              ProcessRank.join(
                  new Launch("test", job, number, size),
                  context,
                  ProcessRankOptions.of(cluster).withServer(context.options()))) {
            World.pause(process, 1 + number * lateNanos);
            launched.run(part::run);
          } catch (IOException | RuntimeException | AssertionError e) {
            errors.add(job + " rank " + number + ": " + e);
          } finally {
            ended++;
          }
        });
  }

  private void startCoordinator(Front front) {
    ProcessEnv process = new ProcessEnv(env, "coordinator#" + ++starts);
    coordinator = process;
    serve(
        process,
        () -> ContextServer.coordinator(context(process, "coordinator"), names, NODES, front::of));
  }

  private void startNode(int number) {
    ProcessEnv process = new ProcessEnv(env, "node " + number + "#" + ++starts);
    nodes.add(process);
    ProcessContext context = context(process, "node-" + number);
    serve(process, () -> ContextServer.node(context, number, disks[number], node -> node, _ -> {}));
  }

  private interface Start {
    ContextServer run() throws IOException;
  }

  private void serve(ProcessEnv process, Start start) {
    boolean[] up = {false};
    process.start(
        ThreadKind.SERVICE,
        "main",
        () -> {
          try {
            ContextServer _ = start.run(); // until it is killed
            up[0] = true;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    while (!up[0]) {
      pause(SECOND / 1000);
    }
  }

  /** Whether this request of a rank is the one at which the coordinator dies. */
  private boolean isTheOne() {
    requests++;
    return --countdown == 0;
  }

  private Endpoint dyingFront(Endpoint real) {
    return new ForwardingEndpoint(real) {
      @Override
      public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
        boolean ofNode =
            ranks.isEmpty()
                || request instanceof CoordinatorRequest.Heartbeat
                || request instanceof CoordinatorRequest.Register;
        boolean one = !ofNode && !dead && isTheOne();
        if (dead || one && moment == Moment.BEFORE) {
          dead = true;
          return;
        }
        if (one) {
          dying = true;
        }
        super.onRequest(from, request, payload, ofNode ? replyTo : new Dying(replyTo));
        if (one && moment == Moment.AFTER) {
          dead = true;
        }
      }

      @Override
      public long onAdvance(Peer from, long key, long delta, long floor, long limit)
          throws IOException {
        boolean one = !dead && isTheOne();
        if (dead || one && moment == Moment.BEFORE) {
          die();
        }
        long start = super.onAdvance(from, key, delta, floor, limit);
        if (one && moment == Moment.AFTER) {
          die();
        }
        if (one) {
          dying = true;
        }
        return start;
      }

      @Override
      public void onSessionEnd(Peer from, String why) {
        if (!dead) {
          super.onSessionEnd(from, why);
        }
      }
    };
  }

  /** Answers nothing from now on, and never returns. */
  private void die() {
    dead = true;
    while (true) {
      pause(1000 * SECOND);
    }
  }

  /** Lets answers out while the coordinator lives, and one more if it dies then. */
  private final class Dying implements ReplyTo {
    private final ReplyTo to;

    Dying(ReplyTo to) {
      this.to = to;
    }

    private Optional<ReplyTo> living() {
      boolean lives = !dead && !(dying && moment != Moment.AFTER_ONE_ANSWER);
      dead |= dying;
      return lives ? Optional.of(to) : Optional.empty();
    }

    @Override
    public long request() {
      return to.request();
    }

    @Override
    public long heard() {
      return to.heard();
    }

    @Override
    public void reply(Message reply) {
      living().ifPresent(one -> one.reply(reply));
    }

    @Override
    public void fail(MillraceException error) {
      living().ifPresent(one -> one.fail(error));
    }
  }
}
