package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.millrace.coordinator.Batch;
import org.millrace.coordinator.BatchVerdict;
import org.millrace.coordinator.Consensus;
import org.millrace.coordinator.Lease;
import org.millrace.coordinator.NameReplica;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.env.ThreadKind;

/**
 * The log that several simulated coordinators keep, as an engine like Raft would: terms, elections
 * at any time, a leader that does not know yet that it was replaced, entries that are under way
 * when their leader is lost and end up in the log, or not, or twice, and snapshots.
 *
 * <p>What is not simulated is how members agree: an entry is committed while its leader is the last
 * that was elected and can reach the others. It is durable then, whatever crashes.
 *
 * <p>It also watches that no two leases are ever valid at once. For threads of the world's
 * environment.
 */
final class SimGroup {

  /** How many there are; most of them must be there. */
  static final int MEMBERS = 3;

  private static final int SNAPSHOT_ENTRIES = 20;
  private static final long MAX_ELECTION_NANOS = 1_400 * World.MILLI;

  /** A leader that has reached nobody for so long gives up. */
  private static final long GIVE_UP_NANOS = 1_400 * World.MILLI;

  /** An entry under way. */
  private record Pending(
      Member from, long term, Batch batch, CompletableFuture<BatchVerdict> verdict) {}

  // constant after construction
  private final World world;
  private final RandomGenerator random;
  private final ProcessEnv env;
  private final @Nullable Member[] members = new Member[MEMBERS]; // the processes that run now
  private final long[] cutUntil = new long[MEMBERS];
  private final List<Lease> leases = new ArrayList<>();

  private NameReplica applied = new NameReplica();
  private Batch snapshot = applied.state();
  private List<Batch> entries = new ArrayList<>(); // since the snapshot
  private List<Pending> pending = new ArrayList<>(); // of the leader
  private long term;
  private int leader = -1; // who was elected last
  private long electAt = -1; // when the next one is, if somebody is missing

  SimGroup(World world) {
    this.world = world;
    this.random = world.env().random("group");
    this.env = new ProcessEnv(world.env(), "group");
  }

  void start() {
    env.start(ThreadKind.SERVICE, "main", this::run);
  }

  void kill() {
    env.kill();
  }

  /** The engine of a member whose process has just started. */
  Member join(int number, ProcessEnv process) {
    Member fresh = new Member(number, process);
    members[number] = fresh;
    return fresh;
  }

  /** Who was elected last; empty if nobody was. */
  Optional<Integer> leader() {
    return leader < 0 ? Optional.empty() : Optional.of(leader);
  }

  /** A member reaches no other for a while. */
  void cut(int number, long nanos) {
    cutUntil[number] = env.nanoTime() + nanos;
  }

  /** A right to answer, of which only one may be valid at a time. */
  void watch(Lease lease) {
    leases.removeIf(Lease::isOver);
    leases.add(lease);
  }

  private void run() {
    while (true) {
      World.pause(env, World.MILLI + random.nextLong(8 * World.MILLI));
      checkLeases();
      elect();
      commit();
      for (Member one : members) {
        if (one != null) {
          one.learn();
        }
      }
    }
  }

  private void checkLeases() {
    long valid = leases.stream().filter(Lease::isValid).count();
    if (valid > 1) {
      world.violated(new Violation(valid + " coordinators may answer at the same time"));
    }
  }

  private Member member(int number) {
    return Objects.requireNonNull(members[number]);
  }

  private boolean isThere(int number) {
    Member one = members[number];
    return one != null && one.isAlive() && cutUntil[number] <= env.nanoTime();
  }

