package org.millrace.sim.machine;

import java.util.EnumMap;
import java.util.Map;
import org.millrace.env.Work;

/**
 * How long a processor takes for a unit of each kind of work. Immutable.
 *
 * @param picos picoseconds for a unit; kinds that are missing take no time
 */
public record Speed(Map<Work, Long> picos) {

  private static final double PICOS_PER_SECOND = 1e12;

  /**
   * Instructions for a unit of work on a machine with messages in user space and no protection in
   * the way; {@code docs/simulation.md} derives each. Checksums cost nothing here: the machines
   * that are compared with had none, and today's processors have an instruction for them.
   */
  private static final Map<Work, Double> INSTRUCTIONS =
      Map.of(
          Work.MESSAGE, 350.0,
          Work.SWITCH, 150.0,
          Work.CACHE, 150.0,
          Work.PIECE, 20.0,
          Work.COPY, 0.5625,
          Work.TRANSFER, 500.0,
          Work.PLAN, 30.0);

  /** Everything at once. */
  public static final Speed INFINITE = new Speed(new EnumMap<>(Work.class));

  /** The 50 MHz RISC processor of Kotz and Cai's table 1, an instruction in each cycle. */
  public static final Speed RISC_50 = ofInstructions(50e6);

  /**
   * A core of today: 3 GHz and an instruction in each cycle, as code that misses its caches has it;
   * but it copies no faster than memory, at 11 GB/s.
   */
  public static final Speed CORE_3000 = ofInstructions(3e9).with(Work.COPY, 90);

  /** Copies the map. */
  public Speed {
    picos = picos.isEmpty() ? Map.of() : new EnumMap<>(picos);
  }

  /** The instructions of each kind of work, at so many in a second. */
  public static Speed ofInstructions(double perSecond) {
    Map<Work, Long> picos = new EnumMap<>(Work.class);
    INSTRUCTIONS.forEach(
        (work, count) -> picos.put(work, Math.round(count * PICOS_PER_SECOND / perSecond)));
    return new Speed(picos);
  }

  /** The same with another cost of one kind of work. */
  public Speed with(Work work, long picosPerUnit) {
    Map<Work, Long> changed = new EnumMap<>(picos);
    changed.put(work, picosPerUnit);
    return new Speed(changed);
  }

  /** The picoseconds that {@code amount} units take. */
  public long picos(Work work, long amount) {
    return Math.multiplyExact(picos.getOrDefault(work, 0L), amount);
  }
}
