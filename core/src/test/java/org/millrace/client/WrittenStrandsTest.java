package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;

/** Which strands a rank has to make durable when it closes a file. */
final class WrittenStrandsTest {

  private static final Layout LAYOUT = Layout.striped(10, 200);

  private static boolean[] written(WrittenStrands strands) {
    boolean[] written = new boolean[LAYOUT.strands()];
    for (int strand = 0; strand < written.length; strand++) {
      written[strand] = strands.has(strand);
    }
    return written;
  }

  @Test
  void theyAreThoseThatWereAdded() {
    WrittenStrands strands = new WrittenStrands(LAYOUT);
    strands.add(63);
    strands.add(64);
    strands.add(199);
    boolean[] expected = new boolean[200];
    expected[63] = true;
    expected[64] = true;
    expected[199] = true;
    assertThat(written(strands)).isEqualTo(expected);
  }

  @Test
  void anAccessAddsThoseThatItTouches() {
    View view = new View(5, Pattern.loop(3, 100, Pattern.run(10)), 1000);
    WrittenStrands strands = new WrittenStrands(LAYOUT);
    strands.add(new Access(view, 0, 30));
    assertThat(written(strands)).isEqualTo(LAYOUT.touches(view, 0, 30)).contains(true);
    strands.add(Access.NOTHING);
    assertThat(written(strands)).isEqualTo(LAYOUT.touches(view, 0, 30));
  }

  @Test
  void allCanBeAddedAtOnce() {
    WrittenStrands strands = new WrittenStrands(LAYOUT);
    assertThat(written(strands)).containsOnly(false);
    strands.addAll();
    assertThat(written(strands)).containsOnly(true);
  }
}
