package org.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JvmCheckTest {

  private static Runtime.Version version(String text) {
    return Runtime.Version.parse(text);
  }

  @Test
  void thisJvmIsGoodEnough() {
    assertThatCode(JvmCheck::check).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"25.0.3", "25.0.3+9-LTS", "25.0.4", "26", "26-ea+12"})
  void newEnoughVersionsPass(String text) {
    assertThatCode(() -> JvmCheck.check(version(text), false)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"17.0.15", "25", "25.0.2+10"})
  void olderVersionsAreRefusedByName(String text) {
    assertThatThrownBy(() -> JvmCheck.check(version(text), false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("25.0.3")
        .hasMessageContaining(text);
  }

  @Test
  void compactObjectHeadersAreRefused() {
    assertThatThrownBy(() -> JvmCheck.check(version("25.0.3"), true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("UseCompactObjectHeaders");
  }
}
