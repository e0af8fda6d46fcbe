package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.StrandLog;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Copies;
import org.millrace.protocol.NodeReply.CopyState;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/** Copies on a node: which owners they obey, and what they know of writes. */
final class CopyTargetsTest {

  private static final StrandId STRAND = new StrandId(Copies.idOf(7, 2), 0);
  private static final int BLOCK = 64 << 10;

  private final StrandLog log = new StrandLog(Env.real(), new MemoryDisk("node"), 0, true, _ -> {});
  private CopyTargets targets = started();
  private long now = 1000;

  private CopyTargets started() {
    return new CopyTargets(
        new CopyTargets.Source() {
          @Override
          public StrandStore open(StrandId id, int blockBytes) throws IOException {
            return log.open(id.file(), id.strand(), blockBytes);
          }

          @Override
          public void make(StrandId id, int blockBytes) throws IOException {
            log.remove(id.file(), id.strand());
            log.create(id.file(), id.strand(), blockBytes);
          }

          @Override
          public long epoch(StrandId id) {
            return 1;
          }

          @Override
          public long now() {
            return ++now;
          }
        });
  }

  @BeforeEach
  void load() throws IOException {
    log.load();
  }

  @AfterEach
  void close() throws IOException {
    targets.close();
    log.close();
  }

  private CopyState begin(long epoch, long mark) throws IOException {
    var request = new NodeRequest.CopyBegin(STRAND, epoch, epoch, BLOCK, mark);
    return (CopyState) targets.serve(request, MemorySegment.NULL);
  }

  private void write(long epoch) throws IOException {
    MemorySegment block = MemorySegment.ofArray(new byte[BLOCK]);
    block.fill((byte) epoch);
    targets.serve(new NodeRequest.CopyWrite(STRAND, epoch, 0, BLOCK), block);
  }

  private void flush(long epoch, long mark) throws IOException {
    targets.serve(new NodeRequest.CopyFlush(STRAND, epoch, BLOCK, mark), MemorySegment.NULL);
  }

  private long modified() throws IOException {
    targets.serve(new NodeRequest.CopyEnd(STRAND, 1), MemorySegment.NULL);
    try (StrandStore store = log.open(STRAND.file(), STRAND.strand(), BLOCK)) {
      return store.modified();
    }
  }

  @Test
  void aCopyKnowsWhenItHeardOfTheLastWrite() throws IOException {
    targets.serve(new NodeRequest.CopyMake(STRAND, 1, BLOCK), MemorySegment.NULL);
    begin(1, 1);
    write(1);
    flush(1, 1);
    assertThat(modified()).isEqualTo(now).isGreaterThan(1000);
    long written = now;
    begin(1, 2);
    flush(1, 2);
    assertThat(modified()).as("nothing was written").isEqualTo(written);
    begin(1, 3);
    targets.serve(new NodeRequest.CopyResize(STRAND, 1, 10), MemorySegment.NULL);
    assertThat(modified()).isEqualTo(now).isGreaterThan(written);
  }

  private static void assertFails(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void marksOfOneOwnerSayNothingOfTheNextOnes() throws IOException {
    begin(5, 7);
    write(5);
    flush(5, 7);
    assertThat(begin(6, 1).clean()).as("what the owner before had written is there").isTrue();
    assertThat(begin(6, 0).clean()).as("its mark was higher").isFalse();
    flush(6, 0);
    assertThat(begin(6, 0).clean()).as("a flush that says nothing of the mark").isFalse();
    flush(6, 1);
    assertThat(begin(6, 0).clean()).isTrue();
  }

  @Test
  void aCopyWhoseNodeHasStartedTakesNoWritesBeforeItsOwnerBeginsAnew() throws IOException {
    begin(5, 1);
    write(5);
    targets.close();
    targets = started();
    assertFails(ErrorCode.RESTARTED, () -> write(5));
    assertFails(ErrorCode.RESTARTED, () -> flush(5, 1));
    assertThat(begin(5, 2).mark()).as("so the owner learns of it").isZero();
    write(5);
  }

  @Test
  void anOwnerWhoseEpochIsOverCanNeitherWriteNorMakeACopyAnew() throws IOException {
    begin(6, 1);
    write(6);
    flush(6, 1);
    long before = begin(6, 0).sum();
    assertFails(ErrorCode.MOVED, () -> write(5));
    assertFails(
        ErrorCode.MOVED,
        () -> targets.serve(new NodeRequest.CopyMake(STRAND, 5, BLOCK), MemorySegment.NULL));
    CopyState after = begin(6, 0);
    assertThat(after.sum()).isEqualTo(before);
    assertThat(after.end()).isEqualTo(BLOCK);
    targets.serve(new NodeRequest.CopyMake(STRAND, 7, BLOCK), MemorySegment.NULL);
    assertThat(begin(7, 0).end()).as("the control: one whose epoch is not").isZero();
  }

  @Test
  void allWhoClaimAStrandBeforeItIsOpenLearnTheSame() throws IOException {
    begin(5, 1);
    write(5);
    flush(5, 1);
    assertThat(targets.claim(STRAND, 8)).isEqualTo(new CopyTarget.Known(true, 5));
    assertThat(targets.claim(STRAND, 8)).isEqualTo(new CopyTarget.Known(true, 5));
    assertThat(targets.isClaimed(STRAND, 8)).isTrue();
    assertFails(ErrorCode.NODE, () -> begin(9, 1));
    targets.disown(STRAND, 0, 8);
    assertThat(begin(9, 0).clean()).as("nothing is known of one that was deposed").isFalse();
  }
}
