package org.millrace.heritage.mpiio;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * Hints under names: ROMIO's where it has the same ones. Holds no state.
 *
 * <p>Sizes are bytes, with K, M or G behind them 2^10, 2^20 or 2^30 times as many.
 *
 * <p>ROMIO knows two switches where Millrace knows strategies. {@code romio_cb_read} says whether
 * ranks work together: {@code enable} is the extended two-phase method, {@code disable} leaves each
 * rank to itself, sieved, {@code automatic} chooses. {@code romio_ds_read} says whether a rank that
 * is left to itself sieves: {@code disable} makes sieved direct, {@code enable} makes direct
 * sieved; for other strategies it says nothing. The strategies that ROMIO does not know go by their
 * own words, under its name or, for both directions, under {@code millrace_strategy}, which wins.
 *
 * <p>MPI's own {@code collective_buffering} is both {@code romio_cb_...} switches at once, which
 * win, and {@code cb_block_size} is {@code millrace_domain_block}.
 */
public final class RomioHints {

  private static final String CB_READ = "romio_cb_read";
  private static final String CB_WRITE = "romio_cb_write";
  private static final String DS_READ = "romio_ds_read";
  private static final String DS_WRITE = "romio_ds_write";
  private static final String BLOCK_SIZE = "millrace_block_size";
  private static final String DURABLE = "millrace_durable";
  private static final String SWITCH = "enable, disable or automatic";

  /** In the order in which they count: what a later one says is about what earlier ones said. */
  private static final Map<String, BiFunction<Hints, String, Hints>> NAMES = names();

  private RomioHints() {}

  private static Map<String, BiFunction<Hints, String, Hints>> names() {
    Map<String, BiFunction<Hints, String, Hints>> names = new LinkedHashMap<>();
    names.put("cb_nodes", (h, v) -> h.withAggregators((int) number("cb_nodes", v, 0)));
    names.put("cb_buffer_size", (h, v) -> h.withBufferBytes(size("cb_buffer_size", v, 1)));
    names.put(
        "ind_rd_buffer_size", (h, v) -> h.withSieveReadBytes(size("ind_rd_buffer_size", v, 1)));
    names.put(
        "ind_wr_buffer_size", (h, v) -> h.withSieveWriteBytes(size("ind_wr_buffer_size", v, 1)));
    names.put(
        "striping_unit",
        (h, v) -> h.withStriping(h.striping().withUnitBytes(size("striping_unit", v, 0))));
    names.put(
        "striping_factor",
        (h, v) -> h.withStriping(h.striping().withStrands((int) number("striping_factor", v, 0))));
    names.put(BLOCK_SIZE, (h, v) -> h.withStriping(h.striping().withBlockBytes(blockSize(v))));
    names.put(
        "millrace_domain_block",
        (h, v) -> h.withDomainBlockBytes(size("millrace_domain_block", v, 0)));
    names.put(
        "millrace_pipeline_depth",
        (h, v) -> h.withDepth((int) number("millrace_pipeline_depth", v, 1)));
    names.put(DURABLE, (h, v) -> h.withDurable(isEnabled(DURABLE, v)));
    names.put("cb_block_size", (h, v) -> h.withDomainBlockBytes(size("cb_block_size", v, 0)));
    names.put(
        "collective_buffering",
        (h, v) ->
            h.withStrategy(
                isTrue("collective_buffering", v) ? Strategy.EXTENDED_TWO_PHASE : Strategy.SIEVED));
    names.put(CB_READ, (h, v) -> h.withRead(together(CB_READ, v)));
    names.put(CB_WRITE, (h, v) -> h.withWrite(together(CB_WRITE, v)));
    names.put(DS_READ, (h, v) -> h.withRead(sieving(DS_READ, v, h.read())));
    names.put(DS_WRITE, (h, v) -> h.withWrite(sieving(DS_WRITE, v, h.write())));
    names.put("millrace_strategy", (h, v) -> h.withStrategy(strategy("millrace_strategy", v)));
    return names;
  }

  /**
   * The hints of these names and values, on top of {@link Hints#DEFAULT}. The order in the map is
   * of no importance. Unknown names are ignored, as MPI has it; {@link #unknownKeys} lists them.
   *
   * @throws IllegalArgumentException if a value is not what its name allows
   */
  public static Hints parse(Map<String, String> named) {
    return parse(Hints.DEFAULT, named);
  }

  /**
   * As {@link #parse(Map)} on top of other hints. {@code romio_ds_read} and {@code romio_ds_write}
   * are about the strategy set so far.
   */
  static Hints parse(Hints start, Map<String, String> named) {
    Hints hints = start;
    for (Map.Entry<String, BiFunction<Hints, String, Hints>> name : NAMES.entrySet()) {
      String value = named.get(name.getKey());
      if (value != null) {
        hints = name.getValue().apply(hints, value.strip());
      }
    }
    return hints;
  }

