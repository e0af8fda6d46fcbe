package org.millrace.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
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
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.ExitUtils;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.coordinator.Batch;
import org.millrace.coordinator.BatchVerdict;
import org.millrace.coordinator.Consensus;
import org.millrace.coordinator.ConsensusMember;
import org.millrace.coordinator.LeaseTimes;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.daemon.Server.Beginning;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A member of a group of coordinators: a Ratis server with the tree of names as its state.
 *
 * <p>Ratis' own linearizable reads do not do for coordinators: without new entries a leader
 * confirms a read from memory, without asking anybody (decision 0111). So {@link ConsensusMember}
 * decides who answers.
 *
 * <p>Safe for use by several threads. Closing stops the server; idempotent.
 */
public final class RaftMember implements Consensus {

  private static final int RESIGN_MILLIS = 1000;
  private static final ClientId CLIENT = ClientId.randomId();

  // constant after construction
  private final LeaseTimes times;
  private final RaftGroupId group;
  private final RaftServer server;
  private final NameStateMachine machine;
  private final Consumer<String> log;

  private RaftMember(
      LeaseTimes times,
      RaftGroupId group,
      RaftServer server,
      NameStateMachine machine,
      Consumer<String> log) {
    this.times = times;
    this.group = group;
    this.server = server;
    this.machine = machine;
    this.log = log;
  }

  /**
   * Starts a member.
   *
   * @param cluster whose coordinators they are
   * @param members all of them
   * @param number of this one
   * @param beginning whether its log may be missing because it has none yet, and whether the others
   *     are at work already: then this one waits until they take it in
   * @param folder of its log; what is there goes on
   * @param tls keys of the members
   */
  public static ReplicatedLog start(
      Env env,
      LeaseTimes times,
      String cluster,
      CoordinatorGroup members,
      int number,
      Beginning beginning,
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
    RaftGroup all = group(cluster, members);
    if (beginning == Beginning.NONE) {
      requireLog(folder, all.getGroupId(), number);
    }
    RaftProperties properties = RaftSettings.of(folder, times);
    GrpcConfigKeys.Server.setHost(properties, self.host());
    GrpcConfigKeys.Server.setPort(properties, self.port());
    Parameters parameters = new Parameters();
    tls.ifPresent(keys -> GrpcConfigKeys.TLS.setConf(parameters, keys));
    AtomicReference<ConsensusMember> failing = new AtomicReference<>();
    NameStateMachine machine =
        new NameStateMachine(
            cause -> Optional.ofNullable(failing.get()).ifPresent(it -> it.onFailed(cause)));
    ownExits();
    RaftServer server =
        RaftServer.newBuilder()
            .setServerId(peerId(number))
            .setGroup(beginning == Beginning.JOINS ? RaftGroup.valueOf(all.getGroupId()) : all)
            .setStateMachine(machine)
            .setProperties(properties)
            .setParameters(parameters)
            // the default, FORMAT, empties the folder
            .setOption(RaftStorage.StartupOption.RECOVER)
            .build();
    var engine = new RaftMember(times, all.getGroupId(), server, machine, log);
    var made = new ConsensusMember(env, times, engine, log);
    failing.set(made);
    try {
      server.start();
    } catch (IOException | RuntimeException e) {
      server.close();
      throw new MillraceException(
          ErrorCode.NODE,
          "%s cannot join the other coordinators at %s: %s"
              .formatted(self.name(), self.peers(), reason(e)),
          e);
    }
    log.accept("joined the coordinators at " + self.peers());
    return made;
  }

  /** What Ratis says, and what is behind it: a port that is taken, for example. */
  private static String reason(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause == error
        ? "" + error.getMessage()
        : error.getMessage() + ": " + cause.getMessage();
  }

  /** One that has forgotten what it acknowledged, and for whom it voted, may not come back. */
  private static void requireLog(Path folder, RaftGroupId group, int number)
      throws MillraceException {
    Path known = folder.resolve(group.getUuid().toString()).resolve("current").resolve("raft-meta");
    if (!Files.exists(known)) {
      throw new MillraceException(
          ErrorCode.CORRUPT,
          ("%1$s has no log of the coordinators any more, or never had one; what it knew cannot come"
                  + " back under its number: let another take its place with: millrace coordinators"
                  + " replace %2$s")
              .formatted(folder, number));
    }
  }

  /**
   * Ratis would end this process without a word where it cannot go on, and also when any thread of
   * ours fails.
   */
  private static void ownExits() {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    ExitUtils.disableSystemExit();
    Thread.setDefaultUncaughtExceptionHandler(before);
  }

  static RaftPeerId peerId(int number) {
    return RaftPeerId.valueOf(CoordinatorGroup.nameOf(number));
  }

  static RaftGroupId groupId(String cluster) {
    return RaftGroupId.valueOf(UUID.fromString(cluster));
  }

  static RaftGroup group(String cluster, CoordinatorGroup members) {
    return RaftGroup.valueOf(
        groupId(cluster),
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
  public String name() {
    return server.getId().toString();
  }

  /** Ready means that the first entry of its term is applied, and so are all before. */
  @Override
  public long leadingTerm() throws IOException {
    DivisionInfo now = info();
    long term = now.getCurrentTerm();
    return now.isLeaderReady() && now.isLeader() && now.getCurrentTerm() == term ? term : NONE;
  }

  @Override
  public Batch state() {
    return machine.state();
  }

  @Override
  public void resign() {
    var request =
        new TransferLeadershipRequest(
            CLIENT, server.getId(), group, CallId.getAndIncrement(), null, RESIGN_MILLIS);
    try {
      var _ = server.transferLeadershipAsync(request); // if it fails, it leads on
    } catch (IOException e) {
      log.accept("trouble: cannot let another lead: " + e.getMessage());
    }
  }

  @Override
  public CompletableFuture<BatchVerdict> submit(Batch batch) {
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

  private static CompletableFuture<BatchVerdict> applied(RaftClientReply reply) {
    if (!reply.isSuccess()) {
      return CompletableFuture.failedFuture(
          reply.getException() == null ? new IOException("refused") : reply.getException());
    }
    return CompletableFuture.completedFuture(
        BatchVerdict.decode(reply.getMessage().getContent().asReadOnlyByteBuffer()));
  }

  @Override
  public List<ReplicatedLog.MemberState> members() {
    List<ReplicatedLog.MemberState> states = new ArrayList<>();
    try {
      RoleInfoProto role = info().getRoleInfoProto();
      if (role.hasLeaderInfo()) {
        states.add(new ReplicatedLog.MemberState(number(server.getId().toString()), "leader", 0));
        for (ServerRpcProto one : role.getLeaderInfo().getFollowerInfoList()) {
          long silent = one.getLastRpcElapsedTimeMs();
          String word = silent > 2L * times.electionMillis() ? "silent" : "follower";
          states.add(
              new ReplicatedLog.MemberState(
                  number(one.getId().getId().toStringUtf8()), word, silent));
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

  @Override
  public void close() throws IOException {
    server.close();
  }
}
