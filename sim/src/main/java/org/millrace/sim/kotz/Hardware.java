package org.millrace.sim.kotz;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.millrace.sim.disk.DiskModel;
import org.millrace.sim.disk.FlatDisk;
import org.millrace.sim.disk.Hp97560;
import org.millrace.sim.machine.Speed;
import org.millrace.sim.network.Network;

/**
 * What a machine is made of. Immutable.
 *
 * @param name for people
 * @param speed of each processor
 * @param network makes a network
 * @param disk makes a disk, by chance where its platters are
 * @param atOnce transfers that a node asks of its disk at the same time
 * @param computing what interruptions do to an application
 */
public record Hardware(
    String name,
    Speed speed,
    Supplier<Network> network,
    Function<RandomGenerator, DiskModel> disk,
    int atOnce,
    Computing computing) {

  /** Hosts of a local network: processes, nodes, a coordinator, and room. */
  private static final int HOSTS = 36;

  /** Transfers that a solid-state disk is asked for at the same time. */
  private static final int SSD_AT_ONCE = 8;

  /** Table 1's machine. */
  public static final Hardware TABLE_1 =
      new Hardware(
          "50 MHz, HP 97560, torus 200 MB/s",
          Speed.RISC_50,
          Network::torus1994,
          chance -> new Hp97560(chance.nextDouble()),
          1,
          Computing.PAPER);

  /** What today's parts change, one after the other. */
  public static List<Hardware> today() {
    return List.of(
        new Hardware(
            "50 MHz, SSD, torus 200 MB/s",
            Speed.RISC_50,
            Network::torus1994,
            _ -> FlatDisk.ssd(),
            SSD_AT_ONCE,
            Computing.PAPER),
        new Hardware(
            "3 GHz, hard disk, 10 Gb/s",
            Speed.CORE_3000,
            () -> Network.lan(HOSTS, 10),
            _ -> FlatDisk.hardDisk(),
            1,
            Computing.TODAY),
        withSsd("3 GHz, SSD, 10 Gb/s", 10),
        withSsd("3 GHz, SSD, 100 Gb/s", 100));
  }

  private static Hardware withSsd(String name, double gigabits) {
    return new Hardware(
        name,
        Speed.CORE_3000,
        () -> Network.lan(HOSTS, gigabits),
        _ -> FlatDisk.ssd(),
        SSD_AT_ONCE,
        Computing.TODAY);
  }
}
