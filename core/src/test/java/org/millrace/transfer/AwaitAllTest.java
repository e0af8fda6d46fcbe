package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeReply;

/** Who goes on when several requests are waited for. */
final class AwaitAllTest {

  private final List<String> order = new ArrayList<>();

  /** A request of some steps; {@code ready} of them need not be waited for. */
  private final class Steps implements Pending {

    private final String name;
    private int left;
    private int ready;
    private boolean abandoned;
    private boolean fails;

    Steps(String name, int left, int ready) {
      this.name = name;
      this.left = left;
      this.ready = ready;
    }

    @Override
    public boolean isDone() {
      return left == 0;
    }

    @Override
    public boolean canAdvance() {
      return ready > 0;
    }

    @Override
    public boolean advance(long deadlineNanos) throws IOException {
      order.add(name + (ready > 0 ? "" : " waits"));
      ready--;
      left--;
      if (fails) {
        throw new MillraceException(ErrorCode.DISK, name);
      }
      return left == 0;
    }

    @Override
    public Message await(long deadlineNanos) {
      return new NodeReply.Done();
    }

    @Override
    public void abandon() {
      abandoned = true;
    }
  }

  private static void await(Steps... all) throws IOException {
    AwaitAll.all(List.of(all), () -> Long.MAX_VALUE);
  }

  @Test
  void eachInTurnIfAllMustWait() throws IOException {
    await(new Steps("a", 2, 0), new Steps("b", 3, 0), new Steps("c", 1, 0));
    assertThat(order)
        .containsExactly("a waits", "b waits", "c waits", "a waits", "b waits", "b waits");
  }

  @Test
  void whatNeedNotWaitGoesOnBeforeWhatMust() throws IOException {
    await(new Steps("a", 2, 0), new Steps("b", 2, 2), new Steps("c", 2, 1));
    assertThat(order).containsExactly("b", "c", "b", "c waits", "a waits", "a waits");
  }

  @Test
  void eachInTurnIfNoneMustWait() throws IOException {
    await(new Steps("a", 2, 2), new Steps("b", 2, 2));
    assertThat(order).containsExactly("a", "b", "a", "b");
  }

  @Test
  void aFailureIsToldWhenAllOthersHaveEnded() {
    Steps failing = new Steps("a", 2, 1);
    failing.fails = true;
    Steps other = new Steps("b", 3, 0);
    assertThatThrownBy(() -> await(failing, other)).hasMessageContaining("a");
    assertThat(failing.abandoned).isTrue();
    assertThat(other.isDone()).isTrue();
    assertThat(other.abandoned).isFalse();
  }
}
