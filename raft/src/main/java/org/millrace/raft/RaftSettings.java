package org.millrace.raft;

import java.nio.file.Path;
import java.util.List;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.millrace.coordinator.LeaseTimes;

/** Ratis' settings where its defaults do not serve us, each with the reason. Stateless. */
final class RaftSettings {

  private static final int SNAPSHOT_ENTRIES = 20_000;

  private RaftSettings() {}

  static RaftProperties of(Path folder, LeaseTimes times) {
    RaftProperties all = new RaftProperties();
    RaftServerConfigKeys.setStorageDir(all, List.of(folder.toFile()));
    // a removed group's folder would go to /tmp
    RaftServerConfigKeys.setRemovedGroupsDir(all, folder.resolve("removed").toFile());

    // a read may not come from the memory of a leader that was replaced
    RaftServerConfigKeys.Read.setOption(all, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    // Ratis remembers the answers to all requests for so long, without a bound. Nothing rests on
    // that: a batch is applied once because of its number, however late it comes
    RaftServerConfigKeys.RetryCache.setExpiryTime(all, TimeDuration.valueOf(30, SECONDS));
    // what of the log stays in memory
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(all, 2);
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(all, SizeInBytes.valueOf("16MB"));
    // an entry is on the disk of most members before it counts
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(all, false);
    RaftServerConfigKeys.Log.setAsyncFlushEnabled(all, false);
    // a damaged log is an error, and never taken for a short one
    RaftServerConfigKeys.Log.setCorruptionPolicy(
        all, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
    // on a busy host threads wake up late, and a member would never stand for election
    RaftServerConfigKeys.setSleepDeviationThreshold(all, millis(4 * times.electionMillis()));
    RaftServerConfigKeys.LeaderElection.setPreVote(all, true);
    // one that could not reach the others for a moment may lead again at once
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(
        all, millis(times.electionMillis()));

    RaftServerConfigKeys.Rpc.setTimeoutMin(all, millis(times.electionMillis()));
    RaftServerConfigKeys.Rpc.setTimeoutMax(all, millis(times.electionMillis() * 7 / 4));
    RaftServerConfigKeys.Rpc.setRequestTimeout(all, millis(times.electionMillis()));

    // a member that could not be reached is tried again soon, however long that lasted: by default
    // every 5 s after some failures, which is later than it stands for election
    RaftServerConfigKeys.Log.Appender.setRetryPolicy(all, "1ms,10,50ms,1000000000");

    // the log stays short
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(all, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(all, SNAPSHOT_ENTRIES);
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(all, 2);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(all, true);
    RaftServerConfigKeys.Log.setSegmentSizeMax(all, SizeInBytes.valueOf("8MB"));
    RaftServerConfigKeys.Log.setPreallocatedSize(all, SizeInBytes.valueOf("1MB"));
    // a batch of many names, as after an import
    SizeInBytes largest = SizeInBytes.valueOf("64MB");
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(all, SizeInBytes.valueOf("32MB"));
    RaftServerConfigKeys.Log.setWriteBufferSize(all, SizeInBytes.valueOf("33MB"));
    GrpcConfigKeys.setMessageSizeMax(all, largest);
    return all;
  }

  private static final java.util.concurrent.TimeUnit SECONDS =
      java.util.concurrent.TimeUnit.SECONDS;

  static TimeDuration millis(int count) {
    return TimeDuration.valueOf(count, java.util.concurrent.TimeUnit.MILLISECONDS);
  }
}
