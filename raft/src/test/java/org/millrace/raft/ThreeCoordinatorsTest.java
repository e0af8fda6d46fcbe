package org.millrace.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.coordinator.LeaseTimes;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.testing.Eventually;

/** Three coordinators in one JVM, of which leaders end and are cut off. */
final class ThreeCoordinatorsTest {

  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path folder;

  @Tag("long")
  @Test
  void whatWasAcknowledgedSurvivesEveryLeaderAndNothingHappensTwice() throws Exception {
    try (TestGroup group = new TestGroup(folder, LeaseTimes.DEFAULT)) {
      NameMaker maker = new NameMaker(group);
      maker.start();
      for (int round = 0; round < 3; round++) {
        maker.awaitMore(10);
        int leader = group.awaitLeader();
        group.stop(leader);
        maker.awaitMore(10);
        group.start(leader);
      }
      maker.stop();
      assertThat(maker.made).hasSizeGreaterThan(60);
      List<String> there = names(group);
      assertThat(there).doesNotHaveDuplicates().containsAll(maker.made);
      assertThat(maker.made).containsAll(minus(there, maker.unknown));
    }
  }

  @Test
  void allOfThemComeBackWithEverything() throws Exception {
    try (TestGroup group = new TestGroup(folder, LeaseTimes.DEFAULT)) {
      NameMaker maker = new NameMaker(group);
      maker.start();
      maker.awaitMore(20);
      maker.stop();
      List<String> before = names(group);
      for (int i = 0; i < 3; i++) {
        group.stop(i);
      }
      for (int i = 0; i < 3; i++) {
        group.start(i);
      }
      assertThat(names(group)).isEqualTo(before).containsAll(maker.made);
    }
  }

  @Tag("long")
  @Test
  void aLeaderThatIsCutOffStopsAnsweringBeforeAnotherBegins() throws Exception {
    try (TestGroup group = new TestGroup(folder, LeaseTimes.DEFAULT)) {
      assertThat(mostAtOnceWhileLeadersAreCutOff(group, 3)).isEqualTo(1);
    }
  }

  @Tag("long")
  @Test
  void controlWithoutLeasesTwoAnswerAtOnce() throws Exception {
    LeaseTimes endless = new LeaseTimes(800, 60_000, 0);
    try (TestGroup group = new TestGroup(folder, endless)) {
      int most = 0;
      for (int i = 0; i < 100 && most < 2; i++) { // how long both answer is up to the machine
        most = mostAtOnceWhileLeadersAreCutOff(group, 1);
      }
      assertThat(most).isGreaterThan(1);
    }
  }

  private static int mostAtOnceWhileLeadersAreCutOff(TestGroup group, int rounds) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger most = new AtomicInteger();
    Thread watch =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    most.accumulateAndGet(group.answering(), Math::max);
                    Thread.onSpinWait();
                  }
                });
    try {
      for (int round = 0; round < rounds; round++) {
        int leader = group.awaitLeader();
        group.cut(leader, true);
        Eventually.holds(
            "another leads",
            () -> group.answering() > 1 || group.leader() >= 0 && group.leader() != leader);
        group.cut(leader, false);
      }
    } finally {
      over.set(true);
      watch.join();
    }
    return most.get();
  }

  static List<String> names(TestGroup group) throws IOException {
    while (true) {
      try {
        var said =
            (CoordinatorReply.Names)
                group.ask(group.awaitLeader(), new CoordinatorRequest.ListNames(""), 2 * SECOND);
        return said.names().stream().map(name -> name.replace("/", "")).toList();
      } catch (IOException e) {
        Thread.onSpinWait(); // it lost its office meanwhile
      }
    }
  }

  private static List<String> minus(List<String> all, Set<String> some) {
    return all.stream().filter(name -> !some.contains(name)).toList();
  }

  /** Makes one directory after the other, under any leader. */
  private static final class NameMaker {

    final Set<String> made = ConcurrentHashMap.newKeySet();
    final Set<String> unknown = ConcurrentHashMap.newKeySet();
    private final TestGroup group;
    private final AtomicBoolean over = new AtomicBoolean();
    private final Thread thread = Thread.ofPlatform().unstarted(this::run);

    NameMaker(TestGroup group) {
      this.group = group;
    }

    void start() {
      thread.start();
    }

    private void run() {
      for (int i = 0; !over.get(); i++) {
        String name = "d" + i;
        try {
          int leader = group.awaitLeader();
          unknown.add(name);
          group.ask(leader, new CoordinatorRequest.MakeDirectory(name, 0755), SECOND);
          made.add(name);
          unknown.remove(name);
        } catch (MillraceException e) {
          assertThat(e.code()).isIn(ErrorCode.DEADLINE, ErrorCode.NODE, ErrorCode.CLOSED);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    void awaitMore(int count) throws IOException {
      int enough = made.size() + count;
      Eventually.holds("names are made", () -> made.size() >= enough || !thread.isAlive());
      assertThat(thread.isAlive()).isTrue();
    }

    void stop() throws InterruptedException {
      over.set(true);
      thread.join();
    }
  }
}
