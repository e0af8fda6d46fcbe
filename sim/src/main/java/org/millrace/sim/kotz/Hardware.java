package org.millrace.sim.kotz;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.millrace.sim.disk.DiskModel;
import org.millrace.sim.disk.FlatDisk;
import org.millrace.sim.disk.Hp97560;
import org.millrace.sim.disk.SimDisk;
import org.millrace.sim.machine.Speed;
import org.millrace.sim.network.Network;

/**
 * What a machine is made of. Immutable.
 *
 * @param name for people
 * @param speed of each processor
 * @param network makes a network
 * @param disk makes a disk, by chance where its platters are
 * @param placing where the blocks of the file lie on a disk
 * @param atOnce transfers that a node asks of its disk at the same time
 * @param computing what interruptions do to an application
 */
public record Hardware(
    String name,
    Speed speed,
    Supplier<Network> network,
    Function<RandomGenerator, DiskModel> disk,
    SimDisk.Placing placing,
    int atOnce,
    Computing computing) {

  /** Hosts of a local network: processes, nodes, a coordinator, and room. */
  private static final int HOSTS = 36;

  /** Transfers that a solid-state disk is asked for at the same time. */
  private static final int SSD_AT_ONCE = 8;

  /** Table 1's machine. */
  public static final Hardware TABLE_1 =
      of1994("50 MHz, HP 97560, torus 200 MB/s", SimDisk.Placing.CONTIGUOUS);

  /** The same with the blocks of the file anywhere on the disks. */
  public static final Hardware RANDOM_LAYOUT =
      of1994("50 MHz, HP 97560 with blocks at random, torus 200 MB/s", SimDisk.Placing.RANDOM);

  private static Hardware of1994(String name, SimDisk.Placing placing) {
    return new Hardware(
        name,
        Speed.RISC_50,
        Network::torus1994,
        chance -> new Hp97560(chance.nextDouble()),
        placing,
        1,
        Computing.PAPER);
  }

  /** The same with other processors. */
  Hardware withSpeed(Speed other) {
    return new Hardware(name, other, network, disk, placing, atOnce, computing);
  }

  /** The same with other disks. */
  Hardware withDisk(Function<RandomGenerator, DiskModel> other) {
    return new Hardware(name, speed, network, other, placing, atOnce, computing);
  }

  /** Table 1's machine and all others. */
  public static List<Hardware> all() {
    return Stream.concat(Stream.of(TABLE_1, RANDOM_LAYOUT), today().stream()).toList();
  }

  /** What today's parts change, one after the other. */
  public static List<Hardware> today() {
    return List.of(
        new Hardware(
            "50 MHz, SSD, torus 200 MB/s",
            Speed.RISC_50,
            Network::torus1994,
            _ -> FlatDisk.ssd(),
            SimDisk.Placing.CONTIGUOUS,
            SSD_AT_ONCE,
            Computing.PAPER),
        of2023("3 GHz, hard disk, 10 Gb/s", FlatDisk::hardDisk, 1, 10),
        of2023("3 GHz, SSD, 10 Gb/s", FlatDisk::ssd, SSD_AT_ONCE, 10),
        of2023("3 GHz, SSD, 100 Gb/s", FlatDisk::ssd, SSD_AT_ONCE, 100));
  }

  private static Hardware of2023(
      String name, Supplier<DiskModel> disk, int atOnce, double gigabits) {
    return new Hardware(
        name,
        Speed.CORE_3000,
        () -> Network.lan(HOSTS, gigabits),
        _ -> disk.get(),
        SimDisk.Placing.CONTIGUOUS,
        atOnce,
        Computing.TODAY);
  }
}
