package org.millrace.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the C program prints. */
class PeerLineTest {

  @Test
  void eachKindOfLineIsRead() {
    assertThat(PeerLine.parse("mpiio library MPICH Version:\t4.0.2"))
        .contains(new PeerLine.Library("MPICH Version: 4.0.2"));
    assertThat(PeerLine.parse("mpiio begin 3 read collective"))
        .contains(new PeerLine.Begin("3 read collective"));
    assertThat(PeerLine.parse("mpiio sample 3 read collective 123456789012\r"))
        .contains(new PeerLine.Sample("3 read collective", 123456789012L));
    assertThat(PeerLine.parse("mpiio cut 14 write independent 2000000000"))
        .contains(new PeerLine.Cut("14 write independent", 2_000_000_000L));
    assertThat(PeerLine.parse("mpiio wrong 0 read independent 262160 18446744073709551615 32770"))
        .contains(
            new PeerLine.Wrong("0 read independent", 262160, "18446744073709551615", "32770"));
    assertThat(PeerLine.parse("mpiio failed rank 3: no memory"))
        .contains(new PeerLine.Failed("rank 3: no memory"));
    assertThat(PeerLine.parse("mpiio done")).contains(new PeerLine.Done());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
        "mpiio",
        "mpiio sample 3 read collective",
        "mpiio sample 3 read collective 1 2",
        "mpiio cut 3 read sideways 5",
        "mpiio begin 3 read collective 5 6",
        "mpiio wrong 3 read collective 5",
        "the mpiio done"
      })
  void whatOthersPrintIsNone(String line) {
    assertThat(PeerLine.parse(line)).isEmpty();
  }

  @Test
  void keyOfACaseIsWhatTheProgramPrints() {
    PeerCase one = new PeerCase(14, true, false, 1, 1, 1);
    assertThat(PeerLine.parse("mpiio begin " + one.key()))
        .contains(new PeerLine.Begin("14 write independent"));
  }
}
