package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.protocol.CallFacts;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.Calls;
import org.millrace.protocol.CoordinatorRequest;

/** What ranks tell of their collective calls: what is kept, of how many, and who sees it. */
final class RecentCallsTest {

  private Harness harness;

  @BeforeEach
  void setUp() throws IOException {
    harness = new Harness();
  }

  @AfterEach
  void tearDown() {
    harness.close();
  }

  private long group(Link link, int size) throws IOException {
    long group =
        ((CoordinatorReply.Group) harness.call(link, new CoordinatorRequest.Form(size))).group();
    for (int rank = 0; rank < size; rank++) {
      harness.call(link, new CoordinatorRequest.Join(group, rank));
    }
    return group;
  }

  private static CallFacts call(long number, String file) {
    return new CallFacts(7, number, "writeAtAll", file, "sieved", "lists", 100, 5, 1, 2, 3, false);
  }

  private void tell(Link link, long group, int rank, Map<String, Long> counts, CallFacts... calls)
      throws IOException {
    harness.call(link, new CoordinatorRequest.ReportCalls(group, rank, 10, counts, List.of(calls)));
  }

  private Calls told(Link link) throws IOException {
    return (Calls) harness.call(link, new CoordinatorRequest.AskCalls());
  }

  @Test
  void aCallCountsOnceHoweverManyRanksTellOfIt() throws IOException {
    Link ada = harness.link("ada");
    long group = group(ada, 2);
    tell(ada, group, 1, Map.of("sieved", 3L), call(0, "f"));
    tell(ada, group, 0, Map.of("sieved", 3L), call(0, "f"));
    tell(ada, group, 0, Map.of("sieved", 1L, "atomic", 2L), call(1, "f"));
    Calls told = told(ada);
    assertThat(told.counts()).containsEntry("sieved", 4L).containsEntry("atomic", 2L);
    assertThat(told.counts()).containsEntry("disk-directed", 0L).doesNotContainKey("auto");
    assertThat(told.groups()).hasSize(1);
    assertThat(told.groups().getFirst().count()).isEqualTo(6);
    assertThat(told.groups().getFirst().ranks())
        .extracting(one -> one.calls().size())
        .containsExactly(2, 1);
  }

  @Test
  void onlyTheLastCallsOfTheLastGroupsAreKept() throws IOException {
    Link ada = harness.link("ada");
    List<Long> groups = new ArrayList<>();
    for (int i = 0; i < RecentCalls.MAX_GROUPS + 2; i++) {
      groups.add(group(ada, 1));
      for (int number = 0; number < CallFacts.MAX_CALLS + 3; number++) {
        tell(ada, groups.getLast(), 0, Map.of(), call(number, "f"));
      }
      harness.call(ada, new CoordinatorRequest.Leave(groups.getLast(), 0, ""));
    }
    Calls told = told(ada);
    assertThat(told.groups())
        .extracting(Calls.GroupCalls::group)
        .containsExactlyElementsOf(groups.subList(2, groups.size()).reversed());
    List<CallFacts> calls = told.groups().getFirst().ranks().getFirst().calls();
    assertThat(calls).hasSize(CallFacts.MAX_CALLS);
    assertThat(calls.getLast().number()).isEqualTo(CallFacts.MAX_CALLS + 2);
  }

  @Test
  void othersDoNotSeeTheFiles() throws IOException {
    Link ada = harness.link("ada");
    tell(ada, group(ada, 1), 0, Map.of(), call(0, "secret"));
    assertThat(told(ada).toString()).contains("secret");
    assertThat(told(harness.link("bob")).toString()).contains("sieved").doesNotContain("secret");
  }

  @Test
  void whatIsTooMuchOrUnknownIsRefused() throws IOException {
    Link ada = harness.link("ada");
    long group = group(ada, CallFacts.MAX_RANKS + 1);
    refused(() -> tell(ada, group, CallFacts.MAX_RANKS, Map.of()));
    refused(() -> tell(ada, group, 0, Map.of("magic", 1L)));
    refused(() -> tell(ada, group, 0, Map.of("sieved", -1L)));
    refused(() -> tell(ada, group, 0, Map.of(), call(0, "x".repeat(CallFacts.MAX_CHARS + 1))));
    CallFacts[] many = new CallFacts[CallFacts.MAX_CALLS + 1];
    java.util.Arrays.setAll(many, number -> call(number, "f"));
    refused(() -> tell(ada, group, 0, Map.of(), many));
    refused(() -> tell(harness.link("bob"), group, 0, Map.of()));
    assertThat(told(ada).groups()).isEmpty();
  }

  private interface Act {
    void run() throws IOException;
  }

  private static void refused(Act act) {
    assertThatThrownBy(act::run).isInstanceOf(MillraceException.class);
  }
}
