package org.millrace.sim.hunt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 * A coordinator, two nodes and ranks as simulated processes. At one moment rank 0 is cut off from
 * the coordinator, and not from the nodes; what it writes from then on is late, on the wire or
 * inside the node. The coordinator misses a session after four seconds; ranks and nodes are more
 * patient. For threads of its environment.
 */
final class CutOffScene {

  static final long SECOND = World.SECOND;
  static final int LENGTH = 100;
  static final long LATE_NANOS = 11 * SECOND;
  static final int NODES = 2;

  /** Where the late write is held up. */
  enum Late {
    ON_THE_WIRE,
    AT_THE_NODE
  }

  /** What a rank does. */
  interface Part {
    void run(Rank rank) throws IOException;
  }

  final SeededEnv env;
  final SimNet net;
  final ProcessEnv[] nodes = new ProcessEnv[NODES];
  final MemoryDisk[] disks = new MemoryDisk[NODES];
  private final Late late;
  private final boolean fenced;
  private final Class<? extends CoordinatorRequest> moment;
  private final Secret secret = new Secret(new byte[Secret.BYTES]);
  private final ClusterOptions cluster =
      ClusterOptions.DEFAULT.withLimits(new Limits(60 * SECOND, 120 * SECOND, 8, 1 << 20));
  private final List<ProcessEnv> ranks = new ArrayList<>();
  private MemoryDisk names = new MemoryDisk("c");
  private int starts;

  @Nullable ProcessEnv coordinator;
  private long cutOffSession = -1;
  long cutNanos; // when rank 0 was cut off, or 0
  boolean armed; // the next such request of rank 0 is the moment
  int ended;
  private boolean heldUp;

  CutOffScene(long seed, Late late, boolean fenced, Class<? extends CoordinatorRequest> moment) {
    this.env = SeededEnv.of(seed);
    this.net = new SimNet(env, new Tally(), Planted.NOTHING);
    this.late = late;
    this.fenced = fenced;
    this.moment = moment;
  }

  private ServerOptions options(long silenceNanos) {
    TransportOptions transport =
        TransportOptions.DEFAULT.withSharedMemory(false).withTimeouts(silenceNanos, 2 * SECOND);
    return ServerOptions.of(cluster, transport);
  }

  private ProcessContext context(ProcessEnv process, String at, long silenceNanos) {
    return new ProcessContext(
        process,
        net.of(process),
        new Address.Unix("/" + at),
        new Address.Unix("/coordinator"),
        secret,
        options(silenceNanos));
  }

  static byte[] filled(int value) {
    byte[] bytes = new byte[LENGTH];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  void pause(long nanos) {
    World.pause(env, nanos);
  }

  /** Runs a job of ranks on a fresh cluster, and {@code meanwhile} beside them. */
  void run(List<Part> parts, Runnable meanwhile) {
    env.run(
        () -> {
          startCoordinator();
          for (int i = 0; i < NODES; i++) {
            disks[i] = new MemoryDisk("n" + i);
            startNode(i);
          }
          for (int r = 0; r < parts.size(); r++) {
            startRank("job", r, parts.size(), parts.get(r));
          }
          meanwhile.run();
          while (ended < ranks.size()) {
            pause(SECOND);
          }
          ranks.forEach(this::kill);
          for (ProcessEnv node : nodes) {
            kill(node);
          }
          kill(coordinator);
        });
  }

  private void kill(@Nullable ProcessEnv process) {
    if (process != null) {
      net.kill(process);
      process.kill();
    }
  }

  ProcessEnv startRank(String job, int number, int size, Part part) {
    ProcessEnv process = new ProcessEnv(env, job + " rank " + number);
    ranks.add(process);
    ProcessContext context = context(process, job + "-" + number, 60 * SECOND);
    process.start(
        ThreadKind.RANK,
        "main",
        () -> {
          try (ProcessRank launched =
              ProcessRank.join(
                  new Launch("test", job, number, size),
                  context,
                  ProcessRankOptions.of(cluster).withServer(context.options()))) {
            launched.run(part::run);
          } catch (IOException e) {
            // a rank that was cut off cannot leave in order; what it met the test has noted
          } finally {
            ended++;
          }
        });
    return process;
  }

  void startCoordinator() {
    ProcessEnv process = new ProcessEnv(env, "coordinator#" + ++starts);
    coordinator = process;
    if (cutNanos > 0) {
      net.cut(ranks.getFirst(), process, 1000 * SECOND); // else it would come back
    }
    serve(
        process,
        () ->
            ContextServer.coordinator(
                context(process, "coordinator", 4 * SECOND), names, NODES, this::coordinatorFront));
  }

  /** Kills the coordinator with the power of its disk, and starts another one. */
  void restartCoordinator() {
    kill(coordinator);
    names = names.crash();
    startCoordinator();
  }

  void startNode(int number) {
    ProcessEnv process = new ProcessEnv(env, "node " + number + "#" + ++starts);
    nodes[number] = process;
    ProcessContext context = context(process, "node-" + number, 60 * SECOND);
    serve(
        process,
        () ->
            ContextServer.node(
                context, number, disks[number], node -> nodeFront(process, node), _ -> {}));
  }

  /** Kills a node with the power of its disk, and starts it again. */
  void restartNode(int number) {
    kill(nodes[number]);
    disks[number] = disks[number].crash();
    startNode(number);
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
      pause(SECOND / 100);
    }
  }

  private Endpoint coordinatorFront(Endpoint real) {
    return new ForwardingEndpoint(real) {
      @Override
      public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
        if (request instanceof CoordinatorRequest.Assemble first
            && first.job().equals("job")
            && first.rank() == 0) {
          cutOffSession = from.session();
        }
        if (armed && from.session() == cutOffSession && moment.isInstance(request)) {
          armed = false;
          super.onRequest(from, request, payload, new Cutting(replyTo));
        } else if (!fenced && request instanceof CoordinatorRequest.Heartbeat beat) {
          // the control: nodes never hear of a fence, and are taken to have carried out all
          var done =
              new CoordinatorRequest.Heartbeat(
                  beat.node(), beat.removed(), beat.epoch(), Long.MAX_VALUE);
          super.onRequest(from, done, payload, replyTo);
        } else {
          super.onRequest(from, request, payload, replyTo);
        }
      }
    };
  }

  /** Cuts rank 0 off when it is answered well; the answer still arrives. */
  private final class Cutting implements ReplyTo {
    private final ReplyTo to;

    Cutting(ReplyTo to) {
      this.to = to;
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
      cut();
      to.reply(reply);
    }

    @Override
    public void fail(org.millrace.error.MillraceException error) {
      to.fail(error);
    }
  }

  private void cut() {
    cutNanos = env.nanoTime();
    ProcessEnv process = ranks.getFirst();
    if (coordinator != null) {
      net.cut(process, coordinator, 1000 * SECOND);
    }
    if (late == Late.ON_THE_WIRE) {
      for (ProcessEnv node : nodes) {
        net.stall(process, node, LATE_NANOS);
      }
    }
  }

  private Endpoint nodeFront(ProcessEnv process, Endpoint real) {
    return new ForwardingEndpoint(real) {
      @Override
      public void onPut(
          Peer from, long key, long offset, MemorySegment source, long at, long length)
          throws IOException {
        boolean old = length == LENGTH && source.get(ValueLayout.JAVA_BYTE, at) == 1;
        if (old && cutNanos > 0 && late == Late.AT_THE_NODE && !heldUp) {
          heldUp = true; // not what others apply of the log
          World.pause(process, LATE_NANOS);
        }
        super.onPut(from, key, offset, source, at, length);
      }
    };
  }
}
