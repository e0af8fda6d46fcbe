package org.millrace.heritage.crockett;

import java.io.IOException;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Agreement;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Parallel files for one process. A standard file outlives its program and has a global view, the
 * plain file; a specialized one is its program's alone. Both have an internal view, by one of the
 * {@linkplain Organization organizations}. All organizations lay records out in their order, so
 * that any program may use another one.
 *
 * <p>Belongs to the rank's thread. Needs no closing; its files do.
 */
public final class Crockett {

  private static final long NO_END = Long.MAX_VALUE;

  private final Rank rank;

  /** For the processes of a group. */
  public Crockett(Rank rank) {
    this.rank = rank;
  }

  /**
   * The internal view of a standard file. Synchronizing.
   *
   * @throws CrockettException on all processes, if forms or organizations differ, or reach beyond
   *     all positions of a file; then no file was made, and none is open
   */
  public ParallelFile open(String name, OpenOptions options, Form form, Organization organization)
      throws IOException {
    rank.agree(
            Agreement.on("open", form, organization)
                .giving("name", name)
                .giving("options", options)
                .giving("form", form)
                .giving("organization", organization)
                .checking(() -> check(form, organization)))
        .orElseThrow(CrockettException::new);
    boolean self = organization == Organization.SELF_SCHEDULED;
    SharedFile file = rank.open(name, options, self ? Mode.SHARED : Mode.INDEPENDENT);
    try {
      long end = NO_END;
      if (organization == Organization.INTERLEAVED) {
        file.setView(interleaved(form, rank.number(), rank.size()));
      } else if (organization == Organization.PARTITIONED) {
        long bytes = form.records() > 0 ? form.bytes() : rank.allGather(file.size()).getFirst();
        long share = share(form, bytes, rank.size());
        long start = rank.number() > bytes / Math.max(1, share) ? bytes : share * rank.number();
        file.setView(View.from(start));
        end = Math.min(bytes - start, share);
      }
      return new ParallelFile(rank, file, form, organization, end, false);
    } catch (IOException | RuntimeException e) {
      try (file) {
        throw e;
      }
    }
  }

  /** Throws if a process's blocks lie beyond all positions. */
  private void check(Form form, Organization organization) {
    if (organization == Organization.INTERLEAVED) {
      interleaved(form, rank.number(), rank.size());
    }
  }

  /** Bytes of each partition but the last ones: whole blocks, or all there is. */
  private static long share(Form form, long bytes, int processes) {
    long blocks = Math.ceilDiv(Math.ceilDiv(bytes, form.blockBytes()), processes);
    return blocks > bytes / form.blockBytes() ? bytes : blocks * form.blockBytes();
  }

  /** The blocks of a process that come round. */
  public static View interleaved(Form form, int process, int processes) {
    return new View(
        Math.multiplyExact(form.blockBytes(), (long) process),
        Pattern.run(form.blockBytes()),
        Math.multiplyExact(form.blockBytes(), (long) processes));
  }

  /**
   * A specialized file: made here, gone when the group has closed it. Synchronizing. Its bytes lie
   * as those of any other, so nothing keeps others from a global view while it lives.
   *
   * @throws org.millrace.error.NameExistsException if there is a file of this name
   */
  public ParallelFile openSpecialized(String name, Form form, Organization organization)
      throws IOException {
    return open(name, OpenOptions.create().withExclusive().withDeleteOnClose(), form, organization);
  }

  /**
   * The global view: the plain file, for this process alone, in bytes. Not synchronizing; any
   * number of processes may have one.
   */
  public ParallelFile openGlobal(String name, OpenOptions options) throws IOException {
    Rank lone = rank.alone();
    try {
      SharedFile file = lone.open(name, options, Mode.INDEPENDENT);
      return new ParallelFile(lone, file, Form.of(1, 1), Organization.SEQUENTIAL, NO_END, true);
    } catch (IOException | RuntimeException e) {
      try {
        lone.leave("");
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }
}
