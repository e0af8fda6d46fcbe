package org.millrace.heritage.kotz;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.millrace.client.Mode;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;

/**
 * How a file is opened. Immutable: start from {@link #create}, {@link #update()} or {@link #read()}
 * and add. All processes must give the same, but for local mappings and lists of subfiles.
 *
 * @param options what the core is asked for
 * @param type which the file gets, must have or is read as; empty for the one it has
 * @param global whether all processes share one file pointer
 * @param atomic whether each call is all or nothing against every other
 * @param mapping of the file pointer
 * @param transfers how collective calls are carried out
 * @param subfiles of a multifile that are this process's; empty deals them out in turn
 */
public record MultiOpen(
    OpenOptions options,
    Optional<FileType> type,
    boolean global,
    boolean atomic,
    Mapping mapping,
    Transfers transfers,
    Optional<List<Integer>> subfiles) {

  private static MultiOpen of(OpenOptions options, Optional<FileType> type) {
    return new MultiOpen(
        options,
        type,
        false,
        false,
        Mapping.plain(),
        Transfers.TRADITIONAL_CACHING,
        Optional.empty());
  }

  /** Makes a file of the given type; one of this name loses its content. */
  public static MultiOpen create(FileType type) {
    return of(OpenOptions.create().withTruncate(), Optional.of(type));
  }

  /** Opens a file for reading and writing, as what it is. */
  public static MultiOpen update() {
    return of(OpenOptions.readWrite(), Optional.empty());
  }

  /** Opens a file for reading and writing, which must be of the given type. */
  public static MultiOpen update(FileType type) {
    return of(OpenOptions.readWrite(), Optional.of(type));
  }

  /** Opens a file for reading, as what it is. */
  public static MultiOpen read() {
    return of(OpenOptions.read(), Optional.empty());
  }

  /** Opens a file for reading, as a file of any type. */
  public static MultiOpen read(FileType type) {
    return of(OpenOptions.read(), Optional.of(type));
  }

  /** With one file pointer for all processes instead of one for each. */
  public MultiOpen globalPointer() {
    return new MultiOpen(options, type, true, atomic, mapping, transfers, subfiles);
  }

  /** With calls that are all or nothing against every other. */
  public MultiOpen atomicCalls() {
    return new MultiOpen(options, type, global, true, mapping, transfers, subfiles);
  }

  /** With another mapping function. */
  public MultiOpen mapped(Mapping newMapping) {
    return new MultiOpen(options, type, global, atomic, newMapping, transfers, subfiles);
  }

  /** With collective calls carried out in a given way. */
  public MultiOpen by(Transfers newTransfers) {
    return new MultiOpen(options, type, global, atomic, mapping, newTransfers, subfiles);
  }

  /** With these subfiles of a multifile as this process's. */
  public MultiOpen mySubfiles(int... numbers) {
    List<Integer> mine = Arrays.stream(numbers).boxed().toList();
    return new MultiOpen(options, type, global, atomic, mapping, transfers, Optional.of(mine));
  }

  /**
   * What the core is asked for. Of a file that is made, no record lies on two disks: the stripe
   * unit is a number of whole records.
   */
  OpenOptions coreOptions() {
    OpenOptions core =
        options.withHints(transfers.hints()).withMode(global ? Mode.SHARED : Mode.INDEPENDENT);
    if (options.has(OpenFlag.CREATE) && type.isPresent()) {
      core = core.withStripeUnit(stripeUnit(type.get()));
    }
    return core;
  }

  private static long stripeUnit(FileType type) {
    int unit = type.isMultifile() ? type.blockBytes() : type.recordBytes();
    return (long) unit * Math.max(1, (64 << 10) / unit);
  }

  /** What all processes must give alike. */
  String word() {
    return "%s %s %s %s %s"
        .formatted(options, type, global ? "global " + mapping.word() : "local", atomic, transfers);
  }
}
