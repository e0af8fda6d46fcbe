package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;

final class LeaseTest {

  private static final long HOUR = 3_600_000_000_000L;

  private final Env env = Env.real();
  private final List<String> given = new ArrayList<>();

  @Test
  void answersWaitUntilItIsConfirmedAndThenGoOutOnceInOrder() {
    Lease lease = new Lease(env);
    lease.whenValid(() -> given.add("first"));
    lease.whenValid(() -> given.add("second"));
    assertThat(given).isEmpty();
    lease.renew(env.nanoTime() + HOUR);
    assertThat(given).containsExactly("first", "second");
    lease.whenValid(() -> given.add("third"));
    assertThat(given).containsExactly("first", "second", "third");
    assertThat(lease.awaitValid()).isTrue();
  }

  @Test
  void aConfirmationThatTookTooLongConfirmsNothing() {
    Lease lease = new Lease(env);
    lease.whenValid(() -> given.add("early"));
    lease.renew(env.nanoTime());
    assertThat(given).isEmpty();
    assertThat(lease.isValid()).isFalse();
  }

  @Test
  void whatWaitsWhenItEndsIsNeverGiven() {
    Lease lease = new Lease(env);
    lease.whenValid(() -> given.add("dropped"));
    lease.end();
    lease.renew(env.nanoTime() + HOUR);
    lease.whenValid(() -> given.add("late"));
    assertThat(given).isEmpty();
    assertThat(lease.isOver()).isTrue();
    lease.onCut();
    assertThat(lease.awaitValid()).as("nobody hears it any more").isFalse();
  }
}
