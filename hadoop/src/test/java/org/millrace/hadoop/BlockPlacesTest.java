package org.millrace.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.files.Striping;

/** Which hosts Hadoop is told of. */
final class BlockPlacesTest {

  private static final Striping STRIPING =
      new Striping(10, List.of("tcp:a:1", "tls:b:1", "unix:/c"));

  @Test
  void eachBlockHasTheHostsOfItsStrandsThoseWithMostBytesFirst() throws IOException {
    var blocks = new BlockPlaces(STRIPING, 15, "me").of(40, 0, 40);
    assertThat(blocks).hasSize(3);
    assertThat(blocks[0].getHosts()).containsExactly("a", "b"); // 10 and 5
    assertThat(blocks[1].getHosts()).containsExactly("me", "b"); // 10 and 5
    assertThat(blocks[2].getHosts()).containsExactly("a");
    assertThat(blocks[2].getLength()).isEqualTo(10);
  }

  @Test
  void rangesThatHaveNoEndEndWithTheFile() {
    assertThat(new BlockPlaces(STRIPING, 10, "me").of(40, 25, Long.MAX_VALUE)).hasSize(2);
    assertThat(new BlockPlaces(STRIPING, 10, "me").of(0, 0, Long.MAX_VALUE)).isEmpty();
  }
}
