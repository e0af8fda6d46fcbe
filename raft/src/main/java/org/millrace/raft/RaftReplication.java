package org.millrace.raft;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.util.TimeDuration;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.coordinator.LeaseTimes;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.coordinator.StoredLog;
import org.millrace.daemon.Replication;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Several coordinators by Apache Ratis. Found as a service. Stateless. */
public final class RaftReplication implements Replication {

  private static final int ASK_SECONDS = 3;
  private static final int CHANGE_TRIES = 20;

  /** Called by the service loader. */
  public RaftReplication() {}

  @Override
  public ReplicatedLog join(Env env, Membership member, Path folder, Consumer<String> log)
      throws IOException {
    return RaftMember.start(
        env,
        LeaseTimes.DEFAULT,
        member.cluster(),
        member.group(),
        member.number(),
        member.beginning(),
        folder,
        Optional.of(RaftKeys.load(member.keys(), () -> hosts(member))),
        log);
  }

  /** As the file says now: a member on another host may have been added since. */
  private static Set<String> hosts(Membership member) {
    Set<String> all = new HashSet<>();
    member.group().members().forEach(one -> all.add(one.host()));
    try {
      CoordinatorGroup.read(member.directory())
          .ifPresent(now -> now.members().forEach(one -> all.add(one.host())));
    } catch (IOException e) {
      return all; // somebody is writing it, perhaps wrongly
    }
    return all;
  }

  @Override
  public StoredLog read(String cluster, Path folder) throws IOException {
    return LogFiles.read(RaftMember.groupId(cluster), folder);
  }

  private static RaftClient client(Membership asked, int tries) throws IOException {
    RaftProperties properties = new RaftProperties();
    RaftClientConfigKeys.Rpc.setRequestTimeout(
        properties, TimeDuration.valueOf(ASK_SECONDS, TimeUnit.SECONDS));
    Parameters parameters = new Parameters();
    GrpcConfigKeys.TLS.setConf(parameters, RaftKeys.load(asked.keys(), () -> hosts(asked)));
    return RaftClient.newBuilder()
        .setProperties(properties)
        .setParameters(parameters)
        .setRaftGroup(RaftMember.group(asked.cluster(), asked.group()))
        .setRetryPolicy(
            RetryPolicies.retryUpToMaximumCountWithFixedSleep(
                tries, TimeDuration.valueOf(500, TimeUnit.MILLISECONDS)))
        .build();
  }

  @Override
  public void change(Membership asked, CoordinatorGroup to) throws IOException {
    try (RaftClient client = client(asked, CHANGE_TRIES)) {
      RaftClientReply reply =
          client
              .admin()
              .setConfiguration(List.copyOf(RaftMember.group(asked.cluster(), to).getPeers()));
      if (!reply.isSuccess()) {
        throw new MillraceException(
            ErrorCode.NODE,
            "the coordinators do not agree to a change of members: " + reply.getException(),
            reply.getException());
      }
    }
  }
}
