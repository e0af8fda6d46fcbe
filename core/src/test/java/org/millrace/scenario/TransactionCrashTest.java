package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.client.Transaction;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;

/**
 * The power fails at every single operation of the disks while a transaction of two files is
 * committed, and what was not forced survives as chance wants it: afterwards all of it is there, or
 * nothing. The same writes without a transaction are torn by some of these failures.
 */
final class TransactionCrashTest {

  private static final Worlds.Build BUILD = new Worlds.Build(2, 1000);
  private static final int LENGTH = 9000;
  private static final String[] PATHS = {"a", "b"};
  private static final byte[] OLD = BadInputs.content(LENGTH, 1);
  private static final byte[] NEW = BadInputs.content(LENGTH, 2);

  /** Writes the new content to both files. */
  private interface Writer {
    void write(Rank rank, List<SharedFile> files) throws IOException;
  }

  private static void inTransaction(Rank rank, List<SharedFile> files) throws IOException {
    try (Transaction transaction = rank.begin()) {
      for (SharedFile file : files) {
        file.at(0).in(transaction).write(Memory.of(Arrays.copyOf(NEW, LENGTH / 2)));
        file.at(LENGTH / 2)
            .in(transaction)
            .write(Memory.of(Arrays.copyOfRange(NEW, LENGTH / 2, LENGTH)));
      }
      transaction.commit();
    }
  }

  private static void withoutTransaction(Rank rank, List<SharedFile> files) throws IOException {
    for (SharedFile file : files) {
      file.at(0).write(Memory.of(NEW));
      file.flush();
    }
  }

  /** What one failure of the power led to. */
  private record Outcome(boolean acknowledged, boolean whole, boolean torn) {}

  /** The disks of a cluster, all behind the same switch. */
  private static final class Machine {
    private final Faults power = Faults.seeded(1);
    private final List<MemoryDisk> disks = new ArrayList<>();

    Machine() {
      for (int i = 0; i <= BUILD.nodes(); i++) {
        disks.add(new MemoryDisk("disk " + i));
      }
    }

    Machine(List<MemoryDisk> disks) {
      this.disks.addAll(disks);
    }

    RunningCluster start() throws IOException {
      List<Disk> faulty = new ArrayList<>();
      disks.forEach(disk -> faulty.add(new FaultyDisk(disk, power)));
      List<Disk> nodes = faulty.subList(1, faulty.size());
      return RunningCluster.over(Env.real(), faulty.getFirst(), nodes, ClusterWorld.options(BUILD));
    }

    Machine crashed(long seed) {
      List<MemoryDisk> left = new ArrayList<>();
      for (int i = 0; i < disks.size(); i++) {
        left.add(disks.get(i).crash(seed + i));
      }
      return new Machine(left);
    }
  }

  private static Outcome failAt(long operation, Writer writer) throws IOException {
    Machine machine = new Machine();
    boolean[] acknowledged = {false};
    try (RunningCluster cluster = machine.start()) {
      cluster.run(
          1,
          rank -> {
            List<SharedFile> files = new ArrayList<>();
            for (String path : PATHS) {
              SharedFile file = rank.open(path, OpenOptions.create());
              file.at(0).write(Memory.of(OLD));
              file.flush();
              files.add(file);
            }
            machine.power.cutPowerAfter(operation);
            writer.write(rank, files);
            acknowledged[0] = true;
            for (SharedFile file : files) {
              file.close();
            }
          });
    } catch (MillraceException e) { // the power is gone
      assertThat(e).hasMessageContaining("power");
    }
    int[] states = look(machine.crashed(operation));
    assertThat(states[0] + states[1] + states[2]).isEqualTo(PATHS.length);
    return new Outcome(
        acknowledged[0],
        states[1] == PATHS.length,
        states[0] < PATHS.length && states[1] < PATHS.length);
  }

  /** How many files are old, new, and neither. */
  private static int[] look(Machine machine) throws IOException {
    int[] states = new int[3];
    try (RunningCluster cluster = machine.start()) {
      cluster.run(
          2,
          rank -> {
            for (String path : PATHS) {
              try (SharedFile file = rank.open(path, OpenOptions.read())) {
                byte[] bytes = new byte[LENGTH + 1];
                long read = file.at(0).read(Memory.of(bytes));
                if (rank.number() == 0) {
                  byte[] content = Arrays.copyOf(bytes, (int) read);
                  states[Arrays.equals(content, OLD) ? 0 : Arrays.equals(content, NEW) ? 1 : 2]++;
                }
              }
            }
            if (rank.number() == 0) {
              assertThat(rank.names().list("")).containsExactly(PATHS);
            }
          });
    }
    return states;
  }

  @Test
  void aTransactionIsThereAsAWholeOrNotAtAll() throws IOException {
    int whole = 0;
    int nothing = 0;
    for (long operation = 0; ; operation++) {
      Outcome outcome = failAt(operation, TransactionCrashTest::inTransaction);
      assertThat(outcome.torn).as("power cut after %s operations", operation).isFalse();
      if (outcome.acknowledged) {
        assertThat(outcome.whole).as("power cut after %s operations", operation).isTrue();
        break;
      }
      whole += outcome.whole ? 1 : 0;
      nothing += outcome.whole ? 0 : 1;
    }
    assertThat(nothing).isPositive();
    assertThat(whole).as("logs that were applied on opening").isPositive();
  }

  @Test
  void withoutATransactionSomeFailureTearsIt() throws IOException {
    int torn = 0;
    for (long operation = 0; ; operation++) {
      Outcome outcome = failAt(operation, TransactionCrashTest::withoutTransaction);
      torn += outcome.torn ? 1 : 0;
      if (outcome.acknowledged) {
        break;
      }
    }
    assertThat(torn).isPositive();
  }
}
