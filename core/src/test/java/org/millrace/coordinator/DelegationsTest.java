package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.files.FilePath;
import org.millrace.files.NewFile;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.FileOpened;
import org.millrace.protocol.CoordinatorReply.WantedBack;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.Delegated;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.Recalled;
import org.millrace.wire.Secret;

/** Nobody is told that it may write a file while others keep its bytes, under seeded schedules. */
final class DelegationsTest {

  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1000 * MILLI;
  private static final long GRACE_NANOS = 5 * SECOND;
  private static final OpenFlags READING =
      new OpenFlags(true, false, false, false, false, false, false, 0644, 0, 0);
  private static final CoordinatorOptions OPTIONS =
      CoordinatorOptions.of(1, Harness.ROOT)
          .withSecret(new Secret(new byte[Secret.BYTES]))
          .withGraceNanos(GRACE_NANOS);
  private static final OfFile.GiveBack ASKING = new OfFile.GiveBack(List.of(), SECOND);

  /** What a test does in virtual time. */
  private interface Scene {
    void play(SeededEnv env) throws IOException, InterruptedException;
  }

  private static void play(long seed, Scene scene) {
    SeededEnv env = SeededEnv.of(seed);
    env.run(() -> act(env, scene));
  }

  private static void act(SeededEnv env, Scene scene) {
    try {
      scene.play(env);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static OfFile.Open open(String path, OpenFlags flags) {
    return new OfFile.Open(FilePath.of(path), flags, NewFile.with(0644));
  }

  private static FileOpened opened(Harness harness, Link link, String path, OpenFlags flags)
      throws IOException {
    return (FileOpened) harness.call(link, open(path, flags));
  }

  private static void close(Harness harness, Link link, FileOpened file) throws IOException {
    harness.call(link, new OfFile.Close(file.opened().open(), false));
  }

  private static Delegated of(FileOpened file) {
    return new Delegated(file.opened().file(), file.opened().open());
  }

  private static OfFile.GiveBack givingBack(FileOpened file) {
    return new OfFile.GiveBack(List.of(of(file)), 0);
  }

  /** A session that asks for delegations. */
  private static Link keeper(Harness harness) throws IOException {
    Link link = harness.link(Harness.ROOT);
    harness.call(link, new OfFile.GiveBack(List.of(), 0));
    return link;
  }

  @Test
  void aFileIsDelegatedToWhoAsksWhileNobodyElseWritesIt() {
    play(
        1,
        env -> {
          try (Harness harness = new Harness(env, new MemoryDisk("test"))) {
            Link plain = harness.link(Harness.ROOT);
            Link one = keeper(harness);
            Link other = keeper(harness);
            close(harness, plain, opened(harness, plain, "f", Harness.CREATE));
            assertThat(opened(harness, plain, "f", READING).delegated()).as("not asked").isFalse();
            assertThat(opened(harness, one, "f", READING).delegated()).isTrue();
            FileOpened both = opened(harness, other, "f", READING);
            assertThat(both.delegated()).as("several may read").isTrue();
            FileOpened made = opened(harness, one, "g", Harness.CREATE);
            assertThat(made.delegated()).as("the only one who writes").isTrue();
            FileOpened reading = opened(harness, other, "g", READING);
            assertThat(reading.delegated()).as("another writes").isFalse();
            assertThat(opened(harness, one, "g", READING).delegated()).as("it writes").isTrue();
            Harness.Ranks ranks = harness.ranks(1);
            ranks.open("h", Harness.CREATE);
            assertThat(opened(harness, one, "h", READING).delegated()).as("ranks").isFalse();
          }
        });
  }

  @Test
  void whoOpensToWriteWaitsUntilTheBytesAreGivenBack() {
    play(
        2,
        env -> {
          try (Harness harness = new Harness(env, new MemoryDisk("test"))) {
            Link one = keeper(harness);
            FileOpened file = opened(harness, one, "f", Harness.CREATE);
            Pending asking = Harness.start(one, ASKING);
            Link writer = harness.link(Harness.ROOT);
            Pending writing = Harness.start(writer, open("f", Harness.EXISTING));
            assertThat(((WantedBack) asking.await(env.deadlineAfter(SECOND))).wanted())
                .containsExactly(of(file));
            env.sleep(2 * SECOND);
            assertThat(writing.isDone()).as("answered before they are given back").isFalse();
            FileOpened meanwhile = opened(harness, one, "f", READING);
            assertThat(meanwhile.delegated()).as("somebody waits").isFalse();
            harness.call(one, givingBack(file));
            FileOpened got = (FileOpened) writing.await(env.deadlineAfter(SECOND));
            assertThat(opened(harness, one, "f", READING).delegated()).isFalse();
            close(harness, writer, got);
            assertThat(opened(harness, one, "f", READING).delegated()).as("alone again").isTrue();
          }
        });
  }

  @Test
  void ranksWaitAsWellAndClosingGivesBack() {
    play(
        3,
        env -> {
          try (Harness harness = new Harness(env, new MemoryDisk("test"))) {
            Link one = keeper(harness);
            FileOpened file = opened(harness, one, "f", Harness.CREATE);
            Harness.Ranks ranks = harness.ranks(2);
            List<Object> done = new ArrayList<>();
            Thread rank =
                env.start(
                    ThreadKind.RANK,
                    "ranks",
                    () -> act(env, _ -> done.add(ranks.open("f", Harness.EXISTING))));
            env.sleep(SECOND);
            assertThat(done).as("open while bytes are kept").isEmpty();
            close(harness, one, file);
            rank.join();
            assertThat(done).hasSize(1);
          }
        });
  }

  @Test
  void aSessionThatDoesNotGiveBackLosesTheFileAndNobodyWaitsForEver() {
    play(
        4,
        env -> {
          try (Harness harness = new Harness(env, new MemoryDisk("test"), OPTIONS)) {
            Link one = keeper(harness);
            FileOpened file = opened(harness, one, "f", Harness.CREATE);
            FileOpened unconcerned = opened(harness, one, "g", Harness.CREATE);
            Link writer = harness.link(Harness.ROOT);
            Pending writing = Harness.start(writer, open("f", Harness.EXISTING));
            env.sleep(Delegations.PATIENCE_NANOS - SECOND);
            assertThat(writing.isDone()).isFalse();
            env.sleep(2 * SECOND);
            assertThat(writing.isDone()).isTrue();
            assertThat(harness.refused(one, new CoordinatorRequest.Renew(0, file.opened().open())))
                .isEqualTo(ErrorCode.CLOSED);
            harness.call(one, new CoordinatorRequest.Renew(0, unconcerned.opened().open()));
          }
        });
  }

  @Test
  void aSessionThatEndsIsWaitedForUntilItMustHaveNoticed() {
    play(
        5,
        env -> {
          try (Harness harness = new Harness(env, new MemoryDisk("test"))) {
            Link one = keeper(harness);
            opened(harness, one, "f", Harness.CREATE);
            one.close();
            Link writer = harness.link(Harness.ROOT);
            Pending writing = Harness.start(writer, open("f", Harness.EXISTING));
            env.sleep(Delegations.GHOST_NANOS - SECOND);
            assertThat(writing.isDone()).isFalse();
            env.sleep(2 * SECOND);
            assertThat(writing.isDone()).isTrue();
          }
        });
  }

  @Test
  void aRequestThatWaitsIsAnsweredAfterItsTimeAndOneThatEndsWhileItWaitsLeavesNothing() {
    play(
        6,
        env -> {
          try (Harness harness = new Harness(env, new MemoryDisk("test"))) {
            Link one = keeper(harness);
            FileOpened file = opened(harness, one, "f", Harness.CREATE);
            assertThat(((WantedBack) harness.call(one, ASKING)).wanted()).isEmpty();
            Link lost = harness.link(Harness.ROOT);
            Pending never = Harness.start(lost, open("f", Harness.EXISTING));
            lost.close();
            harness.call(one, givingBack(file));
            var status =
                (CoordinatorReply.Doing) harness.call(one, new CoordinatorRequest.AskStatus());
            assertThat(status.status().opens()).as("of the keeper alone").hasSize(1);
            assertThat(never).isNotNull();
          }
        });
  }

  @Test
  void delegationsAreKnownToTheNextLifeOfTheCoordinator() {
    play(
        7,
        env -> {
          MemoryDisk disk = new MemoryDisk("test");
          Harness before = new Harness(env, disk, OPTIONS);
          FileOpened file = opened(before, keeper(before), "f", Harness.CREATE);
          MemoryDisk crashed = disk.crash();
          before.close();
          try (Harness harness = new Harness(env, crashed, OPTIONS)) {
            Link one = harness.link(Harness.ROOT);
            Link writer = harness.link(Harness.ROOT);
            harness.call(one, recall(file));
            Pending asking = Harness.start(one, new OfFile.GiveBack(List.of(), 60 * SECOND));
            Pending writing = Harness.start(writer, open("f", Harness.EXISTING));
            env.sleep(3 * GRACE_NANOS / 2);
            assertThat(((WantedBack) asking.await(env.deadlineAfter(SECOND))).wanted())
                .containsExactly(of(file));
            assertThat(writing.isDone()).isFalse();
            harness.call(one, givingBack(file));
            assertThat(writing.await(env.deadlineAfter(SECOND))).isInstanceOf(FileOpened.class);
          }
        });
  }

  private static CoordinatorRequest.Recall recall(FileOpened file) {
    var opened = file.opened();
    var opening = new Recalled.Opening(0, Harness.CREATE, opened, opened.capability(), true);
    return new CoordinatorRequest.Recall(
        List.of(),
        List.of(),
        List.of(opening),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  /**
   * Sessions that keep copies of files, late with everything, and some that die; and sessions that
   * write.
   */
  private static final class World {
    private static final int FILES = 3;
    private static final int TURNS = 12;

    private final SeededEnv env;
    private final Harness harness;
    private final boolean early; // gives back before it has dropped
    private final Map<Long, List<Object>> copies = new HashMap<>(); // by file: who has one
    private int broken; // copies that somebody had when another was told that it may write
    private int written;
    private int kept;

    World(SeededEnv env, boolean early) throws IOException {
      this.env = env;
      this.early = early;
      harness = new Harness(env, new MemoryDisk("test"));
    }

    void run() throws IOException, InterruptedException {
      Link maker = harness.link(Harness.ROOT);
      for (int f = 0; f < FILES; f++) {
        FileOpened made = opened(harness, maker, "f" + f, Harness.CREATE);
        close(harness, maker, made);
      }
      List<Thread> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        int number = i;
        all.add(env.start(ThreadKind.RANK, "keeper " + i, () -> act(env, _ -> keep(number))));
        all.add(env.start(ThreadKind.RANK, "writer " + i, () -> act(env, _ -> write(number))));
      }
      for (Thread one : all) {
        one.join();
      }
      harness.close();
    }

    private List<Object> copies(long file) {
      return copies.computeIfAbsent(file, _ -> new ArrayList<>());
    }

    /** Opens files, keeps copies where it may, and drops them when they are wanted back. */
    private void keep(int number) throws IOException, InterruptedException {
      RandomGenerator random = env.random("keeper " + number);
      Link link = keeper(harness);
      Keeping mine = new Keeping();
      Thread answers =
          env.start(
              ThreadKind.RANK,
              "answers " + number,
              () -> act(env, _ -> answer(link, mine, random)));
      for (int turn = 0; turn < TURNS; turn++) {
        env.sleep(random.nextLong(200) * MILLI);
        FileOpened file = opened(harness, link, "f" + random.nextInt(FILES), READING);
        long id = file.opened().file();
        if (file.delegated() && mine.wanted.getOrDefault(id, -1L) < file.opened().open()) {
          copies(id).add(mine);
          kept++;
          env.sleep(random.nextLong(400) * MILLI);
        }
        copies(id).remove(mine);
        close(harness, link, file);
      }
      mine.over = true;
      answers.join();
      link.close();
    }

    private static final class Keeping {
      final Map<Long, Long> wanted = new HashMap<>();
      boolean over;
    }

    private void answer(Link link, Keeping mine, RandomGenerator random)
        throws IOException, InterruptedException {
      while (!mine.over) {
        for (Delegated one : ((WantedBack) harness.call(link, ASKING)).wanted()) {
          mine.wanted.merge(one.file(), one.open(), Math::max);
          if (early) {
            harness.call(link, new OfFile.GiveBack(List.of(one), 0));
          }
          env.sleep(random.nextLong(300) * MILLI); // late, but not too late
          copies(one.file()).removeIf(who -> who == mine);
          if (!early) {
            harness.call(link, new OfFile.GiveBack(List.of(one), 0));
          }
        }
      }
    }

    private void write(int number) throws IOException, InterruptedException {
      RandomGenerator random = env.random("writer " + number);
      Link link = harness.link(Harness.ROOT);
      for (int turn = 0; turn < TURNS; turn++) {
        env.sleep(random.nextLong(300) * MILLI);
        FileOpened file = opened(harness, link, "f" + random.nextInt(FILES), Harness.EXISTING);
        broken += copies(file.opened().file()).size();
        written++;
        env.sleep(random.nextLong(100) * MILLI);
        broken += copies(file.opened().file()).size();
        close(harness, link, file);
      }
    }
  }

  private static World world(long seed, boolean early) {
    List<World> made = new ArrayList<>();
    play(
        seed,
        env -> {
          World world = new World(env, early);
          made.add(world);
          world.run();
        });
    return made.getFirst();
  }

  @Test
  void nobodyHasACopyWhenAnotherMayWrite() {
    int kept = 0;
    for (long seed = 0; seed < 60; seed++) {
      World world = world(seed, false);
      assertThat(world.broken).as("seed %d", seed).isZero();
      assertThat(world.written).isEqualTo(3 * World.TURNS);
      kept += world.kept;
    }
    assertThat(kept).as("copies that were kept").isGreaterThan(500);
  }

  /** The control: opens that are answered before bytes are dropped are found. */
  @Test
  void sessionsThatGiveBackBeforeTheyDropAreFound() {
    int broken = 0;
    for (long seed = 0; seed < 60; seed++) {
      broken += world(seed, true).broken;
    }
    assertThat(broken).isPositive();
  }
}
