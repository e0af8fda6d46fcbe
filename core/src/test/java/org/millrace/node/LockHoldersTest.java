package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.protocol.Fence;
import org.millrace.protocol.Holder;

/** Whose writes a node lets in, and when it says that a fence is carried out. */
final class LockHoldersTest {

  private static final Optional<List<Long>> NOBODY = Optional.of(List.of());
  private static final Peer PEER = new Peer(1, "ada");

  private boolean settled = true;
  private final LockHolders holders = new LockHolders(Env.real(), "node 0", () -> settled);

  private WriteGate join(long epoch, long session) throws MillraceException {
    return Objects.requireNonNull(holders.join(PEER, new Holder(epoch, session)));
  }

  @Test
  void aFenceIsCarriedOutWhenWhatWasLetInHasEnded() throws MillraceException {
    assertThat(holders.adopt(7, List.of(), NOBODY).fresh()).isTrue();
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(7, 0));
    WriteGate dead = join(7, 4);
    WriteGate alive = join(7, 5);
    assertThat(dead.enter()).isTrue();
    List<Fence> fences = List.of(new Fence(3, 4, Long.MAX_VALUE));
    LockHolders.Adopted adopted = holders.adopt(7, fences, NOBODY);
    assertThat(adopted.fresh()).isTrue();
    assertThat(adopted.shut()).containsExactly(PEER);
    assertThat(dead.enter()).isFalse();
    assertThat(alive.enter()).isTrue();
    assertThat(holders.progress())
        .as("a write is under way")
        .isEqualTo(new LockHolders.Progress(7, 0));
    assertThat(holders.adopt(7, fences, NOBODY).fresh()).as("told again").isFalse();
    dead.leave();
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(7, 3));
    assertThatThrownBy(() -> holders.join(PEER, new Holder(7, 4)))
        .hasMessageContaining("it has ended at the coordinator");
  }

  @Test
  void aFenceIsNotCarriedOutWhileALostSessionHoldsBlocksToWrite() throws MillraceException {
    holders.adopt(7, List.of(), NOBODY);
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(7, 0));
    join(7, 4);
    settled = false;
    holders.adopt(7, List.of(new Fence(3, 4, Long.MAX_VALUE)), NOBODY);
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(7, 0));
    settled = true;
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(7, 3));
  }

  @Test
  void writesOfASessionThatIsGoneStillCount() throws MillraceException {
    holders.adopt(7, List.of(), NOBODY);
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(7, 0));
    WriteGate gate = join(7, 4);
    assertThat(gate.enter()).isTrue();
    holders.leave(PEER, gate);
    holders.adopt(7, List.of(new Fence(1, 4, Long.MAX_VALUE)), NOBODY);
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(7, 0));
    gate.leave();
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(7, 1));
  }

  @Test
  void anotherLifeOfTheCoordinatorShutsAllGates() throws MillraceException {
    holders.adopt(7, List.of(), NOBODY);
    WriteGate gate = join(7, 4);
    assertThat(holders.adopt(9, List.of(), NOBODY).shut()).containsExactly(PEER);
    assertThat(gate.enter()).isFalse();
    assertThat(holders.progress()).isEqualTo(new LockHolders.Progress(9, 0));
    assertThat(holders.join(PEER, new Holder(7, 4))).as("of the former life").isNull();
    assertThat(join(9, 4).enter()).isTrue();
  }
}
