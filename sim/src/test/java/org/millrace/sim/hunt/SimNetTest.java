package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.wire.Address;
import org.millrace.wire.Listener;
import org.millrace.wire.Security;
import org.millrace.wire.Wire;

/** Bytes that take their time, and connections that end. */
final class SimNetTest {

  private static final Address THERE = new Address.Unix("/there");

  /** A test of two ends of a connection. */
  private interface Body {
    void run(Pair pair) throws IOException;
  }

  /** Two processes and a connection between them. */
  private static final class Pair {
    private final SeededEnv env;
    private final SimNet net;
    private final ProcessEnv left;
    private final ProcessEnv right;
    private final Wire near;
    private final Wire far;

    Pair(SeededEnv env) throws IOException {
      this.env = env;
      net = new SimNet(env, new Tally(), Planted.NOTHING);
      left = new ProcessEnv(env, "left");
      right = new ProcessEnv(env, "right");
      Listener listener = net.of(right).listen(THERE, Security.LOCAL);
      near = net.of(left).connect(left, THERE, Security.LOCAL, Env.NEVER);
      far = listener.accept();
    }

    void say(String text) throws IOException {
      near.write(new ByteBuffer[] {ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))}, 0, 1);
    }

    String hear() throws IOException {
      ByteBuffer into = ByteBuffer.allocate(100);
      int got = far.read(into);
      return got < 0 ? "end" : new String(into.array(), 0, got, StandardCharsets.UTF_8);
    }

    void pass() {
      World.pause(env, 1_000_000_000L);
    }
  }

  private static void withPair(Body body) {
    SeededEnv env = SeededEnv.of(7);
    env.run(
        () -> {
          try {
            body.run(new Pair(env));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Test
  void bytesArriveLaterAndInOrder() {
    withPair(
        pair -> {
          pair.say("mill");
          pair.say("race");
          assertThat(pair.hear()).isEmpty();
          pair.pass();
          assertThat(pair.hear()).isEqualTo("millrace");
        });
  }

  @Test
  void whoClosesLetsWhatWasSaidArrive() {
    withPair(
        pair -> {
          pair.say("last words");
          pair.near.close();
          pair.pass();
          assertThat(pair.hear()).isEqualTo("last words");
          assertThat(pair.hear()).isEqualTo("end");
        });
  }

  @Test
  void aResetLosesWhatIsUnderWay() {
    withPair(
        pair -> {
          pair.say("lost");
          pair.net.resetOne();
          pair.pass();
          assertThatThrownBy(pair::hear).hasMessageContaining("reset");
          assertThatThrownBy(() -> pair.say("more")).hasMessageContaining("reset");
        });
  }

  @Test
  void nobodyAnswersWhereAProcessWasKilled() {
    withPair(
        pair -> {
          pair.net.kill(pair.right);
          assertThatThrownBy(() -> pair.say("hello")).hasMessageContaining("reset");
          assertThatThrownBy(
                  () -> pair.net.of(pair.left).connect(pair.left, THERE, Security.LOCAL, 0))
              .hasMessageContaining("no process answers");
        });
  }
}
