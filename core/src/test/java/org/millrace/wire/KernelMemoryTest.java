package org.millrace.wire;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;

/** Memory of the kernel that has no name in any folder. */
final class KernelMemoryTest {

  private static final int BYTES = 64 << 10;

  private final HostMemory host = KernelMemory.open(Env.real());

  @BeforeEach
  void isThere() {
    assumeTrue(!host.process().isEmpty(), "this system has no memory to share");
  }

  @Test
  void whatIsMappedIsTheSameMemory() throws IOException {
    try (HostMemory.Piece made = host.make(BYTES)) {
      MemorySegment there = host.attach(made.name(), BYTES);
      assertThat(there.byteSize()).isEqualTo(BYTES);
      made.memory().set(JAVA_BYTE, BYTES - 1, (byte) 7);
      assertThat(there.get(JAVA_BYTE, BYTES - 1)).isEqualTo((byte) 7);
      assertThat(there.address()).isNotEqualTo(made.memory().address());
    }
  }

  @Test
  void itIsOfTheKindThatProgramsAllocate() throws IOException {
    try (HostMemory.Piece made = host.make(BYTES)) {
      assertThat(made.memory().isMapped()).as("a loop must meet one kind only").isFalse();
      assertThat(host.attach(made.name(), BYTES).isMapped()).isFalse();
    }
  }

  @Test
  void memoryIsThereUntilItIsGivenBack() throws IOException {
    HostMemory.Piece made = host.make(BYTES);
    String name = made.name();
    assertThat(host.isThere(name)).isTrue();
    made.close();
    assertThat(host.isThere(name)).isFalse();
    try (HostMemory.Piece next = host.make(BYTES)) { // most likely by the same descriptor
      assertThat(host.isThere(next.name())).isTrue();
      assertThat(host.isThere(name)).isFalse();
    }
    assertThat(host.isThere("no name")).isFalse();
  }

  @Test
  void closedMemoryIsNotTouchedAnyMore() throws IOException {
    HostMemory.Piece made = host.make(BYTES);
    MemorySegment memory = made.memory();
    MemorySegment there = host.attach(made.name(), BYTES);
    made.close();
    assertThatThrownBy(() -> memory.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    assertThat(there.get(JAVA_BYTE, 0)).as("others still have it, as zeros").isZero();
    assertThatThrownBy(() -> memory.asSlice(0, BYTES + 1L))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
