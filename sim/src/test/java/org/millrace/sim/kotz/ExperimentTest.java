package org.millrace.sim.kotz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The shape of Kotz's results, with a smaller file; {@code docs/simulation.md} has the whole. Bands
 * are wide: a change of the code that leaves them is news, not noise.
 */
final class ExperimentTest {

  private static final long BYTES = 5L << 19;
  private static final List<Outcome> OUTCOMES = new ArrayList<>();

  @BeforeAll
  static void run() {
    for (AccessPattern pattern : AccessPattern.representative()) {
      for (FileSystem system : FileSystem.values()) {
        OUTCOMES.add(Experiment.run(Hardware.TABLE_1, pattern, system, BYTES, 1));
      }
    }
  }

  private static Outcome of(String role, FileSystem system) {
    return OUTCOMES.stream()
        .filter(one -> one.pattern().role().equals(role) && one.system() == system)
        .findFirst()
        .orElseThrow();
  }

  private static Outcome traditional(String role) {
    return of(role, FileSystem.TRADITIONAL);
  }

  private static Outcome directed(String role) {
    return of(role, FileSystem.DIRECTED);
  }

  @Test
  void easyPatternsAreFastAndLeaveTheProcessorFreeInBoth() {
    for (FileSystem system : FileSystem.values()) {
      for (String role : List.of("easy read", "easy write")) {
        Outcome easy = of(role, system);
        assertThat(easy.megabytesPerSecond()).as(role).isBetween(24.0, 35.0);
        assertThat(easy.free()).as(role).isBetween(0.90, 0.98);
        assertThat(easy.freeWithBarriers()).as(role).isBetween(0.86, 0.98);
      }
    }
  }

  @Test
  void onHardPatternsDiskDirectedIsSeveralTimesFasterAndEatsTheProcessor() {
    for (String role : List.of("hard read", "hard write")) {
      Outcome directed = directed(role);
      Outcome traditional = traditional(role);
      assertThat(directed.megabytesPerSecond()).as(role).isBetween(10.0, 20.0);
      assertThat(directed.megabytesPerSecond())
          .as(role)
          .isGreaterThan(5 * traditional.megabytesPerSecond());
      assertThat(directed.free()).as(role).isLessThan(0.3); // the flush weighs more than with 10 MB
      assertThat(traditional.free()).as(role).isGreaterThan(0.5);
    }
  }

  @Test
  void barriersHurtHardPatternsUnderTraditionalCachingMost() {
    for (String role : List.of("hard read", "hard write")) {
      Outcome traditional = traditional(role);
      double lost = traditional.free() - traditional.freeWithBarriers();
      assertThat(lost).as(role).isGreaterThan(0.4);
      for (Outcome other : OUTCOMES) {
        if (other.system() == FileSystem.DIRECTED || other.pattern().element() > 8) {
          assertThat(other.free() - other.freeWithBarriers()).isLessThan(lost / 2);
        }
      }
    }
  }

  @Test
  void everyElementOfAHardPatternIsARequestAndAnAnswer() {
    long elements = BYTES / Long.BYTES;
    assertThat(traditional("hard read").messages()).isBetween(2 * elements, 2 * elements + 5_000);
    assertThat(directed("hard read").messages()).isBetween(elements, elements + 5_000);
  }

  @Test
  void easyPatternsMoveEachBlockOnce() {
    long blocks = BYTES / AccessPattern.BLOCK;
    assertThat(traditional("easy read").reads()).isEqualTo(blocks);
    assertThat(traditional("easy read").writes()).isZero();
    assertThat(directed("easy write").writes()).isEqualTo(blocks);
    assertThat(directed("easy write").reads()).isZero();
  }

  @Test
  void blocksAreReadBeforeSmallPiecesAreWrittenUnlessAllPiecesComeTogether() {
    long blocks = BYTES / AccessPattern.BLOCK;
    assertThat(traditional("hard write").reads()).isGreaterThan(blocks / 2);
    assertThat(directed("hard write").reads()).isZero();
  }

