package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * An engine that keeps one log on several hosts, as one member of the group sees it: Raft, with the
 * {@link NameReplica} as the state that its entries make. It may lose its leader at any moment, and
 * an entry that was under way then may be in the log or not, or twice.
 *
 * <p>What a leader may do with its clients meanwhile is not its matter: {@link ConsensusMember}
 * decides that. Safe for use by several threads. Closing leaves the group.
 */
public interface Consensus extends AutoCloseable {

  /** No term. */
  long NONE = -1;

  /** What this member is called. */
  String name();

  /**
   * The term in which this member leads, as far as it knows, and has applied all that was appended
   * in earlier terms; {@link #NONE} if it does not.
   *
   * @throws IOException if the engine has ended
   */
  long leadingTerm() throws IOException;

  /**
   * Appends an entry, if this member leads, and says what the members have made of it. Fails if it
   * is not known what becomes of it. An entry that gets a verdict was taken by most members after
   * this call began, in the term of the verdict.
   */
  CompletableFuture<BatchVerdict> submit(Batch batch);

  /** All that has been applied here, as one batch with the number of the last. */
  Batch state();

  /** As {@link ReplicatedLog#resign}. */
  void resign();

  /** As {@link ReplicatedLog#members}. */
  List<ReplicatedLog.MemberState> members();

  @Override
  void close() throws IOException;
}