  /** The names among these that mean nothing here. */
  public static SortedSet<String> unknownKeys(Map<String, String> named) {
    SortedSet<String> unknown = new TreeSet<>(named.keySet());
    unknown.removeAll(NAMES.keySet());
    return unknown;
  }

  /** All hints under their names; {@link #parse(Map)} makes equal hints of them. */
  public static SortedMap<String, String> toMap(Hints hints) {
    SortedMap<String, String> named = new TreeMap<>();
    named.put("cb_nodes", Integer.toString(hints.aggregators()));
    named.put("cb_buffer_size", Long.toString(hints.bufferBytes()));
    named.put("ind_rd_buffer_size", Long.toString(hints.sieveReadBytes()));
    named.put("ind_wr_buffer_size", Long.toString(hints.sieveWriteBytes()));
    named.put("striping_unit", Long.toString(hints.striping().unitBytes()));
    named.put("striping_factor", Integer.toString(hints.striping().strands()));
    named.put(BLOCK_SIZE, Integer.toString(hints.striping().blockBytes()));
    named.put("millrace_domain_block", Long.toString(hints.domainBlockBytes()));
    named.put("millrace_pipeline_depth", Integer.toString(hints.depth()));
    named.put(DURABLE, hints.durable() ? "enable" : "disable");
    named.put(CB_READ, word(hints.read()));
    named.put(CB_WRITE, word(hints.write()));
    named.put(DS_READ, hints.read() == Strategy.DIRECT ? "disable" : "automatic");
    named.put(DS_WRITE, hints.write() == Strategy.DIRECT ? "disable" : "automatic");
    return named;
  }

  private static boolean isEnabled(String key, String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "enable" -> true;
      case "disable" -> false;
      default -> throw bad(key, value, "enable or disable", null);
    };
  }

  private static boolean isTrue(String key, String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw bad(key, value, "true or false", null);
    };
  }

  private static String word(Strategy strategy) {
    return switch (strategy) {
      case DIRECT, SIEVED -> "disable";
      case EXTENDED_TWO_PHASE -> "enable";
      case AUTO -> "automatic";
      case TWO_PHASE, DISK_DIRECTED -> strategy.word();
    };
  }

  private static Strategy together(String key, String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "enable" -> Strategy.EXTENDED_TWO_PHASE;
      case "disable" -> Strategy.SIEVED;
      case "automatic" -> Strategy.AUTO;
      default -> strategy(key, value);
    };
  }

  private static Strategy sieving(String key, String value, Strategy now) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "enable" -> now == Strategy.DIRECT ? Strategy.SIEVED : now;
      case "disable" -> now == Strategy.SIEVED ? Strategy.DIRECT : now;
      case "automatic" -> now;
      default -> throw bad(key, value, SWITCH, null);
    };
  }

  private static Strategy strategy(String key, String value) {
    try {
      return Strategy.parse(value);
    } catch (IllegalArgumentException e) {
      String words = "direct, sieved, two-phase, extended-two-phase, disk-directed or auto";
      throw bad(key, value, key.startsWith("romio") ? SWITCH + ", or " + words : words, e);
    }
  }

  private static long number(String key, String value, long min) {
    try {
      long number = Long.parseLong(value);
      if (number >= min && number <= Integer.MAX_VALUE) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw bad(key, value, "a whole number from " + min + " on", e);
    }
    throw bad(key, value, "a whole number from " + min + " to " + Integer.MAX_VALUE, null);
  }

  private static long size(String key, String value, long min) {
    String allowed = "a number of bytes from " + min + " on, as 65536, 64K, 4M or 1G";
    int shift = value.isEmpty() ? 0 : shift(value.charAt(value.length() - 1));
    String digits = shift == 0 ? value : value.substring(0, value.length() - 1);
    try {
      long number = Long.parseLong(digits);
      if (number >= min && number <= Long.MAX_VALUE >> shift) {
        return number << shift;
      }
    } catch (NumberFormatException e) {
      throw bad(key, value, allowed, e);
    }
    throw bad(key, value, allowed, null);
  }

  private static int blockSize(String value) {
    long bytes = size(BLOCK_SIZE, value, 0);
    try {
      return bytes == 0 ? 0 : Layout.requireBlockBytes(bytes);
    } catch (IllegalArgumentException e) {
      throw bad(BLOCK_SIZE, value, "0 or a power of two from 4K to 4M", e);
    }
  }

  private static int shift(char unit) {
    return switch (unit) {
      case 'k', 'K' -> 10;
      case 'm', 'M' -> 20;
      case 'g', 'G' -> 30;
      default -> 0;
    };
  }

  private static IllegalArgumentException bad(
      String key, String value, String allowed, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "hint " + key + "=" + value + ": must be " + allowed, cause);
  }
}
