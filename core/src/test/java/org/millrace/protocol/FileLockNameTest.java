package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class FileLockNameTest {

  @Test
  void textsAreReadAsTheyAreWritten() {
    for (FileLockName name :
        new FileLockName[] {
          FileLockName.all(17), new FileLockName(3, 48, 16, 8), new FileLockName(0, 48, 40, 16)
        }) {
      assertThat(FileLockName.parse(name.text())).contains(name);
    }
    assertThat(FileLockName.all(17).text()).isEqualTo("file 17");
    assertThat(new FileLockName(17, 48, 16, 8).text()).isEqualTo("file 17 48:16+8");
    assertThat(new FileLockName(17, 48, 16, 8).fileText()).isEqualTo("file 17");
  }

  @Test
  void otherTextsAreNoNamesOfLocksOfFiles() {
    for (String text :
        new String[] {
          "",
          "file",
          "file x",
          "file -1",
          "file 17 ",
          "file 17 48:16",
          "file 17 48:48+1",
          "file 17 48:0+49",
          "file 17 0:0+0",
          "file 17 48:1+0",
          "file 17 9999999999999999999:1+1",
          "file 1234567890123456789",
          "a file 17"
        }) {
      assertThat(FileLockName.parse(text)).as(text).isEmpty();
    }
    assertThatThrownBy(() -> new FileLockName(1, 4, 4, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void bytesOfTwoLocksMeetAsByteByByte() {
    int period = 6;
    for (int a = 0; a < period; a++) {
      for (int b = 0; b < period; b++) {
        for (int m = 1; m <= period; m++) {
          for (int n = 1; n <= period; n++) {
            FileLockName one = new FileLockName(1, period, a, m);
            FileLockName two = new FileLockName(1, period, b, n);
            check(one, two);
          }
        }
      }
    }
  }

  /** Exactly where one is of all bytes, or the range is a whole period; never too few elsewhere. */
  private static void check(FileLockName one, FileLockName two) {
    for (int from = 0; from < 8; from++) {
      for (int to = from + 1; to < 16; to++) {
        boolean meet = false;
        for (int x = from; x < to; x++) {
          meet |= has(one, x) && has(two, x);
        }
        boolean said = one.meets(two, from, to);
        assertThat(said || !meet).as("%s and %s in %d..%d", one, two, from, to).isTrue();
        if (one.length() == 6 || two.length() == 6 || to - from >= 6) {
          assertThat(said).as("%s and %s in %d..%d", one, two, from, to).isEqualTo(meet);
        }
        assertThat(two.meets(one, from, to)).isEqualTo(said);
      }
    }
  }

  private static boolean has(FileLockName name, int x) {
    return Math.floorMod(x - name.from(), name.period()) < name.length();
  }
}