  @Test
  void theBusiestPartSaysWhatTheLimitIs() {
    for (FileSystem system : FileSystem.values()) {
      Shares easy = of("easy read", system).shares();
      assertThat(easy.disks()).isGreaterThan(0.85); // of a small file, with its first seeks' waits
      assertThat(easy.buses()).isBetween(0.15, 0.3); // 2.1 of 10 MB/s
      assertThat(easy.link()).isBetween(0.008, 0.03); // 2.1 of 200 MB/s
      assertThat(easy.nodes()).isLessThan(0.1);
    }
    Shares hard = directed("hard read").shares();
    assertThat(hard.nodes()).isGreaterThan(0.85);
    assertThat(hard.disks()).isLessThan(0.8);
    assertThat(traditional("hard read").shares().disks()).isLessThan(0.3);
  }

  @Test
  void applicationsThatComputeOnTheNodesHaveWhatTheTracesSay() {
    for (Outcome one : OUTCOMES) {
      assertThat(one.computed()).as(one.toString()).isCloseTo(one.free(), within(0.003));
      assertThat(one.computedWithBarriers())
          .as(one.toString())
          .isCloseTo(one.freeWithBarriers(), within(0.01));
    }
  }

  @Test
  void blocksAtRandomPlacesAreSlowerAndInterruptLess() {
    for (FileSystem system : FileSystem.values()) {
      Outcome near = of("easy read", system);
      Outcome far = Experiment.run(Hardware.RANDOM_LAYOUT, near.pattern(), system, BYTES, 1);
      assertThat(far.megabytesPerSecond()).isLessThan(0.5 * near.megabytesPerSecond());
      assertThat(far.free()).isGreaterThan(near.free());
    }
  }

  @Test
  void aScheduleByPlaceGainsWhereBlocksLieAtRandom() {
    for (String role : List.of("easy read", "easy write")) {
      AccessPattern pattern = directed(role).pattern();
      Outcome sorted =
          Experiment.run(Hardware.RANDOM_LAYOUT, pattern, FileSystem.DIRECTED, BYTES, 1);
      Outcome asked =
          Experiment.run(Hardware.RANDOM_LAYOUT, pattern, FileSystem.TRADITIONAL, BYTES, 1);
      assertThat(sorted.megabytesPerSecond())
          .as(role)
          .isGreaterThan(1.2 * asked.megabytesPerSecond());
    }
  }

  @Test
  void theSameSeedGivesTheSameReportsByteForByteAndAnotherSeedAnother() {
    List<Outcome> first = OUTCOMES.stream().filter(one -> one.seconds() < 1).toList();
    assertThat(first).hasSizeGreaterThan(5);
    List<Outcome> again = again(first, 1);
    assertThat(again).isEqualTo(first);
    assertThat(Tables.of(again)).isEqualTo(Tables.of(first));
    assertThat(KotzJson.of(1, again)).isEqualTo(KotzJson.of(1, first));
    assertThat(KotzPage.of(1, again)).isEqualTo(KotzPage.of(1, first));
    List<Outcome> other = again(first.subList(0, 1), 2);
    assertThat(other.getFirst().traceHash()).isNotEqualTo(first.getFirst().traceHash());
  }

  private static List<Outcome> again(List<Outcome> outcomes, long seed) {
    return outcomes.stream()
        .map(one -> Experiment.run(Hardware.TABLE_1, one.pattern(), one.system(), BYTES, seed))
        .toList();
  }

  @Test
  void reportsOfThePapersFileHaveItsNumbersAndThoseOfOthersHaveNone() {
    List<Outcome> papers = OUTCOMES.stream().map(ExperimentTest::asThePapers).toList();
    assertThat(Tables.of(papers)).contains("hard write", "16.2", "Table 3", "paper");
    assertThat(KotzJson.of(1, papers)).contains("\"paper\"", "wbc 8 B").endsWith("]\n}\n");
    assertThat(KotzPage.of(1, papers))
        .contains("<svg", "disk-directed I/O", "Figure 2", "a barrier every 5 ms", "paper")
        .endsWith("</html>\n");
    assertThat(Tables.of(OUTCOMES))
        .contains("hard write", "As Table 3", "file of 2.5 MB")
        .doesNotContain("paper", "33.5");
    assertThat(KotzJson.of(1, OUTCOMES)).doesNotContain("paper");
    assertThat(KotzPage.of(1, OUTCOMES)).contains("As figure 2").doesNotContain("paper");
  }

