package org.millrace.heritage.crockett;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.View;
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

  private final Rank rank;

  /** For the processes of a group. */
  public Crockett(Rank rank) {
    this.rank = rank;
  }

  /**
   * The internal view of a standard file. Synchronizing.
   *
   * @throws CrockettException on all processes, if forms or organizations differ
   */
  public ParallelFile open(String name, OpenOptions options, Form form, Organization organization)
      throws IOException {
    List<String> said =
        rank.allGather((form + " " + organization).getBytes(StandardCharsets.UTF_8)).stream()
            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
            .distinct()
            .toList();
    if (said.size() > 1) {
      throw new CrockettException(name + " is opened in different ways: " + said);
    }
    boolean self = organization == Organization.SELF_SCHEDULED;
    SharedFile file = rank.open(name, options.withMode(self ? Mode.SHARED : Mode.INDEPENDENT));
    long part = Long.MAX_VALUE;
    if (organization == Organization.PARTITIONED) {
      long bytes = form.records() * form.recordBytes();
      if (bytes == 0) {
        bytes = rank.allGather(file.size()).getFirst(); // one answer for all
      }
      long blocks = Math.ceilDiv(bytes, form.blockBytes());
      long share = Math.ceilDiv(blocks, rank.size()) * form.blockBytes();
      long start = Math.min(bytes, share * rank.number());
      part = Math.min(bytes - start, share);
      file.setView(View.from(start));
    } else if (organization == Organization.INTERLEAVED) {
      file.setView(interleaved(form, rank.number(), rank.size()));
    }
    return new ParallelFile(rank, file, form, organization, part, false);
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
      SharedFile file = lone.open(name, options.withMode(Mode.INDEPENDENT));
      return new ParallelFile(
          lone, file, Form.of(1, 1), Organization.SEQUENTIAL, Long.MAX_VALUE, true);
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
