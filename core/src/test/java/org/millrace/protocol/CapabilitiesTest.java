package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.wire.Secret;

final class CapabilitiesTest {

  private static final Secret SECRET = new Secret(new byte[Secret.BYTES]);

  @Test
  void everyFieldIsUnderTheSeal() {
    Capability good = Capabilities.seal(SECRET, 7, 3, true, false, "ada", 1000);
    assertThat(Capabilities.isSealed(SECRET, good)).isTrue();
    for (Capability forged :
        List.of(
            new Capability(8, 3, true, false, "ada", 1000, good.seal()),
            new Capability(7, 4, true, false, "ada", 1000, good.seal()),
            new Capability(7, 3, false, false, "ada", 1000, good.seal()),
            new Capability(7, 3, true, true, "ada", 1000, good.seal()),
            new Capability(7, 3, true, false, "adb", 1000, good.seal()),
            new Capability(7, 3, true, false, "ada", 1001, good.seal()),
            new Capability(7, 3, true, false, "ada", 1000, ""),
            new Capability(7, 3, true, false, "ada", 1000, good.seal().substring(2)),
            new Capability(7, 3, true, false, "ada", 1000, good.seal() + "00"),
            Capability.NONE)) {
      assertThat(Capabilities.isSealed(SECRET, forged)).as("%s", forged).isFalse();
    }
  }

  @Test
  void anotherSecretSealsOtherwise() {
    byte[] other = new byte[Secret.BYTES];
    other[Secret.BYTES - 1] = 1;
    Capability good = Capabilities.seal(SECRET, 7, 3, true, false, "ada", 1000);
    assertThat(Capabilities.isSealed(new Secret(other), good)).isFalse();
  }

  @Test
  void noTwoCapabilitiesHaveTheSameSeal() {
    List<String> seals = new ArrayList<>();
    for (String user : List.of("", "a", "ab", "\0", "a\0")) {
      for (long file = 0; file < 3; file++) {
        for (int rights = 0; rights < 4; rights++) {
          for (long expires : new long[] {0, 1, 256, 0x61}) {
            seals.add(
                Capabilities.seal(SECRET, file, 3, rights > 1, rights % 2 == 1, user, expires)
                    .seal());
          }
        }
      }
    }
    assertThat(new HashSet<>(seals)).hasSameSizeAs(seals);
  }
}
