package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the oracle takes for explained, and what not. */
final class FileModelTest {

  private static final long[] CELL = {3};

  private final Oracle oracle = new Oracle();
  private final FileModel model = new FileModel(oracle, "file", 8, 1);

  private Write write(long open) {
    Write write = model.begin(open, CELL);
    model.end(write);
    return write;
  }

  private void read(Write what) {
    MemorySegment memory = MemorySegment.ofArray(new byte[Content.CELL]);
    Content.fill(memory, 0, what.id, CELL[0]);
    assertThat(model.read(oracle.tick(), CELL, memory, 1, "rank 0")).containsExactly(what);
  }

  private void cannotRead(Write what) {
    assertThatThrownBy(() -> read(what)).isInstanceOf(Violation.class).hasMessageContaining("cell");
  }

  private void flush(long open) {
    model.flushed(open, oracle.tick());
  }

  @Test
  void theLastOfTwoWritesIsRead() {
    Write first = write(1);
    Write second = write(1);
    read(second);
    cannotRead(first);
  }

  @Test
  void ofConcurrentWritesEitherIsRead() {
    Write first = model.begin(1, CELL);
    Write second = model.begin(2, CELL);
    model.end(first);
    model.end(second);
    read(first);
    read(second);
  }

  @Test
  void whatNobodyKnowsTheEndOfMayHappenLater() {
    Write lost = model.begin(1, CELL);
    Write second = write(2);
    read(second);
    read(lost);
  }

  private MemorySegment halfOf(Write first, Write second) {
    MemorySegment memory = MemorySegment.ofArray(new byte[Content.CELL]);
    MemorySegment other = MemorySegment.ofArray(new byte[Content.CELL]);
    Content.fill(memory, 0, first.id, CELL[0]);
    Content.fill(other, 0, second.id, CELL[0]);
    memory.asSlice(13).copyFrom(other.asSlice(13));
    return memory;
  }

  @Test
  void ofAWriteThatFailedAnyBytesMayBeThereAndStay() {
    Write done = write(1);
    Write lost = model.begin(1, CELL);
    MemorySegment torn = halfOf(done, lost);
    Write seen = model.read(oracle.tick(), CELL, torn, 1, "rank 0").getFirst();
    Write nothing = new Write(Write.NOTHING, 0, 0);
    model.settle(List.of(nothing, nothing, nothing, seen));
    assertThatCode(() -> model.read(oracle.tick(), CELL, torn, 1, "rank 0"))
        .doesNotThrowAnyException();
    cannotRead(lost);
  }

  @Test
  void ofAWriteInPiecesAnyBytesMayHaveSurvivedACrash() {
    Write before = write(1);
    flush(1);
    Write pieces = write(1);
    pieces.inPieces = true;
    MemorySegment torn = halfOf(before, pieces);
    assertThatThrownBy(() -> model.read(oracle.tick(), CELL, torn, 1, "rank 0"))
        .isInstanceOf(Violation.class); // nothing was lost yet
    oracle.crashed(0);
    assertThatCode(() -> model.read(oracle.tick(), CELL, torn, 1, "rank 0"))
        .doesNotThrowAnyException();
  }

  @Test
  void ofAWriteInPiecesThatWasFlushedAllBytesSurvive() {
    Write before = write(1);
    Write pieces = write(1);
    pieces.inPieces = true;
    flush(1);
    oracle.crashed(0);
    MemorySegment torn = halfOf(before, pieces);
    assertThatThrownBy(() -> model.read(oracle.tick(), CELL, torn, 1, "rank 0"))
        .isInstanceOf(Violation.class);
    read(pieces);
  }

  @Test
  void writesThatSucceededAreNotMixed() {
    Write first = model.begin(1, CELL);
    Write second = model.begin(2, CELL);
    model.end(first);
    model.end(second);
    assertThatThrownBy(() -> model.read(oracle.tick(), CELL, halfOf(first, second), 1, "rank 0"))
        .isInstanceOf(Violation.class);
  }

