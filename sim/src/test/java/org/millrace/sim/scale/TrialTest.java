package org.millrace.sim.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.access.View;
import org.millrace.disk.DiskFile;
import org.millrace.plan.Strategy;
import org.millrace.sim.disk.LeanDisk;
import org.millrace.sim.disk.SizeOnlyFile;

/** Small runs, counted by hand; {@code docs/scaling.md} has the large ones. */
final class TrialTest {

  private static final int RECORDS = Sharing.RANK_BYTES / Sharing.RECORD_BYTES;

  /** Each rank asks for the size, comes to the exchange and to the end: three questions. */
  private static final int QUESTIONS = 3;

  private static ScaleOutcome read(int nodes, Sharing sharing, Strategy strategy) {
    return Trial.run(new Case(nodes, sharing, false, strategy), 1);
  }

  @Test
  void theSameSeedTakesTheSameCourse() {
    for (Strategy strategy : Trial.strategies()) {
      Case what = new Case(4, Sharing.TILES, true, strategy);
      assertThat(Trial.run(what, 7)).isEqualTo(Trial.run(what, 7));
      assertThat(Trial.run(what, 8).traceHash()).isNotEqualTo(Trial.run(what, 7).traceHash());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 16})
  void directReadsAreOneQuestionForEachRecord(int nodes) {
    ScaleOutcome outcome = read(nodes, Sharing.RECORDS, Strategy.DIRECT);
    assertThat(outcome.messages()).isEqualTo(2L * nodes * (RECORDS + QUESTIONS));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void diskDirectedReadsAreAQuestionOfEachRankToEachNodeAndOneMessageForEachPiece(int nodes) {
    ScaleOutcome outcome = read(nodes, Sharing.RECORDS, Strategy.DISK_DIRECTED);
    long pieces = nodes == 1 ? 8 : (long) nodes * RECORDS; // a rank alone has one run in each unit
    long questions = (long) nodes * (nodes + QUESTIONS - 1); // no meeting at the end
    assertThat(outcome.messages()).isEqualTo(2 * questions + pieces);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void questionsOfAReaderDoNotGrowWithTheNodes(int nodes) {
    for (Strategy strategy : List.of(Strategy.DIRECT, Strategy.SIEVED, Strategy.TWO_PHASE)) {
      long chunks = strategy == Strategy.TWO_PHASE ? 2 : 1; // one is handed out, one is read
      long strands = Math.min((Sharing.RANK_BYTES >> 16) / chunks, nodes);
      // for each chunk: announced, hints, lists, and how far they go
      long most = QUESTIONS + chunks * ((chunks + 1) * strands + 1);
      assertThat(read(nodes, Sharing.BLOCKS, strategy).messages())
          .as(strategy.word())
          .isBetween(2L, 2 * most * nodes);
    }
  }

  /** Sixteen ranks speak for all, in each of the meetings of a call. */
  @ParameterizedTest
  @ValueSource(ints = {32, 64, 256})
  void theCoordinatorHearsAsMuchOfACallOfManyRanksAsOfAFew(int nodes) {
    sixteenSpeakForAll(nodes);
  }

  @Tag("long")
  @Test
  void theCoordinatorHearsAsMuchOfACallOfAThousandRanks() {
    sixteenSpeakForAll(1024);
  }

  private static void sixteenSpeakForAll(int nodes) {
    int speakers = 16;
    ScaleOutcome reads = read(nodes, Sharing.BLOCKS, Strategy.SIEVED);
    assertThat(reads.coordinatorMessages()).isEqualTo(2L * speakers * 2); // exchange, end
    ScaleOutcome writes = Trial.run(new Case(nodes, Sharing.BLOCKS, true, Strategy.SIEVED), 1);
    assertThat(writes.coordinatorMessages()).isEqualTo(2L * speakers * 3); // and between: written
    ScaleOutcome directed =
        Trial.run(new Case(nodes, Sharing.BLOCKS, true, Strategy.DISK_DIRECTED), 1);
    assertThat(directed.coordinatorMessages()).isEqualTo(2L * speakers * 2); // durable by then
  }

  /** Sixteen ranks share a block of records: one of them lets the disk begin before all come. */
  @Test
  void everyBlockOfRecordsIsAnnouncedOnce() {
    int nodes = 64;
    long blocks = (long) nodes * (Sharing.RANK_BYTES >> 16);
    long lists = 2L * 16; // two windows, each on the strands of a rank's records
    assertThat(read(nodes, Sharing.RECORDS, Strategy.SIEVED).messages())
        .isEqualTo(2L * nodes * (QUESTIONS + lists) + blocks);
  }

  @ParameterizedTest
  @EnumSource(Sharing.class)
  void everyByteIsWhereItBelongsAndHollowDisksTakeTheSameCourse(Sharing sharing) {
    for (Strategy strategy : Trial.strategies()) {
      for (boolean write : new boolean[] {false, true}) {
        Case what = new Case(9, sharing, write, strategy);
        assertThat(Trial.runChecked(what, 3)).isEqualTo(Trial.run(what, 3));
      }
    }
  }

  @Test
  void wrongBytesAreFound() {
    Filling solid = new Filling.Solid();
    View view = Sharing.TILES.view(1, 4);
    MemorySegment memory = solid.toWrite(view, false);
    assertThatCode(() -> solid.check(view, memory, false)).doesNotThrowAnyException();
    assertThatThrownBy(() -> solid.check(view, memory, true)).hasMessageContaining("byte");
    View other = Sharing.TILES.view(2, 4);
    assertThatThrownBy(() -> solid.check(other, memory, false)).hasMessageContaining("byte");
  }

  @Test
  void hollowDisksKeepSizesAndNoBytes() throws IOException {
    LeanDisk disk = new LeanDisk("disk", SizeOnlyFile::new);
    try (DiskFile file = disk.create("1.strand")) {
      file.write(0, MemorySegment.ofArray(new byte[] {1, 2, 3}));
      MemorySegment read = MemorySegment.ofArray(new byte[5]);
      assertThat(file.read(0, read)).isEqualTo(3);
      assertThat(file.size()).isEqualTo(3);
      assertThat(read.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void everyBlockIsReadOnce(int nodes) {
    for (Strategy strategy : Trial.strategies()) {
      ScaleOutcome outcome = read(nodes, Sharing.TILES, strategy);
      assertThat(outcome.what().bytes()).isEqualTo((long) nodes * Sharing.RANK_BYTES);
      assertThat(outcome.transfers()).as(strategy.word()).isBetween(2L * nodes, 8L * nodes);
    }
  }

  @Test
  void studiesHaveEveryStrategyAndTheLargestMoreRanksThanNodes() {
    List<Case> largest = new ScaleStudy(ScaleStudy.MAX_NODES, 1).cases();
    assertThat(largest)
        .contains(new Case(4096, Sharing.TILES, false, Strategy.DISK_DIRECTED))
        .contains(new Case(4096, Sharing.RECORDS, true, Strategy.EXTENDED_TWO_PHASE))
        .contains(new Case(4096, 16_384, Sharing.RECORDS, false, Strategy.SIEVED));
    assertThat(new ScaleStudy(1024, 1).cases()).allMatch(one -> one.ranks() == one.nodes());
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(Sharing.class)
  void fourRanksForEachNodeMoveEveryByte(Sharing sharing) {
    for (boolean write : new boolean[] {false, true}) {
      Case what = new Case(4, 16, sharing, write, Strategy.SIEVED);
      assertThat(Trial.runChecked(what, 3)).isEqualTo(Trial.run(what, 3));
      assertThat(what.task()).endsWith("4 ranks a node");
    }
  }

  /** On many nodes ranks speak only to those that have something of theirs, and meet at the end. */
  @Test
  void diskDirectedRequestsDoNotGrowWithTheSquareOfTheNodes() {
    int nodes = 64;
    long units = Sharing.RANK_BYTES >> 16;
    long pieces = nodes * units;
    long questions = nodes * (units + QUESTIONS);
    assertThat(read(nodes, Sharing.BLOCKS, Strategy.DISK_DIRECTED).messages())
        .isEqualTo(2 * questions + pieces);
    Case checked = new Case(nodes, Sharing.RECORDS, true, Strategy.DISK_DIRECTED);
    assertThat(Trial.runChecked(checked, 3)).isEqualTo(Trial.run(checked, 3));
  }

  @Test
  void aStrategyStopsScalingWhereANodeMovesLessThanHalfOfItsBest() {
    List<ScaleOutcome> direct =
        IntStream.of(1, 4, 16)
            .mapToObj(nodes -> read(nodes, Sharing.RECORDS, Strategy.DIRECT))
            .toList();
    assertThat(ScaleTables.stop(direct)).contains(direct.get(1)); // one record after the other
    List<ScaleOutcome> sieved =
        IntStream.of(1, 4, 16)
            .mapToObj(nodes -> read(nodes, Sharing.TILES, Strategy.SIEVED))
            .toList();
    assertThat(ScaleTables.stop(sieved)).isEmpty();
    assertThat(ScaleTables.stops(direct)).contains("direct                     4  latency");
  }

  @Test
  void aStrategyThatIsHopelessOnFewNodesIsNotRunOnMoreAndTheTablesSaySo() {
    List<Case> done = new ArrayList<>();
    ScaleStudy study = new ScaleStudy(64, 1, List.of(Strategy.DIRECT));
    List<ScaleOutcome> outcomes = study.run(done::add);
    assertThat(done).isEqualTo(study.cases());
    assertThat(outcomes)
        .extracting(ScaleOutcome::what)
        .contains(new Case(64, Sharing.BLOCKS, false, Strategy.DIRECT))
        .doesNotContain(new Case(64, Sharing.TILES, false, Strategy.DIRECT));
    assertThat(ScaleTables.stops(outcomes))
        .containsPattern("read tiles by direct: not run above \\d+ nodes, it was at \\d %")
        .doesNotContain("read blocks by direct: not run");
  }

  /** In virtual time, so that it is the same on every machine. */
  @Test
  void contiguousAndScatteredWritesAreDurableAtHalfOfTheDisksSpeed() {
    for (Sharing sharing : List.of(Sharing.BLOCKS, Sharing.RECORDS)) {
      Case what = new Case(64, sharing, true, Strategy.DISK_DIRECTED);
      assertThat(Trial.run(what, 1).shareOfDisks()).as(sharing.word()).isGreaterThan(0.5);
    }
  }

  /** What is read is asked for before all have come, and pieces go while other chunks come. */
  @Test
  void aggregatorsReadAndWriteTilesAtHalfOfTheDisksSpeed() {
    for (boolean write : new boolean[] {false, true}) {
      tilesAtHalfOfTheDisksSpeed(256, write);
      Case what = new Case(64, Sharing.TILES, write, Strategy.TWO_PHASE);
      assertThat(Trial.runChecked(what, 3)).isEqualTo(Trial.run(what, 3));
    }
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(ints = {1024, 4096})
  void soTheyDoOnThousandsOfNodes(int nodes) {
    tilesAtHalfOfTheDisksSpeed(nodes, false);
    tilesAtHalfOfTheDisksSpeed(nodes, true);
  }

  private static void tilesAtHalfOfTheDisksSpeed(int nodes, boolean write) {
    ScaleOutcome outcome = Trial.run(new Case(nodes, Sharing.TILES, write, Strategy.TWO_PHASE), 1);
    assertThat(outcome.shareOfDisks()).as("%s nodes, write %s", nodes, write).isGreaterThan(0.5);
  }

  /** Each file domain of eight units has four chunks of two, and a row is two units. */
  @Tag("long")
  @Test
  void aRankHasPiecesOfHalfTheChunksWhereARowIsTwoUnits() {
    int nodes = 4096;
    long pieces =
        64 * 4 / 2; // of each domain of a row of tiles, of those chunks that have its half
    long lists = 8;
    Case what = new Case(nodes, Sharing.TILES, true, Strategy.TWO_PHASE);
    long own = 2; // chunks of its own domain, where it moves its pieces by itself
    assertThat(Trial.run(what, 1).messages())
        .isEqualTo(2L * nodes * (2 + pieces - own + 2 * lists));
  }

  /** Eight ranks want something of a file domain, which has four chunks on eight strands. */
  @Test
  void aggregatorsAskEachStrandOnceAndSendEachRankAPieceOfEachChunk() {
    int nodes = 64;
    long pieces = 4L * (8 - 1); // its own it moves by itself
    long lists = 8;
    long hints = 3L * 2 + lists; // chunks behind the first, and with each list
    long asked = nodes * (2 * (QUESTIONS + pieces + lists) + hints);
    long blocks = (long) nodes * (Sharing.RANK_BYTES >> 16); // announced, each by one rank
    assertThat(read(nodes, Sharing.TILES, Strategy.TWO_PHASE).messages()).isEqualTo(asked + blocks);
  }

  /** A write of many strands ends with two meetings: aggregators flush what they have written. */
  @Test
  void aggregatorsFlushTheStrandsOfTheirDomains() {
    int nodes = 64;
    long pieces = 4L * (8 - 1);
    long lists = 8;
    long meetings = 2;
    Case what = new Case(nodes, Sharing.TILES, true, Strategy.TWO_PHASE);
    assertThat(Trial.run(what, 1).messages())
        .isEqualTo(2L * nodes * (meetings + pieces + 2 * lists)); // each is written, and flushed
  }

  @Test
  void noNodesOrTooManyAreRefused() {
    assertThatThrownBy(() -> new ScaleStudy(0, 1)).hasMessageContaining("0 nodes");
    assertThatThrownBy(() -> new ScaleStudy(4097, 1)).hasMessageContaining("4097 nodes");
  }
}
