package org.millrace.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.coordinator.Lease;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A member of a group of coordinators: a Ratis server with the tree of names as its state.
 *
 * <p>At most one member answers clients at any time. A leader answers while its {@link Lease} is
 * valid. Its lease is renewed by entries of the log: one that was sent at time t and is applied in
 * its term was taken by most members after t. Whoever is elected later is so by most members, one
 * of which is among those; that one took the entry before it voted, since afterwards it would have
 * refused it. So t is before the election, and the new leader, which waits for longer than a lease
 * after it, answers only when the old one's has run out. This does not rest on when members vote,
 * on restarts or on dates: only on clocks that run at about the same speed.
 *
 * <p>Ratis' own linearizable reads do not do for this: without new entries a leader confirms a read
 * from memory, without asking anybody (decision 0111).
 *
 * <p>Safe for use by several threads. Closing leaves office and stops the server.
 */
public final class RaftMember implements ReplicatedLog {

  private static final long MILLI = 1_000_000;
  private static final long LOOK_NANOS = 10 * MILLI;

  // constant after construction
  private final Env env;
  private final RaftTimes times;
  private final RaftGroupId group;
  private final String name;
  private final RaftServer server;
  private final NameStateMachine machine;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock
  private Lease lease; // of the last office
  private boolean closed;

  private RaftMember(
      Env env, RaftTimes times, RaftGroupId group, RaftServer server, NameStateMachine machine) {
    this.env = env;
    this.times = times;
    this.group = group;
    this.name = server.getId().toString();
    this.server = server;
    this.machine = machine;
    this.changed = env.signal(lock);
    this.lease = new Lease(env);
    this.lease.end();
  }