  @Test
  void whatWasNotFlushedMayBeLostInACrash() {
    Write first = write(1);
    flush(1);
    Write second = write(1);
    oracle.crashed(0);
    read(first);
    read(second);
  }

  @Test
  void whatWasFlushedSurvives() {
    Write first = write(1);
    Write second = write(1);
    flush(2);
    oracle.crashed(0);
    cannotRead(first);
    read(second);
  }

  @Test
  void aFlushOfAnotherAfterTheCrashPromisesNothing() {
    Write first = write(1);
    Write second = write(1);
    oracle.crashed(0);
    flush(2);
    read(first);
    read(second);
  }

  @Test
  void aFlushOfTheWriterAfterTheCrashWouldHaveFailed() {
    Write first = write(1);
    write(1);
    oracle.crashed(0);
    flush(1);
    cannotRead(first);
  }

  /** A rank may write into its memory before it has noticed. */
  @Test
  void whatANodeGetsWhileItIsDownIsLostWithIt() {
    Write first = write(1);
    flush(1);
    oracle.crashed(0);
    Write second = write(1);
    oracle.starts(0);
    read(first);
    read(second);
    flush(1); // which would have failed
    cannotRead(first);
  }

  @Test
  void whatANodeGetsWhenItIsBackIsThere() {
    Write first = write(1);
    oracle.crashed(0);
    oracle.starts(0);
    Write second = write(2);
    read(second);
    cannotRead(first);
  }

  private static MemorySegment content(Write write) {
    MemorySegment memory = MemorySegment.ofArray(new byte[Content.CELL]);
    Content.fill(memory, 0, write.id, CELL[0]);
    return memory;
  }

  @Test
  void onlyAReadOfAFileWithCopiesGoesOnAfterACrash() {
    for (int copies = 1; copies <= 2; copies++) {
      FileModel file = new FileModel(oracle, "file", 8, copies);
      Write first = file.begin(1, CELL);
      file.end(first);
      Write second = file.begin(1, CELL);
      file.end(second);
      long began = oracle.tick();
      ThrowingCallable older = () -> file.read(began, CELL, content(first), 1, "rank 0");
      assertThatThrownBy(older).as("nothing is lost yet").isInstanceOf(Violation.class);
      oracle.crashed(0);
      if (copies == 1) {
        assertThatThrownBy(older).isInstanceOf(Violation.class);
      } else {
        assertThatCode(older).doesNotThrowAnyException();
      }
    }
  }

  @Test
  void theFileDoesNotEndBeforeWhatIsWritten() {
    write(1);
    assertThatThrownBy(() -> model.checkSize(oracle.tick(), 0, "rank 0"))
        .isInstanceOf(Violation.class);
    assertThatCode(() -> model.checkSize(oracle.tick(), 4 * Content.CELL, "rank 0"))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> model.checkSize(oracle.tick(), 5 * Content.CELL, "rank 0"))
        .isInstanceOf(Violation.class);
  }

  @Test
  void whatWasCutIsGone() {
    Write first = write(1);
    Write cut = model.beginCut(1, 2);
    model.end(cut);
    cannotRead(first);
    assertThatCode(() -> model.checkSize(oracle.tick(), 2 * Content.CELL, "rank 0"))
        .doesNotThrowAnyException();
  }

  private void toldOfALossAt(long tick) {
    model.checkLost(0, new Oracle.Loss(tick, tick), "rank 0");
  }

  @Test
  void lossesAreToldOnlyIfSomethingWasNotFlushed() {
    assertThatCode(() -> toldOfALossAt(oracle.tick()))
        .as("of what nobody wrote copies may know nothing")
        .doesNotThrowAnyException();
    write(1);
    long first = oracle.tick();
    assertThatCode(() -> toldOfALossAt(first)).doesNotThrowAnyException();
    flush(2);
    long second = oracle.tick();
    model.begin(1, CELL); // too late to be lost
    assertThatThrownBy(() -> toldOfALossAt(second))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("all were flushed");
    assertThatCode(() -> toldOfALossAt(oracle.tick())).doesNotThrowAnyException();
  }
}
