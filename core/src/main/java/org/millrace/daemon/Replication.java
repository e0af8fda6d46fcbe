package org.millrace.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.millrace.cluster.ClusterCheck;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.coordinator.StoredLog;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Lets several coordinators keep one log. The core has no such engine: the module {@code raft} has
 * one, which is found if it is there. Stateless.
 */
public interface Replication {

  /**
   * A member of a group.
   *
   * @param cluster whose coordinators they are
   * @param group all of them
   * @param number of this one
   * @param keys folder of the keys with which members recognize each other
   * @param directory in which the file is that lists the members, as they are at any time
   * @param beginning what it does if it has no log yet
   */
  record Membership(
      String cluster,
      CoordinatorGroup group,
      int number,
      Path keys,
      Path directory,
      Server.Beginning beginning) {}

  /**
   * Starts this member.
   *
   * @param folder of the log; what is there goes on
   * @param log told what happens, for people
   */
  ReplicatedLog join(Env env, Membership member, Path folder, Consumer<String> log)
      throws IOException;

  /**
   * Lets the group consist of other members from now on. Most of the old ones and most of the new
   * ones must be there.
   */
  void change(Membership asked, CoordinatorGroup to) throws IOException;

  /** Reads the log of a member that does not run, as {@link StoredLog.Reader#read}. */
  StoredLog read(String cluster, Path folder) throws IOException;

  /** The folder of a member's log in the member's part of a directory. */
  static Path folder(Path part) {
    return part.resolve("raft");
  }

  /** Opens a cluster that does not run, of one coordinator or of several, to check it. */
  static ClusterCheck openStopped(Env env, Path directory) throws IOException {
    return ClusterCheck.open(
        env, directory, (cluster, part) -> require().read(cluster, folder(part)));
  }

  /** The engine, if it is there. */
  static Optional<Replication> find() {
    return ServiceLoader.load(Replication.class).findFirst();
  }

  /**
   * The engine.
   *
   * @throws MillraceException if it is not there, saying what to do
   */
  static Replication require() throws MillraceException {
    return find()
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.INVALID,
                    "several coordinators need the module raft, which is not there: build it with mvn"
                        + " package, which downloads Apache Ratis, and put its jars on the class"
                        + " path; or use one coordinator"));
  }
}
