package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.error.ErrorCode;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.OpenFlags;

/** The end-of-file pointer of a file, which all its opens share, and opens that join others. */
final class SharedEndTest {

  private static final OpenFlags READ =
      new OpenFlags(true, false, false, false, false, false, false, 0, 0, 0);
  private static final OpenFlags APPEND =
      new OpenFlags(true, true, false, false, false, true, false, 0, 0, 0);

  private Harness harness;

  @BeforeEach
  void begin() throws IOException {
    harness = new Harness();
  }

  @AfterEach
  void end() {
    harness.close();
  }

  private long advance(Link link, long pointer, long delta) throws IOException {
    return link.advance(pointer, delta, 0, Long.MAX_VALUE, 300_000_000_000L);
  }

  @Test
  void opensOfOneFileTakePlacesFromOneEnd() throws IOException {
    Harness.Ranks one = harness.ranks(2);
    Harness.Ranks two = harness.ranks(1);
    CoordinatorReply.Opened first = one.open("f", Harness.CREATE);
    CoordinatorReply.Opened second = two.open("f", APPEND);
    CoordinatorReply.Opened other = two.open("g", Harness.CREATE);
    assertThat(second.endPointer()).isEqualTo(first.endPointer());
    assertThat(other.endPointer()).isNotEqualTo(first.endPointer());
    assertThat(advance(one.links.get(1), first.endPointer(), 10)).isZero();
    assertThat(advance(two.links.get(0), second.endPointer(), 5)).isEqualTo(10);
    assertThat(advance(two.links.get(0), second.viewEndPointer(), 5)).isZero(); // its own
    assertThat(first.viewEndPointer()).isZero(); // nobody appends there
  }

  @Test
  void thePointerIsForThoseWhoMayWriteAndEndsWithTheLastOpen() throws IOException {
    Harness.Ranks writer = harness.ranks(1);
    Harness.Ranks reader = harness.ranks(1);
    CoordinatorReply.Opened written = writer.open("f", Harness.CREATE);
    CoordinatorReply.Opened read = reader.open("f", READ);
    long pointer = read.endPointer();
    CoordinatorRequest set = new CoordinatorRequest.PointerSet(pointer, 7);
    assertThat(harness.refused(reader.links.get(0), set)).isEqualTo(ErrorCode.NOT_PERMITTED);
    harness.call(writer.links.get(0), set);
    close(writer, written);
    assertThat(harness.refused(writer.links.get(0), set)).isEqualTo(ErrorCode.NOT_PERMITTED);
    close(reader, read);
    assertThat(harness.refused(writer.links.get(0), set)).isEqualTo(ErrorCode.CLOSED);
  }

  private void close(Harness.Ranks ranks, CoordinatorReply.Opened file) throws IOException {
    var close = ranks.meeting(0, file.open(), 0, "close", 0, new Effect.Close(file.open()));
    harness.call(ranks.links.get(0), close);
  }

  @Test
  void aPointerThatFollowsStandsWhereTheOtherDoes() throws IOException {
    Harness.Ranks ranks = harness.ranks(1);
    CoordinatorReply.Opened file = ranks.open("f", APPEND_NEW);
    Effect take = new Effect.Take(file.endPointer(), false, 100, Long.MAX_VALUE, file.pointer());
    harness.call(ranks.links.get(0), ranks.meeting(0, file.open(), 0, "write", 0, take));
    var at = new CoordinatorRequest.PointerAt(file.pointer());
    long end = 100 + ranks.meeting(0, file.open(), 0, "write", 0, take).value();
    assertThat(((CoordinatorReply.Value) harness.call(ranks.links.get(0), at)).value())
        .isEqualTo(end);
  }

  private static final OpenFlags APPEND_NEW =
      new OpenFlags(true, true, true, false, false, true, false, 0644, 0, 0);
}
