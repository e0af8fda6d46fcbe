package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FilePath;
import org.millrace.files.NewFile;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.OfBytes;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.testing.Seeds;

/** Locks of bytes at the coordinator, against a table of bytes. */
final class ByteLocksTest {

  private static final int BYTES = 5;
  private static final int FILES = 2;
  private static final int SESSIONS = 3;
  private static final int NUMBERS = 2; // owners of a session
  private static final long LONG_NANOS = 3_600_000_000_000L;

  /** Who asks: a session and a number of its own. */
  private record Owner(int session, int number) {}

  private record Wait(int file, Owner owner, ByteLock lock, Pending pending) {}

  /** The naive table: for each byte of each file what each owner has. */
  private static final class Table {
    final ByteLock.Kind[][][] kinds = new ByteLock.Kind[FILES][SESSIONS * NUMBERS][BYTES];
    final List<Wait> waits = new ArrayList<>();

    Table() {
      for (ByteLock.Kind[][] file : kinds) {
        for (ByteLock.Kind[] owner : file) {
          Arrays.fill(owner, ByteLock.Kind.NONE);
        }
      }
    }

    static int place(Owner owner) {
      return owner.session * NUMBERS + owner.number;
    }

    Set<Owner> blockers(int file, Owner owner, ByteLock lock) {
      Set<Owner> found = new HashSet<>();
      for (int other = 0; other < SESSIONS * NUMBERS; other++) {
        for (int b = (int) lock.from(); b < end(lock); b++) {
          ByteLock.Kind kind = kinds[file][other][b];
          boolean both = kind != ByteLock.Kind.NONE && lock.kind() != ByteLock.Kind.NONE;
          boolean one = kind == ByteLock.Kind.EXCLUSIVE || lock.kind() == ByteLock.Kind.EXCLUSIVE;
          if (other != place(owner) && both && one) {
            found.add(new Owner(other / NUMBERS, other % NUMBERS));
          }
        }
      }
      return found;
    }

    static int end(ByteLock lock) {
      return lock.length() == ByteLock.TO_THE_END ? BYTES : (int) (lock.from() + lock.length());
    }

    void set(int file, Owner owner, ByteLock lock) {
      for (int b = (int) lock.from(); b < end(lock); b++) {
        kinds[file][place(owner)][b] = lock.kind();
      }
    }

    boolean isCircle(int file, Owner owner, ByteLock lock) {
      Set<Owner> reached = new HashSet<>(blockers(file, owner, lock));
      for (int i = 0; i < SESSIONS * NUMBERS; i++) {
        for (Wait wait : waits) {
          if (reached.contains(wait.owner)) {
            reached.addAll(blockers(wait.file, wait.owner, wait.lock));
          }
        }
      }
      return reached.contains(owner);
    }

    /** Grants what can be granted; returns what was. */
    List<Wait> grant() {
      List<Wait> granted = new ArrayList<>();
      Optional<Wait> next = firstFree();
      while (next.isPresent()) {
        Wait wait = next.get();
        set(wait.file, wait.owner, wait.lock);
        waits.remove(wait);
        granted.add(wait);
        next = firstFree();
      }
      return granted;
    }

    private Optional<Wait> firstFree() {
      return waits.stream()
          .filter(wait -> blockers(wait.file, wait.owner, wait.lock).isEmpty())
          .findFirst();
    }
  }

  private static OfFile.Open open(int file) {
    return new OfFile.Open(FilePath.of("f" + file), Harness.CREATE, NewFile.with(0666));
  }

  private static boolean isDone(Pending pending) throws IOException {
    assertThat(pending.isDone()).as("answered at once").isTrue();
    return ((CoordinatorReply.Value) pending.await(Env.NEVER)).value() == 1;
  }

  @Test
  void randomLocksOfSeveralSessionsAreWhatATableOfBytesSays() throws IOException {
    for (long seed : Seeds.of(40)) {
      try (Harness harness = new Harness()) {
        run(harness, new Random(seed));
      } catch (AssertionError e) {
        throw new AssertionError(Seeds.replay(seed), e);
      }
    }
  }

