package org.millrace.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.util.SizeInBytes;
import org.millrace.coordinator.NameReplica;
import org.millrace.coordinator.StoredLog;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Reads the files of a member that does not run: its last snapshot and the entries behind it. An
 * entry that was torn by a crash ends the last segment, as it would at a start. Changes nothing.
 * For one thread.
 */
final class LogFiles {

  private static final String OPEN = "log_inprogress_";
  private static final SizeInBytes MOST = SizeInBytes.valueOf(Integer.MAX_VALUE);

  // owned by the reading thread
  private NameReplica names = new NameReplica();
  private TermIndex last = TermIndex.valueOf(0, -1);
  private TermIndex applied = last; // by the snapshot

  private LogFiles() {}

  static StoredLog read(RaftGroupId group, Path folder) throws IOException {
    Path own = folder.resolve(group.getUuid().toString());
    if (!Files.isDirectory(own.resolve("current"))) {
      throw new MillraceException(ErrorCode.CORRUPT, folder + " has no log of the coordinators");
    }
    LogFiles read = new LogFiles();
    read.loadSnapshot(own.resolve("sm"));
    for (LogSegmentPath one : segments(own.resolve("current"))) {
      read.load(one);
    }
    return new StoredLog(read.last.getTerm(), read.last.getIndex(), read.names.state());
  }

  private void loadSnapshot(Path folder) throws IOException {
    Optional<Path> newest = Optional.empty();
    for (Path file : list(folder)) {
      if (SimpleStateMachineStorage.SNAPSHOT_REGEX.matcher(name(file)).matches()) {
        newest =
            newest.isPresent() && at(newest.get()).compareTo(at(file)) > 0
                ? newest
                : Optional.of(file);
      }
    }
    if (newest.isPresent()) {
      names = NameReplica.of(NameStateMachine.read(newest.get()));
      applied = at(newest.get());
      last = applied;
    }
  }

  private static TermIndex at(Path snapshot) {
    return SimpleStateMachineStorage.getTermIndexFromSnapshotFile(snapshot.toFile());
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  private static List<LogSegmentPath> segments(Path folder) throws IOException {
    List<LogSegmentPath> found = new ArrayList<>();
    for (Path file : list(folder)) {
      LogSegmentPath segment = LogSegmentPath.matchLogSegment(file);
      if (segment != null) {
        found.add(segment);
      }
    }
    found.sort(Comparator.comparingLong(one -> start(one.getPath())));
    return found;
  }

  /** Of log_7-12 and of log_inprogress_7 it is 7. */
  private static long start(Path segment) {
    return Long.parseLong(name(segment).replaceFirst("^.*_(\\d+)(-\\d+)?$", "$1"));
  }

  private static List<Path> list(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private void load(LogSegmentPath segment) throws IOException {
    if (Files.size(segment.getPath()) == 0) {
      return; // a crash came between the making of the file and its first byte
    }
    List<LogEntryProto> entries = new ArrayList<>();
    CorruptionPolicy policy =
        name(segment.getPath()).startsWith(OPEN)
            ? CorruptionPolicy.WARN_AND_RETURN
            : CorruptionPolicy.EXCEPTION;
    LogSegment.readSegmentFile(
        segment.getPath().toFile(), segment.getStartEnd(), MOST, policy, null, entries::add);
    for (LogEntryProto entry : entries) {
      TermIndex at = TermIndex.valueOf(entry);
      if (at.getIndex() > applied.getIndex()) {
        if (entry.hasStateMachineLogEntry()) {
          names.apply(NameStateMachine.decode(entry));
        }
        last = at;
      }
    }
  }
}
