package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import org.millrace.protocol.KeptCells;

/** The notes of a kept pin as a node and a rank have them, both sides in one. */
final class TestCell implements WriteNotes {

  private final MemorySegment memory = MemorySegment.ofArray(new long[8]);
  private final long pin;

  TestCell(long pin) {
    this.pin = pin;
    KeptCells.open(memory, 0, pin);
  }

  boolean begin() {
    return KeptCells.begin(memory, 0, pin);
  }

  /** Ends a write of {@code [from, to)}, counted from the first block on. */
  boolean end(long from, long to, int blockBytes) {
    long blocks = (1L << (to - 1) / blockBytes + 1) - (1L << from / blockBytes);
    return KeptCells.end(memory, 0, pin, blocks, to);
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

  private static News news(long word) {
    return new News(KeptCells.blocks(word), KeptCells.end(word), KeptCells.isBusy(word));
  }
}
