package org.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.client.assembly.SessionFacts;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.PointerCells;

/** Where shared pointers stand, seen in the coordinator's memory. */
final class PointerLinkTest {

  private static final long KEY = 5L << PointerCells.INDEX_BITS | 2;

  private final MemorySegment cells =
      Arena.ofAuto().allocate(4L * PointerCells.SLOT_BYTES, Long.BYTES);
  private final List<Message> sent = new ArrayList<>();
  private final SessionFacts facts = new SessionFacts();
  private boolean broken;
  private boolean connected = true;

  private final Link link =
      new PointerLink(
          new Sending(),
          facts,
          _ -> {
            throw new IOException("there is nothing else to map");
          });

  PointerLinkTest() {
    facts.cells(cells, facts.recalls());
    PointerCells.add(cells, KEY, 17);
  }

  private long ask() throws IOException {
    Pending asked = link.start(new CoordinatorRequest.PointerAt(KEY), MemorySegment.NULL);
    assertThat(asked.isDone()).isTrue();
    return ((CoordinatorReply.Value) asked.await(Env.NEVER)).value();
  }

  @Test
  void aPointerInReachIsLookedAtWithoutAMessage() throws IOException {
    assertThat(ask()).isEqualTo(17);
    assertThat(link.advance(KEY, 3, 0, Long.MAX_VALUE, 0)).isEqualTo(17);
    assertThat(ask()).isEqualTo(20);
    assertThat(sent).isEmpty();
  }

  @Test
  void whetherAPointerIsSeenTakesNoMessage() {
    assertThat(link.seesPointer(KEY)).isTrue();
    broken = true;
    assertThat(link.seesPointer(KEY)).isFalse();
    broken = false;
    connected = false;
    assertThat(link.seesPointer(KEY)).as("it may have gone meanwhile").isFalse();
    connected = true;
    PointerCells.remove(cells, KEY);
    assertThat(link.seesPointer(KEY)).isFalse();
    assertThat(sent).isEmpty();
  }

  @Test
  void theCoordinatorIsAskedAboutAPointerThatIsGone() throws IOException {
    PointerCells.remove(cells, KEY); // its file was closed, perhaps by an administrator
    assertThat(ask()).isEqualTo(Sending.ANSWER);
    assertThat(sent).hasSize(1);
  }

  @Test
  void theNextCoordinatorIsAskedAboutAPointerOfTheOneBefore() throws IOException {
    PointerCells.freeze(cells, KEY);
    assertThat(ask()).isEqualTo(Sending.ANSWER);
    assertThat(sent).hasSize(1);
  }

  /** The memory of one that ended while it was mapped: nobody has frozen the pointers in it. */
  @Test
  void pointersThatWereMappedTooLateAreNotMoved() throws IOException {
    facts.recall(List.of());
    facts.onRecalled(new CoordinatorReply.Recalled(List.of()));
    List<MemorySegment> mapped = new ArrayList<>();
    Link slow =
        new PointerLink(
            new Sending(),
            facts,
            _ -> {
              if (mapped.isEmpty()) { // it answers, ends, and another one takes its place
                mapped.add(cells);
                facts.recall(List.of());
                facts.onRecalled(new CoordinatorReply.Recalled(List.of()));
                return cells;
              }
              mapped.add(MemorySegment.NULL);
              return MemorySegment.NULL;
            });
    assertThat(slow.advance(KEY, 3, 0, Long.MAX_VALUE, 0)).isEqualTo(Sending.ANSWER);
    assertThat(PointerCells.at(cells, KEY)).as("of a coordinator that has ended").isEqualTo(17);
    assertThat(slow.seesPointer(KEY)).isFalse();
    assertThat(slow.advance(KEY, 3, 0, Long.MAX_VALUE, 0)).isEqualTo(Sending.ANSWER);
    assertThat(mapped).as("asked again").hasSize(2);
  }

  @Test
  void theLinkFailsWhereTheCoordinatorIsGone() throws IOException {
    broken = true;
    assertThat(ask()).isEqualTo(Sending.ANSWER); // as far as it can be asked
    assertThat(sent).hasSize(1);
  }

  @Test
  void pointersElsewhereAndOtherRequestsAreMessages() throws IOException {
    long elsewhere = 5L << PointerCells.INDEX_BITS | 100;
    link.start(new CoordinatorRequest.PointerAt(elsewhere), MemorySegment.NULL).await(Env.NEVER);
    link.call(new CoordinatorRequest.AskMembers(1), MemorySegment.NULL, Env.NEVER);
    assertThat(sent).hasSize(2);
  }

  /** Answers everything alike. */
  private final class Sending implements Link {

    static final long ANSWER = -7;

    @Override
    public Pending start(Message request, Payload payload) {
      sent.add(request);
      return new Pending() {
        @Override
        public boolean isDone() {
          return true;
        }

        @Override
        public Message await(long deadlineNanos) {
          return new CoordinatorReply.Value(ANSWER);
        }
      };
    }

    @Override
    public boolean isBroken() {
      return broken;
    }

    @Override
    public boolean isConnected() {
      return connected;
    }

    @Override
    public long get(
        long key, long offset, MemorySegment into, long at, long length, long timeoutNanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void put(
        long key, long offset, MemorySegment source, long at, long length, long timeoutNanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long advance(long key, long delta, long floor, long limit, long timeoutNanos) {
      return ANSWER;
    }

    @Override
    public void hint(long key, long offset, long length) {}

    @Override
    public void close() {}
  }
}
