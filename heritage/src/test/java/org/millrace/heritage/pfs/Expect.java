package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.millrace.client.Rank;

/** How calls of PFSLib are expected to fail, in both forms. Stateless. */
final class Expect {

  /** For reading and writing, made or cut. */
  static final int NEW = Pfs.O_RDWR | Pfs.O_CREAT | Pfs.O_TRUNC;

  private static final int LATE_CALLS = 300;

  private Expect() {}

  /** A call that was made in its underscore form, with what it returned. */
  static void failed(Pfs pfs, long returned, Epfsl code) {
    assertThat(returned).isEqualTo(-1);
    assertThat(pfs.errno()).as(() -> pfs.pfslib_strerror("the call")).isEqualTo(code);
  }

  /** A call in its plain form. */
  static void fails(Epfsl code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PfsException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Lets one rank come later than the others, by work that goes through Millrace. */
  static void late(Rank rank, int who) throws IOException {
    for (int i = 0; rank.number() == who && i < LATE_CALLS; i++) {
      rank.names().list("");
    }
  }
}