  private List<Integer> there() {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      if (isThere(i)) {
        all.add(i);
      }
    }
    return all;
  }

  /** Usually after a while without a leader, and now and then for no reason. */
  private void elect() {
    boolean led = leader >= 0 && isThere(leader) && member(leader).leads == term;
    if (led && random.nextInt(4000) > 0) {
      electAt = -1;
      return;
    }
    if (electAt < 0) {
      electAt = env.nanoTime() + random.nextLong(MAX_ELECTION_NANOS);
    }
    List<Integer> voters = there();
    if (env.nanoTime() < electAt || voters.size() <= MEMBERS / 2) {
      return;
    }
    electAt = -1;
    abandonPending();
    term++;
    leader = voters.get(random.nextInt(voters.size()));
    world.story().tell("group", "coordinator " + leader + " leads in term " + term);
    world.tally().add(Occurrence.FAULT, "election");
    member(leader).lead(term);
  }

  /** Some of what a lost leader has sent has reached the others, and counts; it is not told. */
  private void abandonPending() {
    int kept = random.nextInt(pending.size() + 1);
    for (int i = 0; i < pending.size(); i++) {
      if (i < kept && !pending.get(i).batch.records().isEmpty()) {
        apply(pending.get(i).batch);
        world.tally().add(Occurrence.FAULT, "late entry");
      }
    }
    pending = new ArrayList<>();
  }

  private void commit() {
    if (leader < 0 || !isThere(leader) || there().size() <= MEMBERS / 2) {
      return;
    }
    int count = random.nextInt(pending.size() + 1);
    for (Pending one : List.copyOf(pending.subList(0, count))) {
      BatchVerdict verdict = new BatchVerdict(apply(one.batch), one.term);
      if (random.nextInt(20) == 0) {
        apply(world.plant().doubled(one.batch)); // it was sent again
      }
      one.from.answer(one.verdict, verdict);
    }
    pending = new ArrayList<>(pending.subList(count, pending.size()));
  }

  private boolean apply(Batch batch) {
    if (!batch.records().isEmpty()) {
      entries.add(batch);
      if (entries.size() > SNAPSHOT_ENTRIES) {
        snapshot = state();
        entries = new ArrayList<>();
      }
    }
    return applied.apply(batch);
  }

  /** As a member finds it that starts with a snapshot and the log behind it. */
  private Batch state() {
    try {
      NameReplica replayed = NameReplica.of(snapshot);
      entries.forEach(replayed::apply);
      return world.plant().found(replayed.state());
    } catch (IOException e) {
      throw new Violation("a snapshot of the names cannot be read: " + e);
    }
  }

  /** One member, as its process sees it. */
  final class Member implements Consensus {

    private final int number;
    private final ProcessEnv process;
    private long leads = NONE; // the term in which it believes to lead
    private long heardNanos; // when it has reached the others
    private boolean closed;

    Member(int number, ProcessEnv process) {
      this.number = number;
      this.process = process;
    }

    boolean isAlive() {
      return !closed && !process.isKilled();
    }

    void lead(long inTerm) {
      leads = inTerm;
      heardNanos = env.nanoTime();
    }

    /** What the others say, if it can be heard; otherwise it believes for a while. */
    void learn() {
      if (isThere(number)) {
        heardNanos = env.nanoTime();
        if (leads != NONE && leads < term) {
          leads = NONE;
        }
      } else if (env.nanoTime() - heardNanos > GIVE_UP_NANOS) {
        leads = NONE;
      }
    }

    void answer(CompletableFuture<BatchVerdict> to, BatchVerdict verdict) {
      if (!isAlive()) {
        return;
      }
      long late = random.nextLong(20 * World.MILLI);
      process.start(
          ThreadKind.SERVICE,
          "verdict",
          () -> {
            World.pause(process, late);
            to.complete(verdict);
          });
    }

    @Override
    public String name() {
      return "coordinator-" + number;
    }

    @Override
    public long leadingTerm() throws IOException {
      if (closed) {
        throw new IOException("the engine has ended");
      }
      return leads;
    }

    @Override
    public CompletableFuture<BatchVerdict> submit(Batch batch) {
      if (leads == NONE || closed) {
        return CompletableFuture.failedFuture(new IOException("it does not lead"));
      }
      CompletableFuture<BatchVerdict> verdict = new CompletableFuture<>();
      if (leads == term && leader == number) {
        pending.add(new Pending(this, term, batch, verdict));
      }
      return verdict; // of one that was replaced nothing is ever heard
    }

    @Override
    public Batch state() {
      return SimGroup.this.state();
    }

    @Override
    public void resign() {
      leads = NONE;
    }

    @Override
    public List<ReplicatedLog.MemberState> members() {
      return List.of();
    }

    @Override
    public void close() {
      closed = true;
      leads = NONE;
    }
  }
}
