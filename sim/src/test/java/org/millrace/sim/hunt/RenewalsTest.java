package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.daemon.ContextServer;
import org.millrace.daemon.ProcessContext;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Secret;

/** Capabilities are renewed in time. Time is virtual, so a slow machine is never late. */
final class RenewalsTest {

  private static final long LIFETIME_MILLIS = 60_000;
  private static final long SECOND = 1_000_000_000L;

  private final SeededEnv env = SeededEnv.of(7);
  private final SimNet net = new SimNet(env, new Tally(), Planted.NOTHING);
  private final Secret secret = new Secret(new byte[Secret.BYTES]);
  private final ServerOptions options =
      ServerOptions.of(ClusterOptions.DEFAULT, TransportOptions.DEFAULT.withSharedMemory(false))
          .withCapabilityMillis(LIFETIME_MILLIS);

  private ProcessContext context(String name) {
    ProcessEnv process = new ProcessEnv(env, name);
    return new ProcessContext(
        process,
        net.of(process),
        new Address.Unix("/" + name),
        new Address.Unix("/coordinator"),
        secret,
        options);
  }

  @Test
  void aFileThatStaysOpenStaysUsable() {
    env.run(
        () -> {
          try (ContextServer _ =
                  ContextServer.coordinator(
                      context("coordinator"), new MemoryDisk("c"), 1, endpoint -> endpoint);
              ContextServer _ =
                  ContextServer.node(
                      context("node"), 0, new MemoryDisk("n"), endpoint -> endpoint, _ -> {});
              ProcessRank launched =
                  ProcessRank.join(
                      new Launch("test", "job", 0, 1),
                      context("rank"),
                      ProcessRankOptions.DEFAULT.withServer(options))) {
            writeForLong(launched);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private void writeForLong(ProcessRank launched) throws IOException {
    long end = env.nanoTime() + 10 * LIFETIME_MILLIS * 1_000_000;
    launched.run(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            while (env.nanoTime() < end) {
              assertThat(file.at(0).write(Memory.of(new byte[] {1, 2, 3}))).isEqualTo(3);
              env.sleep(SECOND);
            }
          }
        });
  }
}
