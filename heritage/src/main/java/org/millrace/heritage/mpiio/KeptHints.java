package org.millrace.heritage.mpiio;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Hints that MPI reserves or ROMIO knows and that change nothing here, or not by themselves: they
 * are checked, and read back as they were set. Immutable.
 *
 * @param values by name
 */
record KeptHints(SortedMap<String, String> values) {

  static final KeptHints NONE = new KeptHints(Collections.emptySortedMap());

  private static final String STYLE = "access_style";
  private static final String STYLES =
      "read_once|write_once|read_mostly|write_mostly|sequential|reverse_sequential|random";
  private static final String TRUTH = "true|false";
  private static final String SWITCH = "enable|disable|automatic";
  private static final String NUMBER = "[0-9]{1,18}";
  private static final String NUMBERS = "[0-9]{1,18}( *, *[0-9]{1,18})*";
  private static final String TEXT = "(?s).*\\S.*";

  /** The names, and what their values look like. */
  private static final Map<String, String> FORMS =
      Map.ofEntries(
          Map.entry(STYLE, "(" + STYLES + ")( *, *(" + STYLES + "))*"),
          Map.entry("collective_buffering", TRUTH),
          Map.entry("cb_block_size", TEXT), // checked where it is used
          Map.entry("chunked", NUMBERS),
          Map.entry("chunked_item", NUMBERS),
          Map.entry("chunked_size", NUMBERS),
          Map.entry("file_perm", "[0-7]{1,4}"),
          Map.entry("io_node_list", TEXT),
          Map.entry("nb_proc", NUMBER),
          Map.entry("num_io_nodes", NUMBER),
          Map.entry("cb_config_list", TEXT),
          Map.entry("romio_no_indep_rw", TRUTH),
          Map.entry("romio_ds_read", "(?i)" + SWITCH),
          Map.entry("romio_ds_write", "(?i)" + SWITCH),
          Map.entry("romio_cb_pfr", SWITCH),
          Map.entry("romio_cb_fr_types", TEXT),
          Map.entry("romio_cb_fr_alignment", NUMBER),
          Map.entry("romio_cb_ds_threshold", NUMBER),
          Map.entry("romio_cb_alltoall", SWITCH),
          Map.entry("romio_min_fdomain_size", NUMBER),
          Map.entry("direct_read", TRUTH),
          Map.entry("direct_write", TRUTH));

  /** These and more; those among {@code info} that are not of this kind are left out. */
  KeptHints with(Map<String, String> info) throws MpiFileException {
    SortedMap<String, String> all = new TreeMap<>(values);
    for (Map.Entry<String, String> one : info.entrySet()) {
      String form = FORMS.get(one.getKey());
      if (form != null) {
        if (!one.getValue().strip().matches(form)) {
          throw new MpiFileException(
              ErrorClass.INFO_VALUE, "hint %s=%s".formatted(one.getKey(), one.getValue()));
        }
        all.put(one.getKey(), one.getValue());
      }
    }
    return new KeptHints(Collections.unmodifiableSortedMap(all));
  }

  /** Those that must be the same on all ranks: all but how each will access the file. */
  SortedMap<String, String> same() {
    SortedMap<String, String> same = new TreeMap<>(values);
    same.remove(STYLE);
    return same;
  }
}