  private static void run(Harness harness, Random random) throws IOException {
    Link[] links = new Link[SESSIONS];
    long[][] opens = new long[SESSIONS][FILES];
    for (int s = 0; s < SESSIONS; s++) {
      connect(harness, links, opens, s);
    }
    Table table = new Table();
    for (int i = 0; i < 250; i++) {
      Owner owner = new Owner(random.nextInt(SESSIONS), random.nextInt(NUMBERS));
      int file = random.nextInt(FILES);
      ByteLock lock = lock(random, owner);
      long open = opens[owner.session][file];
      Link link = links[owner.session];
      boolean free = table.blockers(file, owner, lock).isEmpty();
      switch (random.nextInt(12)) {
        case 0, 1 -> {
          var asked =
              (CoordinatorReply.Conflict) harness.call(link, new OfBytes.AskConflict(open, lock));
          assertThat(asked.lock().isEmpty()).isEqualTo(free);
        }
        case 2 -> {
          harness.call(link, new OfBytes.UnlockBytes(open, owner.number));
          table.set(file, owner, all(owner));
        }
        case 3 -> {
          if (random.nextInt(4) == 0) {
            endSession(harness, links, opens, owner.session, table);
          }
        }
        case 4, 5, 6 -> {
          Pending pending = Harness.start(link, new OfBytes.LockBytes(open, lock, LONG_NANOS));
          if (free) {
            assertThat(isDone(pending)).isTrue();
            table.set(file, owner, lock);
          } else if (table.isCircle(file, owner, lock)) {
            assertThat(harness.refusal(pending).code()).isEqualTo(ErrorCode.DEADLOCK);
          } else {
            assertThat(pending.isDone()).isFalse();
            table.waits.add(new Wait(file, owner, lock, pending));
          }
        }
        default -> {
          Pending pending = Harness.start(link, new OfBytes.LockBytes(open, lock, 0));
          assertThat(isDone(pending)).as("%s of %s", lock, owner).isEqualTo(free);
          if (free) {
            table.set(file, owner, lock);
          }
        }
      }
      for (Wait granted : table.grant()) {
        assertThat(isDone(granted.pending)).isTrue();
      }
      for (Wait wait : table.waits) {
        assertThat(wait.pending.isDone()).as("%s waits", wait).isFalse();
      }
    }
  }

  private static void connect(Harness harness, Link[] links, long[][] opens, int session)
      throws IOException {
    links[session] = harness.link("ann");
    for (int f = 0; f < FILES; f++) {
      var opened = (CoordinatorReply.FileOpened) harness.call(links[session], open(f));
      opens[session][f] = opened.opened().open();
    }
  }

  private static void endSession(
      Harness harness, Link[] links, long[][] opens, int session, Table table) throws IOException {
    links[session].close();
    table.waits.removeIf(wait -> wait.owner.session == session);
    for (int f = 0; f < FILES; f++) {
      for (int n = 0; n < NUMBERS; n++) {
        Owner owner = new Owner(session, n);
        table.set(f, owner, all(owner));
      }
    }
    connect(harness, links, opens, session);
  }

  private static ByteLock all(Owner owner) {
    return new ByteLock(owner.number, 0, ByteLock.TO_THE_END, ByteLock.Kind.NONE);
  }

  private static ByteLock lock(Random random, Owner owner) {
    int from = random.nextInt(BYTES);
    int to = from + 1 + random.nextInt(BYTES - from);
    long length = to == BYTES ? ByteLock.TO_THE_END : to - from;
    ByteLock.Kind kind = List.of(ByteLock.Kind.values()).get(random.nextInt(3));
    return new ByteLock(owner.number, from, length, kind);
  }

  @Test
  void aGrantThatSharesWhatItsOwnerHadAloneLetsOthersGoOn() throws IOException {
    try (Harness harness = new Harness()) {
      Link[] links = new Link[SESSIONS];
      long[][] opens = new long[SESSIONS][FILES];
      for (int s = 0; s < SESSIONS; s++) {
        connect(harness, links, opens, s);
      }
      Harness.start(links[0], locking(opens[0][0], 0, 1, ByteLock.Kind.EXCLUSIVE));
      Harness.start(links[1], locking(opens[1][0], 1, 1, ByteLock.Kind.EXCLUSIVE));
      Pending first = Harness.start(links[2], locking(opens[2][0], 0, 1, ByteLock.Kind.SHARED));
      Pending second = Harness.start(links[0], locking(opens[0][0], 0, 2, ByteLock.Kind.SHARED));
      assertThat(first.isDone()).isFalse();
      assertThat(second.isDone()).isFalse();
      harness.call(links[1], new OfBytes.UnlockBytes(opens[1][0], 0));
      assertThat(isDone(second)).isTrue();
      assertThat(isDone(first)).isTrue();
    }
  }

