package org.millrace.heritage.picture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;

final class OwnershipTest {

  @Test
  void everyRunOfAStridedViewIsDrawn() {
    List<View> views =
        List.of(new View(0, Pattern.run(4), 12), new View(4, Pattern.run(4), 12), View.EMPTY);
    assertThat(Ownership.of(views, 26, 1).text(13)).isEqualTo("00001111....0\n0001111....00\n");
    assertThat(Ownership.of(views, 6, 4).text(6)).isEqualTo("01.01.\n");
  }

  @Test
  void whatSeveralSeeIsAStar() {
    List<View> views = List.of(View.WHOLE, View.from(6));
    assertThat(Ownership.of(views, 4, 3).text(4)).isEqualTo("00**\n");
  }
}
