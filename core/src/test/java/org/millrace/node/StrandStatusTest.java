package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.cache.CacheOptions;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Copies;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Peer;
import org.millrace.protocol.Asking;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.StrandStatus;

/** What a node says of many strands at once, and when each was modified. */
final class StrandStatusTest {

  private static final Env ENV = Env.real();
  private static final int FEW = 2; // strands that are open at a time
  private static final int LARGE = 300_000;

  private MemoryDisk disk = new MemoryDisk("d");
  private Node node;
  private Link link;

  @BeforeEach
  void start() {
    CacheOptions cache = CacheOptions.of(1 << 20);
    NodeOptions options =
        new NodeOptions(cache, FEW, 1L << 40, 2, 1 << 20, 1L << 31, 4096, true, 0, CopyVerdict::of);
    node = new Node(ENV, "node 0", disk, options);
    link = Links.local(ENV, new Peer(1, "u"), node);
  }

  @AfterEach
  void stop() throws IOException {
    link.close();
    node.close();
  }

  private void put(long file, long offset, byte[] bytes) throws IOException {
    link.put(
        StrandId.key(file, 0), offset, MemorySegment.ofArray(bytes), 0, bytes.length, Env.NEVER);
  }

  private void ask(NodeRequest request) throws IOException {
    link.call(request, MemorySegment.NULL, Env.NEVER);
  }

  private List<StrandStatus> statuses(long... files) throws IOException {
    List<StrandId> strands = Arrays.stream(files).mapToObj(file -> new StrandId(file, 0)).toList();
    var request = new NodeRequest.AskStatuses(Asking.NONE, List.of(), strands);
    return ((NodeReply.Statuses) link.call(request, MemorySegment.NULL, Env.NEVER)).strands();
  }

  private StrandStatus status(long file) throws IOException {
    return statuses(file).getFirst();
  }

  @Test
  void endsAndTimesOfManyStrandsComeInOneAnswerWhetherTheyAreOpenOrNot() throws IOException {
    long before = (ENV.wallMillis() - 60_000) * 1_000_000;
    for (long file = 1; file <= 6; file++) { // more than can be open
      put(file, 0, new byte[file % 2 == 0 ? LARGE : (int) file]);
    }
    List<StrandStatus> all = statuses(1, 2, 3, 4, 5, 6, 7);
    assertThat(all)
        .extracting(StrandStatus::end)
        .containsExactly(1L, (long) LARGE, 3L, (long) LARGE, 5L, (long) LARGE, 0L);
    assertThat(all.subList(0, 6)).allMatch(one -> one.modified() > before);
    assertThat(all.getLast().modified()).as("never written").isZero();
    assertThat(statuses(1, 2, 3, 4, 5, 6, 7)).isEqualTo(all);
  }

  @Test
  void everyWriteAndEveryResizeMakesTheTimeLarger() throws IOException {
    put(1, 0, new byte[] {1});
    long last = status(1).modified();
    for (int i = 0; i < 50; i++) {
      switch (i % 4) {
        case 0 -> put(1, 0, new byte[] {1});
        case 1 -> put(1, i, new byte[LARGE]);
        case 2 -> ask(new NodeRequest.Resize(new StrandId(1, 0), i));
        default -> ask(new NodeRequest.Extend(new StrandId(1, 0), i + LARGE));
      }
      long now = status(1).modified();
      assertThat(now).as("write %d", i).isGreaterThan(last);
      last = now;
    }
  }

  @Test
  void readingAndFlushingChangeNoTime() throws IOException {
    put(1, 0, new byte[] {1});
    long modified = status(1).modified();
    link.get(StrandId.key(1, 0), 0, MemorySegment.ofArray(new byte[1]), 0, 1, Env.NEVER);
    ask(new NodeRequest.Flush(new StrandId(1, 0)));
    ask(new NodeRequest.Extend(new StrandId(1, 0), 1)); // reaches that far already
    assertThat(status(1).modified()).isEqualTo(modified);
  }

