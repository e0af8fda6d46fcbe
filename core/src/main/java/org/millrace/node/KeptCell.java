package org.millrace.node;

import java.lang.foreign.MemorySegment;
import org.millrace.cache.WriteNotes;
import org.millrace.protocol.KeptCells;

/**
 * The node's side of a cell in which the holder of a kept pin records its writes.
 *
 * @param cells the memory
 * @param number of the cell
 * @param blocks how many are kept
 */
record KeptCell(MemorySegment cells, int number, int blocks) implements WriteNotes {

  @Override
  public boolean hasNews() {
    return KeptCells.hasNews(cells, number);
  }

  @Override
  public News take() {
    return news(KeptCells.take(cells, number));
  }

  @Override
  public News close() {
    return news(KeptCells.close(cells, number));
  }

  private News news(long word) {
    return new News(KeptCells.blocks(word, blocks), KeptCells.end(word), KeptCells.isBusy(word));
  }
}
