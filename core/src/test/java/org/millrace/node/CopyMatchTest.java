package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.cache.BlockCache;
import org.millrace.cache.CacheOptions;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.layout.Copies;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeReply.CopyState;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * A long strand whose copy differs, piece by piece, where nobody makes the rest equal but the test:
 * each piece that is not mentioned is the control that it would differ.
 */
final class CopyMatchTest {

  private static final Env ENV = Env.real();
  private static final StrandId STRAND = new StrandId(Copies.idOf(7, 2), 0);
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 10;
  private static final int OWN = 1;
  private static final int OTHER = 2;

  private final MemoryDisk disk = new MemoryDisk("copy");
  private final Others others = new Others();
  private final BlockCache cache = new BlockCache(ENV, "owner", CacheOptions.of(16L * BLOCK));
  private final OpenStrands strands =
      new OpenStrands(
          ENV, "owner", new MemoryDisk("owner"), cache, NodeOptions.of(16L * BLOCK), _ -> {});
  private final CopiedStrands owner =
      new CopiedStrands(ENV, 0, others, strands, new ClusterTime(ENV), 0);

  private Node copy = started();
  private Link link = Links.local(ENV, new Peer(1, "owner"), copy);
  private StrandStore own;
  private CopyMembers members;
  private CopyMatch match;
  private CopyMarks marks;
  private int rests;

  /** Node 1 holds the copy, and the coordinator knows no more than the epoch. */
  private final class Others implements CopyPeers {

    private CopySet set = new CopySet(3, List.of(0, 1), List.of());

    @Override
    public Link node(int number) {
      return link;
    }

    @Override
    public Link replace(int number, Link broken) {
      return link;
    }

    @Override
    public CoordinatorReply ask(CoordinatorRequest request) {
      if (request instanceof CoordinatorRequest.LeaveCopies) {
        set = new CopySet(4, List.of(0), List.of(1));
      }
      return new CoordinatorReply.CopiesAt(set);
    }

    @Override
    public boolean areElsewhere() {
      return false;
    }

    @Override
    public void close() {}
  }

  private Node started() {
    Node made = new Node(ENV, "copy", disk, NodeOptions.of(16L * BLOCK));
    made.serveCopies(1, others);
    return made;
  }

  private void restart() throws IOException {
    link.close();
    copy.close();
    copy = started();
    link = Links.local(ENV, new Peer(1, "owner"), copy);
  }

  private void call(NodeRequest request, MemorySegment bytes) throws IOException {
    link.start(request, Payload.of(bytes)).await(Env.NEVER);
  }

  private CopyState state() throws IOException {
    var asked = new NodeRequest.CopyBegin(STRAND, 3, 0, BLOCK, 0);
    return (CopyState) link.call(asked, MemorySegment.NULL, Env.NEVER);
  }

  private static MemorySegment filled(int blocks, int value) {
    return ENV.autoArena().allocate((long) blocks * BLOCK, 4096).fill((byte) value);
  }

  /** What the copy has of a block. */
  private int there(int block) throws IOException {
    MemorySegment bytes = filled(1, 0);
    call(new NodeRequest.CopyRead(STRAND, 3, block, BLOCK), bytes);
    return bytes.get(ValueLayout.JAVA_BYTE, BLOCK - 1);
  }

  @BeforeEach
  void differ() throws IOException {
    strands.createCopy(STRAND, BLOCK);
    own = strands.openCopy(STRAND, BLOCK);
    own.write(0, filled(BLOCKS, OWN));
    own.flush((long) BLOCKS * BLOCK);
    call(new NodeRequest.CopyMake(STRAND, 3, BLOCK), MemorySegment.NULL);
    call(new NodeRequest.CopyBegin(STRAND, 3, 0, BLOCK, 1), MemorySegment.NULL);
    call(new NodeRequest.CopyWrite(STRAND, 3, 0, BLOCKS * BLOCK), filled(BLOCKS, OTHER));
    call(new NodeRequest.CopyFlush(STRAND, 3, BLOCKS * BLOCK, 0), MemorySegment.NULL);
    restart();
    members = new CopyMembers(owner, STRAND, others.set);
    CopyCalls calls = new CopyCalls(ENV, owner, members);
    match =
        new CopyMatch(
            STRAND, own, members, calls, new ChangeGate(ENV), 0, () -> rests++); // nobody does it
    marks = new CopyMarks(STRAND, own, new CopyTarget.Known(false, 0), members, calls, match);
  }