  @Test
  void timesOutliveANodeThatIsClosedInOrder() throws IOException {
    put(1, 0, new byte[] {1});
    put(2, 0, new byte[LARGE]);
    put(3, 0, new byte[LARGE]);
    ask(new NodeRequest.Resize(new StrandId(3, 0), 10));
    List<StrandStatus> before = statuses(1, 2, 3);
    stop();
    start();
    assertThat(statuses(1, 2, 3)).isEqualTo(before);
  }

  @Test
  void whatWasFlushedKeepsItsTimeThroughALossOfPower() throws IOException {
    put(1, 0, new byte[] {1});
    put(2, 0, new byte[LARGE]);
    ask(new NodeRequest.Flush(new StrandId(1, 0)));
    ask(new NodeRequest.Flush(new StrandId(2, 0)));
    List<StrandStatus> before = statuses(1, 2);
    MemoryDisk left = disk.crash();
    stop();
    disk = left;
    start();
    assertThat(statuses(1, 2)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 3_600_000})
  void bytesThatWereOverwrittenAndNotFlushedHaveALaterTimeAfterALossOfPower(long setBackMillis)
      throws IOException {
    node.time().onTold(ENV.wallMillis() + setBackMillis); // which the next node is not told
    byte[] other = new byte[900_000]; // most of the cache: blocks are written back before a flush
    put(2, 0, other);
    ask(new NodeRequest.Flush(new StrandId(2, 0)));
    long flushed = status(2).modified();
    Arrays.fill(other, (byte) 1);
    put(2, 0, other);
    put(3, 0, other);
    MemoryDisk left = disk.crash();
    stop();
    disk = left;
    start();
    byte[] found = new byte[1];
    boolean changed = false;
    for (int at = 0; at < other.length; at += 4096) {
      link.get(StrandId.key(2, 0), at, MemorySegment.ofArray(found), 0, 1, Env.NEVER);
      changed |= found[0] != 0;
    }
    assertThat(status(2).modified()).isGreaterThanOrEqualTo(flushed);
    assertThat(!changed || status(2).modified() > flushed).as("late, never missing").isTrue();
  }

  @Test
  void aTimeThatWasLateOnceIsTheSameAtTheNextOpening() throws IOException {
    byte[] other = new byte[900_000];
    put(2, 0, other);
    ask(new NodeRequest.Flush(new StrandId(2, 0)));
    Arrays.fill(other, (byte) 1);
    put(2, 0, other);
    put(3, 0, other);
    MemoryDisk left = disk.crash();
    stop();
    disk = left;
    start();
    StrandStatus first = status(2);
    link.get(StrandId.key(2, 0), 0, MemorySegment.ofArray(new byte[1]), 0, 1, Env.NEVER);
    assertThat(status(2)).as("reading changes no time").isEqualTo(first);
    stop();
    start();
    assertThat(status(2)).isEqualTo(first);
  }

  @Test
  void aStrandThatCannotBeOpenedKeepsNoOtherFromBeingAskedAbout() throws IOException {
    put(1, 0, new byte[] {1});
    put(2, 0, new byte[LARGE]);
    stop();
    for (String file : disk.list()) {
      if (file.contains("2") && !file.equals("strands") && !file.equals("epochs")) {
        disk.delete(file);
      }
    }
    start();
    assertThat(statuses(1, 2))
        .extracting(StrandStatus::end)
        .containsExactly(1L, StrandStatus.UNKNOWN);
  }

  @Test
  void whatAnotherNodeMustSayIsNotGuessed() throws IOException {
    put(1, 0, new byte[] {1});
    long copied = Copies.idOf(2, 2); // of which this node cannot know whether it serves it
    assertThatThrownBy(() -> statuses(1, copied))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NODE));
  }

  @Test
  void aRemovedStrandIsNotRemembered() throws IOException {
    put(1, 0, new byte[LARGE]);
    put(2, 0, new byte[LARGE]);
    put(3, 0, new byte[LARGE]); // evicts
    ask(new NodeRequest.Remove(new StrandId(1, 0)));
    assertThat(status(1).end()).isEqualTo(StrandStatus.UNKNOWN);
  }
}
