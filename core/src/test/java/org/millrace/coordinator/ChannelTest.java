package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.message.Peer;
import org.millrace.protocol.CallNumbers;

final class ChannelTest {

  private final Group group = new Group(1, 1, new Peer(1, "u"), 1);
  private final MeetingChannel channel = group.channel;

  private void meet(long sequence) {
    Meeting meeting = new Meeting(group, channel, sequence);
    channel.add(meeting);
    channel.end(meeting);
  }

  @Test
  void whatIsRememberedDoesNotGrowWithTheNumberOfCalls() {
    for (long call = 0; call < 1000; call++) {
      meet(2 * call);
      if (call % 3 == 0) {
        meet(2 * call + 1); // only some calls have an end
      }
    }
    assertThat(channel.remembered()).isLessThan(10);
    assertThat(channel.isOver(0)).isTrue();
    assertThat(channel.isOver(1998)).isTrue();
    assertThat(channel.isOver(2000)).isFalse();
  }

  @Test
  void callsThatAreOverOutOfOrderAreRememberedUntilTheOthersAre() {
    meet(4);
    meet(2);
    assertThat(channel.isOver(0)).isFalse();
    assertThat(channel.isOver(2) && channel.isOver(4)).isTrue();
    meet(0);
    assertThat(channel.remembered()).isZero();
    assertThat(channel.isOver(4)).isTrue();
    assertThat(channel.isOver(6)).isFalse();
  }

  /** The mark of a middle makes a number large, but its call no newer. */
  @Test
  void answersOfTheLastCallsAreRememberedWithThoseOfTheirMiddlesAndEnds() {
    for (long call = 0; call < 100; call++) {
      for (long number : new long[] {2 * call, CallNumbers.middle(2 * call), 2 * call + 1}) {
        channel.remember(number, new MeetingOutcome(List.of()));
        assertThat(channel.outcome(number)).isPresent();
      }
    }
    assertThat(channel.outcome(140)).isPresent();
    assertThat(channel.outcome(CallNumbers.middle(140))).isPresent();
    assertThat(channel.outcome(100)).isEmpty();
    assertThat(channel.outcome(CallNumbers.middle(100))).isEmpty();
  }
}
