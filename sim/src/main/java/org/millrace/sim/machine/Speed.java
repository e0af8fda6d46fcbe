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

  /** Copies the map. */
  public Speed {
    picos = new EnumMap<>(picos);
  }

  /** Everything at once. */
  public static final Speed INFINITE = new Speed(new EnumMap<>(Work.class));

  /** The picoseconds that {@code amount} units take. */
  public long picos(Work work, long amount) {
    return Math.multiplyExact(picos.getOrDefault(work, 0L), amount);
  }
}
