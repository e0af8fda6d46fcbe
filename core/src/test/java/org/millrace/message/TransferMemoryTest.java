package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets memory for payloads, and when. */
final class TransferMemoryTest {

  private static final long PIECE = FrameHeader.MAX_PAYLOAD;

  private final TransferMemory memory = new TransferMemory(4 * PIECE);
  private final TransferMemory.Share greedy = new TransferMemory.Share();
  private final TransferMemory.Share modest = new TransferMemory.Share();
  private final TransferMemory.Share third = new TransferMemory.Share();
  private final List<MemorySegment> granted = new ArrayList<>();

  @Test
  void whoHasUsedUpItsShareKeepsOnlyItselfWaiting() {
    memory.request(greedy, PIECE, granted::add);
    memory.request(greedy, PIECE, granted::add); // waits for its own first piece
    assertThat(granted).hasSize(1);
    memory.request(modest, PIECE, granted::add);
    assertThat(granted).hasSize(2);
    memory.give(greedy, granted.getFirst());
    assertThat(granted).hasSize(3);
  }

  @Test
  void whoWaitsForMemoryIsNotOvertakenBySmallerOnes() {
    List<MemorySegment> first = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      memory.request(new TransferMemory.Share(), i == 0 ? PIECE / 2 : PIECE, first::add);
    }
    memory.request(modest, PIECE, granted::add); // half a piece is left
    memory.request(third, PIECE / 2, granted::add);
    assertThat(first).hasSize(4);
    assertThat(granted).isEmpty();
    assertThat(memory.used()).isEqualTo(7 * PIECE / 2);
  }

  @Test
  void asksOfOneShareKeepTheirOrder() {
    List<String> order = new ArrayList<>();
    memory.request(greedy, PIECE, granted::add);
    memory.request(greedy, PIECE, _ -> order.add("large"));
    memory.request(greedy, 1, _ -> order.add("small"));
    assertThat(order).isEmpty();
    memory.give(greedy, granted.getFirst());
    assertThat(order).containsExactly("large");
  }
}
