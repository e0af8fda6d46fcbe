package org.millrace.raft;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.util.CodeInjectionForTesting;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.coordinator.ConsensusMember;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.CoordinatorOptions;
import org.millrace.coordinator.LeaseTimes;
import org.millrace.coordinator.LeasedEndpoint;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.daemon.Server;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.wire.Address;
import org.millrace.wire.Secret;

/**
 * Coordinators of one cluster in this JVM, each with a folder of its own, whose connections can be
 * cut. Safe for use by several threads.
 */
final class TestGroup implements AutoCloseable {

  static final Path NOWHERE = Path.of("/nowhere");
  static final String CLUSTER = "5a0f0f5e-51a3-4cf3-8f4a-0d5f3f0c6a11";

  private static final List<String> POINTS =
      List.of(
          "RaftServerImpl.requestVote",
          "RaftServerImpl.appendEntries",
          "RaftServerImpl.installSnapshot");

  private final Env env = Env.real();
  private final Path folder;
  private final LeaseTimes times;
  private final Optional<Path> keys;
  private final CoordinatorGroup group;
  private final Map<Integer, ReplicatedLog> members = new ConcurrentHashMap<>();
  private final Map<Integer, ReplicatedLog.Office> offices = new ConcurrentHashMap<>();
  private final Map<Integer, LeasedEndpoint> serving = new ConcurrentHashMap<>();
  private final List<Integer> order = new CopyOnWriteArrayList<>(); // as they began to serve
  private final Set<Integer> begun = ConcurrentHashMap.newKeySet();
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final Set<String> cut = ConcurrentHashMap.newKeySet();
  private final AtomicLong sessions = new AtomicLong(1);
  private final Secret secret = new Secret(new byte[Secret.BYTES]);

  TestGroup(Path folder, LeaseTimes times) throws IOException {
    this(folder, times, Optional.empty());
  }

  /**
   * As above.
   *
   * @param keys folder of the members' keys, if they talk TLS
   */
  TestGroup(Path folder, LeaseTimes times, Optional<Path> keys) throws IOException {
    this.folder = folder;
    this.times = times;
    this.keys = keys;
    List<CoordinatorGroup.Member> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      all.add(
          new CoordinatorGroup.Member(
              i, "127.0.0.1:" + freePort(), new Address.Unix("/nowhere/" + i)));
    }
    group = new CoordinatorGroup(all);
    for (String point : POINTS) {
      CodeInjectionForTesting.put(point, this::refuseIfCut);
    }
    for (int i = 0; i < 3; i++) {
      start(i);
    }
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  CoordinatorGroup group() {
    return group;
  }

  private boolean refuseIfCut(Object local, Object remote, Object... more) {
    if (cut.contains("" + local) || cut.contains("" + remote)) {
      throw new IllegalStateException("cut");
    }
    return false;
  }

  /** Nobody reaches a member, and it reaches nobody, or it does again. */
  void cut(int number, boolean isCut) {
    if (isCut) {
      cut.add(CoordinatorGroup.nameOf(number));
    } else {
      cut.remove(CoordinatorGroup.nameOf(number));
    }
  }

  Path folderOf(int number) {
    return folder.resolve("m" + number);
  }

  /** What members have told people. */
  List<String> said() {
    return List.copyOf(said);
  }

  void start(int number) throws IOException {
    boolean isNew = begun.add(number);
    ReplicatedLog member =
        RaftMember.start(
            env,
            times,
            CLUSTER,
            group,
            number,
            isNew ? Server.Beginning.BEGINS : Server.Beginning.NONE,
            folderOf(number),
            keys.isPresent()
                ? Optional.of(RaftKeys.load(keys.get(), () -> Set.of("127.0.0.1")))
                : Optional.empty(),
            said::add);
    members.put(number, member);
    env.start(ThreadKind.SERVICE, "member " + number, () -> lead(number, member));
  }

  private void lead(int number, ReplicatedLog member) {
    while (true) {
      try {
        Optional<ReplicatedLog.Office> office = member.awaitOffice();
        if (office.isEmpty()) {
          return;
        }
        hold(number, office.get());
      } catch (IOException e) {
        Thread.onSpinWait(); // lost before it began
      }
    }
  }

  private void hold(int number, ReplicatedLog.Office office) throws IOException {
    var options = CoordinatorOptions.of(4, "tester").withSecret(secret);
    Coordinator coordinator;
    try {
      coordinator =
          new Coordinator(env, office.log(), options, _ -> Coordinator.StrandPresence.UNKNOWN);
    } catch (IOException e) {
      office.lease().onCut();
      throw e;
    }
    offices.put(number, office);
    serving.put(number, new LeasedEndpoint(coordinator, office.lease()));
    order.add(number);
    office.lease().awaitOver();
    serving.remove(number);
    order.removeIf(one -> one == number);
    offices.remove(number);
    office.lease().onCut();
    coordinator.abandon();
  }

  /** Ends a member, without a word to clients. */
  void stop(int number) throws IOException {
    ReplicatedLog member = members.remove(number);
    if (member != null) {
      member.close();
    }
  }

  /** A member's disk fails, as Ratis tells its state machine. */
  void failLog(int number) {
    ((ConsensusMember) Objects.requireNonNull(members.get(number)))
        .onFailed(new IOException("no space left on device"));
  }

  /** How many may answer at this moment. */
  int answering() {
    int count = 0;
    for (ReplicatedLog.Office office : List.copyOf(offices.values())) {
      count += office.lease().isValid() ? 1 : 0;
    }
    return count;
  }

  /** Who may answer at this moment; -1 if nobody may. */
  int leader() {
    for (Map.Entry<Integer, ReplicatedLog.Office> one : offices.entrySet()) {
      if (one.getValue().lease().isValid()) {
        return one.getKey();
      }
    }
    return -1;
  }

  /** Who has begun to serve, and may not know yet that another one leads. */
  List<Integer> serving() {
    return serving.keySet().stream().sorted().toList();
  }

  /** Who has begun to serve last; -1 if nobody serves. */
  int newest() {
    Integer[] all = order.toArray(Integer[]::new);
    return all.length == 0 ? -1 : all[all.length - 1];
  }

  int awaitLeader() throws IOException {
    int[] found = {-1};
    org.millrace.testing.Eventually.holds(
        "one of them leads",
        () -> {
          found[0] = leader();
          return found[0] >= 0;
        });
    return found[0];
  }

  /** Asks a member that serves; the outcome is unknown if it does not answer in time. */
  Message ask(int number, CoordinatorRequest request, long nanos) throws IOException {
    LeasedEndpoint endpoint = serving.get(number);
    if (endpoint == null) {
      throw new MillraceException(ErrorCode.NODE, "it does not lead");
    }
    try (Link link = Links.local(env, new Peer(sessions.getAndIncrement(), "tester"), endpoint)) {
      return link.call(request, MemorySegment.NULL, env.deadlineAfter(nanos));
    }
  }

  @Override
  public void close() throws IOException {
    POINTS.forEach(CodeInjectionForTesting::remove);
    for (int number : List.copyOf(members.keySet())) {
      stop(number);
    }
  }
}
