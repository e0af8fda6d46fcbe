package org.millrace.heritage.mpiio;

import java.util.Map;
import java.util.SortedMap;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;

/**
 * Hints under the names of MPI and ROMIO. Names that mean nothing here are ignored, as MPI has it.
 *
 * <p>Stateless.
 */
final class FileHints {

  private static final String FIRST_NODE = "start_iodevice";

  private FileHints() {}

  /** Opens as {@code options} say, with hints; what the cluster sets holds where there are none. */
  static OpenOptions with(OpenOptions options, Map<String, String> info) throws MpiFileException {
    if (info.isEmpty()) {
      return options;
    }
    OpenOptions hinted = options.withHints(on(Hints.DEFAULT, info));
    String first = info.get(FIRST_NODE);
    try {
      return first == null ? hinted : hinted.withFirstNode(Integer.parseInt(first.strip()));
    } catch (IllegalArgumentException e) {
      throw new MpiFileException(ErrorClass.INFO_VALUE, FIRST_NODE + "=" + first);
    }
  }

  /** These hints with more of them. */
  static Hints on(Hints hints, Map<String, String> info) throws MpiFileException {
    try {
      SortedMap<String, String> named = RomioHints.toMap(hints);
      named.putAll(info);
      return RomioHints.parse(named);
    } catch (IllegalArgumentException e) {
      throw new MpiFileException(ErrorClass.INFO_VALUE, String.valueOf(e.getMessage()));
    }
  }

  /** The hints in use, and how the file really is striped. */
  static SortedMap<String, String> of(SharedFile file) {
    SortedMap<String, String> named = RomioHints.toMap(file.hints());
    named.put("striping_unit", Long.toString(file.layout().stripeUnitBytes()));
    named.put("striping_factor", Integer.toString(file.layout().strands()));
    named.put(FIRST_NODE, Integer.toString(file.layout().node(0)));
    return named;
  }
}