  @Test
  void runsThatAreLeftOutLeaveTheirColumnsEmpty() {
    List<Outcome> some =
        OUTCOMES.stream()
            .filter(one -> one.system() == FileSystem.DIRECTED || !one.pattern().isHard())
            .toList();
    List<String> rows = Tables.table2(some).lines().toList();
    assertThat(rows.get(3).substring(0, 36)).startsWith("easy read").isNotEqualTo(rows.get(3));
    assertThat(rows.get(5).substring(0, 36).strip()).isEqualTo("hard read");
    assertThat(rows.get(5).substring(36)).containsPattern("[0-9.]+ +[0-9.]+");
  }

  @Test
  void aCauseThatIsSwitchedOffShowsInItsRuns() {
    CauseStudy study =
        new CauseStudy(
            BYTES,
            1,
            Cause.all().stream()
                .filter(one -> one.system() == FileSystem.DIRECTED)
                .filter(one -> !one.name().startsWith("disks"))
                .toList());
    Map<Cause, List<Outcome>> found = study.run(_ -> {});
    assertThat(found.values().stream().mapToInt(List::size).sum()).isEqualTo(study.runs());
    Outcome plain = of(found, "as in tables", "hard write");
    assertThat(plain).isEqualTo(directed("hard write"));
    assertThat(of(found, "one buffer", "hard write").megabytesPerSecond())
        .isLessThan(0.9 * plain.megabytesPerSecond());
    assertThat(of(found, "two messages", "hard write").nodeMicrosPerBlock())
        .isGreaterThan(1.8 * plain.nodeMicrosPerBlock());
    assertThat(of(found, "writes that end", "hard write").seconds()).isLessThan(plain.seconds());
    assertThat(of(found, "copies", "easy write").nodeMicrosPerBlock())
        .isLessThan(0.7 * of(found, "as in tables", "easy write").nodeMicrosPerBlock());
    assertThat(CauseStudy.text(found))
        .contains("one buffer", "hard write")
        .doesNotContain("(14.2)");
  }

  private static Outcome of(Map<Cause, List<Outcome>> found, String name, String role) {
    return found.entrySet().stream()
        .filter(one -> one.getKey().name().startsWith(name))
        .flatMap(one -> one.getValue().stream())
        .filter(one -> one.pattern().role().equals(role))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void staggeredRanksBeginElsewhereAndMoveTheSameBytes() {
    Outcome plain = traditional("hard read");
    Cause apart =
        Cause.all().stream().filter(one -> one.conduct().isStaggered()).findFirst().orElseThrow();
    Outcome staggered = Experiment.run(apart, plain.pattern(), BYTES, 1); // checks its bytes
    assertThat(staggered.messages()).isCloseTo(plain.messages(), within(100L));
    assertThat(staggered.traceHash()).isNotEqualTo(plain.traceHash());
  }

  /** The same numbers as if they were of a file of the paper's size. */
  private static Outcome asThePapers(Outcome one) {
    return new Outcome(
        one.hardware(),
        one.pattern(),
        one.system(),
        AccessPattern.FILE_BYTES,
        one.seconds(),
        one.free(),
        one.freeWithBarriers(),
        one.computed(),
        one.computedWithBarriers(),
        one.shares(),
        one.interruptions(),
        one.messages(),
        one.reads(),
        one.writes(),
        one.traceHash());
  }

  @Test
  void todaysMachinesAreFasterAndTheirFiguresSayTheirOwnInterval() {
    AccessPattern easy = AccessPattern.representative().getFirst();
    for (Hardware hardware : Hardware.today()) {
      Outcome one = Experiment.run(hardware, easy, FileSystem.DIRECTED, BYTES, 1);
      assertThat(one.megabytesPerSecond())
          .as(hardware.name())
          .isGreaterThan(directed("easy read").megabytesPerSecond());
      assertThat(Scatter.figure3(List.of(one)).file())
          .contains("every " + (hardware.computing() == Computing.PAPER ? "5 ms" : "0.1 ms"));
    }
  }
}
