package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.millrace.disk.DiskFile;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/** What a coordinator says of its own troubles. */
final class HealthTest {

  private static final CoordinatorOptions OPTIONS = CoordinatorOptions.of(4, Harness.ROOT);
  private static final long HOUR_MILLIS = 3_600_000;

  private final List<String> told = new ArrayList<>();

  private static Map<String, Long> health(Harness harness) throws IOException {
    Link link = harness.link("anybody");
    var facts = (CoordinatorReply.Facts) harness.call(link, new CoordinatorRequest.AskCluster());
    return Health.of(facts.settings());
  }

  @Test
  void aCoordinatorWithoutTroubleSaysSo() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      harness.coordinator.watch(disk, told::add);
      harness.ranks(2).open("new", Harness.CREATE);
      assertThat(health(harness)).containsKeys("diskFree", "diskTotal", "journalBusyMillis");
      assertThat(health(harness).keySet()).noneMatch(name -> name.startsWith("trouble"));
      assertThat(told).isEmpty();
    }
  }

  @Test
  void aFailedForceIsToldAndStaysThoughTheNextChangeWorks() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk("test"), Faults.seeded(1));
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      harness.coordinator.watch(disk, told::add);
      Harness.Ranks ranks = harness.ranks(2);
      disk.faults().fail(Faults.Operation.FORCE, _ -> true, 0, 1);
      assertThat(ranks.openRefused("new", Harness.CREATE).code()).isEqualTo(ErrorCode.DISK);
      ranks.open("new", Harness.CREATE);
      assertThat(health(harness)).containsEntry("trouble.disk", 1L);
      assertThat(told).singleElement().asString().startsWith("trouble: ").contains("FORCE");
    }
  }

  @Test
  void aFullDiskIsTold() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk("test"), Faults.seeded(1));
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      harness.coordinator.watch(disk, told::add);
      Link link = harness.link(Harness.ROOT);
      disk.faults().fullAfter(10);
      harness.refused(link, new CoordinatorRequest.MakeDirectory("full", 0755));
      assertThat(health(harness).get("trouble.full")).isPositive();
      assertThat(told).isNotEmpty();
    }
  }

  @Test
  void aRepairedCopyOfTheJournalIsToldToTheLogThatComesLater() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      harness.ranks(2).open("new", Harness.CREATE);
    }
    try (DiskFile journal = disk.open(JournalFile.NAME)) {
      journal.write(2 * 4096 + 8, MemorySegment.ofArray(new byte[64])); // a frame's first copy
    }
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      harness.coordinator.watch(disk, told::add);
      assertThat(health(harness)).containsEntry("trouble.repaired", 1L);
      assertThat(told).singleElement().asString().contains("whole again");
    }
  }

  @Test
  void refusedSessionsAreCountedAndForTheAuditLog() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      harness.coordinator.watch(disk, told::add);
      harness.coordinator.onRefused("refused a session: you do not know the cluster's secret");
      assertThat(health(harness)).containsEntry("trouble.refused", 1L);
      assertThat(told).singleElement().asString().startsWith("audit: refused a session");
    }
  }

  @Test
  void aClockThatWasSetIsToldOnce() {
    SetClock clock = new SetClock();
    Health health = new Health(clock);
    health.troubles().tell(told::add);
    health.look();
    assertThat(told).isEmpty();
    clock.wallMillis -= 13 * HOUR_MILLIS;
    health.look();
    health.look();
    assertThat(told).singleElement().asString().contains("set back by 46800 s");
  }

  @Test
  void aClockBeforeTheNewestFileIsBehind() throws IOException {
    SetClock clock = new SetClock();
    Names names = new Names(Harness.ROOT, 0777);
    Layout layout = Layout.forFile(1, 65536, 4, 4);
    long made = clock.wallMillis + 2 * HOUR_MILLIS;
    names.apply(new NameChange.CreateFile(1, 0, "f", "ada", "", 0644, made, true, layout));
    Health health = new Health(clock);
    health.onRecovered(names);
    Map<String, Long> told = Health.of(Map.of(Health.SETTING, health.text(0)));
    assertThat(told).containsEntry("clockBehindMillis", 2 * HOUR_MILLIS);
    clock.wallMillis = made;
    assertThat(Health.of(Map.of(Health.SETTING, health.text(0))))
        .containsEntry("clockBehindMillis", 0L);
  }

  /** Time stands still, but for people who set the date. */
  private static final class SetClock implements Env {
    private long wallMillis = 1_700_000_000_000L;

    @Override
    public long nanoTime() {
      return 1;
    }

    @Override
    public long wallMillis() {
      return wallMillis;
    }

    @Override
    public RandomGenerator random(String purpose) {
      return Env.real().random(purpose);
    }

    @Override
    public Thread start(ThreadKind kind, String name, Runnable body) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void charge(Work work, long amount) {}

    @Override
    public void sleep(long nanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long threadNumber() {
      return 0;
    }

    @Override
    public Signal signal(Lock lock) {
      return Env.real().signal(lock);
    }
  }
}