  /**
   * Starts a member.
   *
   * @param cluster whose coordinators they are
   * @param members all of them
   * @param number of this one
   * @param joins whether the others are at work already: then this one waits until they take it in
   * @param folder of its log; what is there goes on
   * @param tls keys of the members
   */
  public static RaftMember start(
      Env env,
      RaftTimes times,
      String cluster,
      CoordinatorGroup members,
      int number,
      boolean joins,
      Path folder,
      Optional<GrpcTlsConfig> tls,
      Consumer<String> log)
      throws IOException {
    CoordinatorGroup.Member self =
        members
            .member(number)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.INVALID, "there is no coordinator " + number + " in the group"));
    RaftProperties properties = RaftSettings.of(folder, times);
    GrpcConfigKeys.Server.setHost(properties, self.host());
    GrpcConfigKeys.Server.setPort(properties, self.port());
    Parameters parameters = new Parameters();
    tls.ifPresent(keys -> GrpcConfigKeys.TLS.setConf(parameters, keys));
    NameStateMachine machine = new NameStateMachine();
    RaftGroup all = group(cluster, members);
    RaftServer server =
        RaftServer.newBuilder()
            .setServerId(peerId(number))
            .setGroup(joins ? RaftGroup.valueOf(all.getGroupId()) : all)
            .setStateMachine(machine)
            .setProperties(properties)
            .setParameters(parameters)
            // the default, FORMAT, empties the folder
            .setOption(RaftStorage.StartupOption.RECOVER)
            .build();
    RaftMember made = new RaftMember(env, times, all.getGroupId(), server, machine);
    try {
      server.start();
    } catch (IOException | RuntimeException e) {
      server.close();
      throw new MillraceException(
          ErrorCode.NODE,
          "%s cannot join the other coordinators at %s: %s"
              .formatted(self.name(), self.peers(), e.getMessage()),
          e);
    }
    log.accept("joined the coordinators at " + self.peers());
    return made;
  }

  static RaftPeerId peerId(int number) {
    return RaftPeerId.valueOf(CoordinatorGroup.nameOf(number));
  }

  static RaftGroup group(String cluster, CoordinatorGroup members) {
    return RaftGroup.valueOf(
        RaftGroupId.valueOf(UUID.fromString(cluster)),
        members.members().stream()
            .map(
                one ->
                    RaftPeer.newBuilder()
                        .setId(peerId(one.number()))
                        .setAddress(one.peers())
                        .build())
            .toList());
  }

  private DivisionInfo info() throws IOException {
    return server.getDivision(group).getInfo();
  }

  @Override
  public Optional<Office> awaitOffice() throws IOException {
    while (pause(LOOK_NANOS)) {
      DivisionInfo now = info();
      long term = now.getCurrentTerm();
      if (now.isLeaderReady() && isLeading(term) && outwait(term)) {
        return enter(term);
      }
    }
    return Optional.empty();
  }

  private boolean isLeading(long term) throws IOException {
    DivisionInfo now = info();
    return now.isLeader() && now.getCurrentTerm() == term;
  }

  /** Waits until the lease of any leader before must have run out. */
  private boolean outwait(long term) throws IOException {
    long until = env.deadlineAfter(times.waitMillis() * MILLI);
    while (env.nanoTime() < until) {
      if (!isLeading(term) || !pause(LOOK_NANOS)) {
        return false;
      }
    }
    return true;
  }

  private Optional<Office> enter(long term) throws IOException {
    Lease fresh = new Lease(env);
    // what all before have appended is applied: the first entry of this term is
    var log =
        new RaftChangeLog(
            env, name, this::submit, term, machine.state(), fresh, times.leaseMillis() * MILLI);
    lock.lock();
    try {
      if (closed) {
        return Optional.empty();
      }
      lease = fresh;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.SERVICE, "lease of " + name, () -> keep(log, fresh, term));
    return Optional.of(new Office(log, fresh));
  }

  /** Renews the lease, and ends it when this member does not lead any more. */
  private void keep(RaftChangeLog log, Lease mine, long term) {
    long next = env.nanoTime();
    try {
      while (!mine.isOver() && isLeading(term)) {
        if (env.nanoTime() >= next) {
          log.beat();
          next = env.deadlineAfter(times.beatMillis() * MILLI);
        }
        if (!pause(LOOK_NANOS)) {
          return;
        }
      }
    } catch (IOException e) {
      return; // the server has ended
    } finally {
      mine.end();
    }
  }

  private CompletableFuture<ByteBuffer> submit(Batch batch) {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(CLIENT)
            .setServerId(server.getId())
            .setGroupId(group)
            .setCallId(CallId.getAndIncrement())
            .setMessage(Message.valueOf(ByteString.copyFrom(batch.encode())))
            .setType(RaftClientRequest.writeRequestType())
            .build();
    try {
      return server.submitClientRequestAsync(request).thenCompose(RaftMember::applied);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static final ClientId CLIENT = ClientId.randomId();

  private static CompletableFuture<ByteBuffer> applied(RaftClientReply reply) {
    if (!reply.isSuccess()) {
      return CompletableFuture.failedFuture(
          reply.getException() == null ? new IOException("refused") : reply.getException());
    }
    return CompletableFuture.completedFuture(
        reply.getMessage().getContent().asReadOnlyByteBuffer());
  }

  @Override
  public List<MemberState> members() {
    List<MemberState> states = new ArrayList<>();
    try {
      RoleInfoProto role = info().getRoleInfoProto();
      if (role.hasLeaderInfo()) {
        states.add(new MemberState(number(server.getId().toString()), "leader", 0));
        for (ServerRpcProto one : role.getLeaderInfo().getFollowerInfoList()) {
          long silent = one.getLastRpcElapsedTimeMs();
          String word = silent > 2L * times.electionMillis() ? "silent" : "follower";
          states.add(new MemberState(number(one.getId().getId().toStringUtf8()), word, silent));
        }
      }
    } catch (IOException e) {
      return List.of(); // it is being closed
    }
    return states;
  }

  private static int number(String id) {
    return Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
  }

  /** False when this is closed. */
  private boolean pause(long nanos) {
    long until = env.deadlineAfter(nanos);
    lock.lock();
    try {
      while (!closed && env.nanoTime() < until) {
        changed.await(until);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      lease.end();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    server.close();
  }
}