  @AfterEach
  void end() throws IOException {
    own.close();
    link.close();
    copy.close();
    strands.close();
    cache.close();
  }

  @Test
  void aPieceThatIsReadIsMadeEqualFirst() throws IOException {
    marks.settle();
    assertThat(rests).isEqualTo(1);
    assertThat(there(4)).isEqualTo(OTHER);
    assertThat(match.onRead(4, 2)).isFalse();
    assertThat(there(3)).isEqualTo(OTHER);
    assertThat(there(4)).isEqualTo(OWN);
    assertThat(there(5)).isEqualTo(OWN);
    assertThat(there(6)).isEqualTo(OTHER);
    assertThat(members.inSync()).hasSize(1);
  }

  @Test
  void aPieceThatWasReadBeforeIsEqualWhenItIsSettled() throws IOException {
    assertThat(match.onRead(9, 1)).as("it should be settled: the limit is 0").isTrue();
    assertThat(match.onRead(8, 1)).as("but not at each read").isFalse();
    assertThat(there(9)).isEqualTo(OTHER);
    marks.settle();
    assertThat(there(9)).isEqualTo(OWN);
    assertThat(there(8)).isEqualTo(OWN);
    assertThat(there(0)).isEqualTo(OTHER);
  }

  /** Else the owner after this one would take it for equal to others. */
  @Test
  void untilAllIsEqualACopyIsNotClean() throws IOException {
    marks.enterWrite();
    marks.leaveWrite();
    marks.endFlush(marks.beginFlush());
    assertThat(state().clean()).isFalse();
    match.run();
    assertThat(match.isEqual()).isTrue();
    marks.endMatch();
    assertThat(match.isRunning()).isFalse();
    assertThat(there(0)).isEqualTo(OWN);
    assertThat(state().clean()).isTrue();
    assertThat(members.inSync()).hasSize(1);
  }

  /**
   * Found by the hunt (seed 32638): the copy had left, and so nobody knew that all was flushed when
   * the owner was started again.
   */
  @Test
  void anOwnerThatStartsAgainKnowsThatAllWasFlushed() throws IOException {
    marks.settle();
    match.run();
    marks.endMatch();
    marks.enterWrite();
    marks.leaveWrite();
    marks.endFlush(marks.beginFlush());
    assertThat(vouchedAfterAStart(new CopySet(5, List.of(0, 1), List.of()))).isEqualTo(3);
    CopySet alone = new CopySet(5, List.of(0), List.of(1));
    assertThat(vouchedAfterAStart(alone)).as("the control: the copy has left").isEqualTo(5);
  }

  private long vouchedAfterAStart(CopySet set) throws IOException {
    CopyMembers again = new CopyMembers(owner, STRAND, set);
    CopyCalls calls = new CopyCalls(ENV, owner, again);
    CopyMatch next = new CopyMatch(STRAND, own, again, calls, new ChangeGate(ENV), 0, () -> {});
    return new CopyMarks(STRAND, own, new CopyTarget.Known(false, 0), again, calls, next).vouch();
  }

  @Test
  void aCopyWhoseNodeStartsAgainMeanwhileLeaves() throws IOException {
    marks.settle();
    assertThat(match.onRead(0, 1)).isFalse();
    restart(); // before what was made equal was forced
    marks.enterWrite();
    marks.leaveWrite();
    assertThat(members.inSync()).isEmpty();
    assertThat(others.set.missing()).containsExactly(1);
    assertThat(match.isRunning()).isFalse();
  }

  @Test
  void whatWasReadAndFlushedIsForcedThere() throws IOException {
    marks.settle();
    marks.beginFlush(); // marked, and so on
    assertThat(match.onRead(2, 1)).isFalse();
    marks.beginFlush();
    link.close();
    MemoryDisk left = disk.crash();
    try (Node after = new Node(ENV, "copy", left, NodeOptions.of(16L * BLOCK))) {
      after.serveCopies(1, others);
      Link to = Links.local(ENV, new Peer(1, "owner"), after);
      MemorySegment bytes = filled(1, 0);
      to.start(new NodeRequest.CopyRead(STRAND, 3, 2, BLOCK), Payload.of(bytes)).await(Env.NEVER);
      assertThat(bytes.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) OWN);
      to.close();
    }
  }
}
