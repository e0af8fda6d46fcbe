package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import org.millrace.protocol.KeptCells;

/** The notes of a kept pin as a node and a rank have them, both sides in one. */
final class TestCell implements WriteNotes {

  private final MemorySegment memory = MemorySegment.ofArray(new long[8]);
  private final long pin;
  private final int blocks;

  /** Of a few blocks. */
  TestCell(long pin) {
    this(pin, KeptCells.GROUPS);
  }

  TestCell(long pin, int blocks) {
    this.pin = pin;
    this.blocks = blocks;
    KeptCells.open(memory, 0, pin);
  }

  boolean begin() {
    return KeptCells.begin(memory, 0, pin);
  }

  /** Ends a write of {@code [from, to)}, counted from the first block on. */
  boolean end(long from, long to, int blockBytes) {
    int limit = (int) ((to - 1) / blockBytes) + 1;
    long groups = KeptCells.groups((int) (from / blockBytes), limit, blocks);
    return KeptCells.end(memory, 0, pin, groups, to);
  }

  /** Ends a write of all blocks, up to so many bytes behind the begin of the first. */
  boolean endOfAll(long end) {
    return KeptCells.end(memory, 0, pin, KeptCells.groups(0, blocks, blocks), end);
  }

  @Override
  public boolean hasNews() {
    return KeptCells.hasNews(memory, 0);
  }

  @Override
  public News take() {
    return news(KeptCells.take(memory, 0));
  }

  @Override
  public News close() {
    return news(KeptCells.close(memory, 0));
  }

  private News news(long word) {
    return new News(KeptCells.blocks(word, blocks), KeptCells.end(word), KeptCells.isBusy(word));
  }
}