  private static OfBytes.LockBytes locking(long open, long from, long length, ByteLock.Kind kind) {
    return new OfBytes.LockBytes(open, new ByteLock(0, from, length, kind), LONG_NANOS);
  }

  @Test
  void whatAFileWasClosedWithIsNobodysToKeep() throws IOException {
    try (Harness harness = new Harness()) {
      Link[] links = new Link[SESSIONS];
      long[][] opens = new long[SESSIONS][FILES];
      for (int s = 0; s < SESSIONS; s++) {
        connect(harness, links, opens, s);
      }
      Harness.start(links[0], locking(opens[0][0], 0, 1, ByteLock.Kind.EXCLUSIVE));
      Pending waits = Harness.start(links[1], locking(opens[1][0], 0, 1, ByteLock.Kind.EXCLUSIVE));
      harness.call(links[1], new OfFile.Close(opens[1][0], false));
      assertThat(waits.isDone()).as("it waits no longer").isTrue();
      assertThat(harness.refusal(waits).code()).isEqualTo(ErrorCode.CLOSED);
      harness.call(links[0], new OfFile.Close(opens[0][0], false));
      Pending last = Harness.start(links[2], locking(opens[2][0], 0, 1, ByteLock.Kind.EXCLUSIVE));
      assertThat(isDone(last)).isTrue();
    }
  }

  @Test
  void anOwnerKeepsWhatItLockedByWayOfAnotherOpen() throws IOException {
    try (Harness harness = new Harness()) {
      Link[] links = new Link[SESSIONS];
      long[][] opens = new long[SESSIONS][FILES];
      for (int s = 0; s < 2; s++) {
        connect(harness, links, opens, s);
      }
      long second = ((CoordinatorReply.FileOpened) harness.call(links[0], open(0))).opened().open();
      Harness.start(links[0], locking(opens[0][0], 0, 1, ByteLock.Kind.EXCLUSIVE));
      Harness.start(links[0], locking(second, 2, 1, ByteLock.Kind.EXCLUSIVE));
      harness.call(links[0], new OfFile.Close(opens[0][0], false));
      Pending other = Harness.start(links[1], locking(opens[1][0], 0, 1, ByteLock.Kind.SHARED));
      assertThat(other.isDone()).isFalse();
      harness.call(links[0], new OfFile.Close(second, false));
      assertThat(isDone(other)).isTrue();
    }
  }

  @Test
  void givingBackEverySecondByteIsBounded() throws IOException {
    Quotas few = new Quotas(4, 4, 4, 4, 4, 4, 100, 1 << 20);
    try (Harness harness =
        new Harness(
            Env.real(), new MemoryDisk("test"), CoordinatorOptions.of(4, Harness.ROOT), few)) {
      Link ann = harness.link("ann");
      long open = ((CoordinatorReply.FileOpened) harness.call(ann, open(0))).opened().open();
      harness.call(ann, locking(open, 0, ByteLock.TO_THE_END, ByteLock.Kind.SHARED));
      for (int i = 0; i < 3; i++) {
        harness.call(ann, locking(open, 1 + 2 * i, 1, ByteLock.Kind.NONE));
      }
      assertThat(harness.refused(ann, locking(open, 7, 1, ByteLock.Kind.NONE)))
          .isEqualTo(ErrorCode.REFUSED);
      harness.call(ann, locking(open, 0, ByteLock.TO_THE_END, ByteLock.Kind.NONE));
      harness.call(ann, locking(open, 7, 1, ByteLock.Kind.EXCLUSIVE));
    }
  }

  @Test
  void onlyThoseWhoHaveAFileOpenLockIt() throws IOException {
    try (Harness harness = new Harness()) {
      Link ann = harness.link("ann");
      Link eve = harness.link("eve");
      var opened = (CoordinatorReply.FileOpened) harness.call(ann, open(0));
      long open = opened.opened().open();
      ByteLock lock = new ByteLock(1, 0, 1, ByteLock.Kind.SHARED);
      assertThat(harness.refused(eve, new OfBytes.LockBytes(open, lock, 0)))
          .isEqualTo(ErrorCode.CLOSED);
      harness.call(ann, new OfFile.Close(open, false));
      MillraceException closed =
          harness.refusal(Harness.start(ann, new OfBytes.AskConflict(open, lock)));
      assertThat(closed.code()).isEqualTo(ErrorCode.CLOSED);
    }
  }
}
