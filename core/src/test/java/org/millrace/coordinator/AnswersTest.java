package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.millrace.error.MillraceException;
import org.millrace.protocol.Asking;
import org.millrace.protocol.CoordinatorReply;

/** What the tree of names keeps of answers, and for how long. */
final class AnswersTest {

  private static final long SESSION = 7;
  private static final KeptAnswer DONE = new KeptAnswer.Done();

  private final Names names = new Names("root", 0777);

  private NameChange answered(long request, long heard) throws MillraceException {
    return names.apply(new NameChange.Answered(SESSION, request, heard, DONE));
  }

  private List<Long> kept() {
    List<Long> requests = new ArrayList<>();
    for (long request = 0; request < 10; request++) {
      if (names.answers().find(SESSION, request).isPresent()) {
        requests.add(request);
      }
    }
    return requests;
  }

  @Test
  void anAnswerIsKeptUntilItsAskerSaysThatItWasHeard() throws MillraceException {
    answered(1, 1);
    answered(3, 1);
    assertThat(kept()).containsExactly(1L, 3L);
    answered(4, 3);
    assertThat(kept()).containsExactly(3L, 4L);
    names.apply(new NameChange.Heard(SESSION, 4));
    assertThat(kept()).containsExactly(4L);
    names.apply(NameChange.Heard.all(SESSION));
    assertThat(names.answers().askers()).isEmpty();
  }

  @Test
  void anAnswerIsTakenBackWithItsChange() throws MillraceException {
    answered(1, 1);
    NameChange undo = answered(2, 1);
    names.apply(undo);
    assertThat(kept()).containsExactly(1L);
  }

  @Test
  void aTreeThatIsWrittenAnewHasTheSameAnswers() throws MillraceException {
    answered(1, 1);
    answered(2, 1);
    names.apply(new NameChange.Answered(Answers.ofGroup(SESSION), 6, 0, new KeptAnswer.Value(44)));
    Names copy = new Names("root", 0777);
    for (NameChange change : names.asChanges()) {
      copy.apply(NameCodec.decode(NameCodec.encode(change)));
    }
    assertThat(copy.asChanges()).isEqualTo(names.asChanges());
    assertThat(copy.answers().makersOf(44)).containsExactly(Map.entry(SESSION, 6L));
  }

  @Test
  void whatIsKeptIsTheReply() {
    var value = new CoordinatorReply.Value(5);
    assertThat(KeptAnswer.of(value).reply(_ -> Asking.NONE)).isEqualTo(Optional.of(value));
    assertThat(new KeptAnswer.None().reply(_ -> Asking.NONE)).isEmpty();
  }
}
