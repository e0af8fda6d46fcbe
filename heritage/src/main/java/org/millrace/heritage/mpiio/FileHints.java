package org.millrace.heritage.mpiio;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;

/**
 * Hints under the names of MPI and ROMIO. Names that nobody knows are ignored, as MPI has it.
 *
 * <p>Stateless.
 */
final class FileHints {

  private static final String FIRST_NODE = "start_iodevice";
  private static final String PERMISSIONS = "file_perm";

  private FileHints() {}

  /** What an info object says. */
  static SortedMap<String, String> map(@Nullable Info info) throws MpiFileException {
    if (info == null) {
      throw new MpiFileException(ErrorClass.INFO, "there is no info object; Info.NULL is one");
    }
    return info.toMap();
  }

  /** Opens as {@code options} say, with hints; what the cluster sets holds where there are none. */
  static OpenOptions with(OpenOptions options, Map<String, String> info) throws MpiFileException {
    OpenOptions hinted = options;
    if (RomioHints.unknownKeys(info).size() < info.size()) {
      hinted = hinted.withHints(on(Hints.DEFAULT, KeptHints.NONE, info));
    }
    String first = info.get(FIRST_NODE);
    String permissions = info.get(PERMISSIONS);
    try {
      hinted = first == null ? hinted : hinted.withFirstNode(Integer.parseInt(first.strip()));
      return permissions == null
          ? hinted
          : hinted.withPermissions(Integer.parseInt(permissions.strip(), 8));
    } catch (IllegalArgumentException e) {
      throw new MpiFileException(
          ErrorClass.INFO_VALUE,
          "%s=%s, %s=%s".formatted(FIRST_NODE, first, PERMISSIONS, permissions));
    }
  }

  /**
   * These hints with more of them. Whether to sieve counts only where ranks are left to themselves,
   * so what was kept about it counts again when that changes.
   */
  static Hints on(Hints hints, KeptHints kept, Map<String, String> info) throws MpiFileException {
    Map<String, String> named = new TreeMap<>(info);
    for (String way : List.of("read", "write")) {
      String sieving = kept.values().get("romio_ds_" + way);
      if (sieving != null && info.containsKey("romio_cb_" + way)) {
        named.putIfAbsent("romio_ds_" + way, sieving);
      }
    }
    try {
      return RomioHints.parse(hints, named);
    } catch (IllegalArgumentException e) {
      throw new MpiFileException(ErrorClass.INFO_VALUE, String.valueOf(e.getMessage()));
    }
  }

  /** The hints in use, those that were kept, and how the file really is striped. */
  static Info of(SharedFile file, KeptHints kept) {
    SortedMap<String, String> named = RomioHints.toMap(file.hints());
    named.putAll(kept.values());
    named.put("striping_unit", Long.toString(file.layout().stripeUnitBytes()));
    named.put("striping_factor", Integer.toString(file.layout().strands()));
    named.put(FIRST_NODE, Integer.toString(file.layout().node(0)));
    named.put("filename", file.path());
    return Info.of(named);
  }
}
