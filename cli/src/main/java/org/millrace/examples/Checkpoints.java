package org.millrace.examples;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.CorruptBlockException;

/**
 * Two files that take turns, so that one of them is whole at every moment. A checkpoint is written
 * in this order: field, flush, header, flush. Killed before the second flush is done, the file's
 * header and field do not belong together, which the checksum shows, and the other file counts.
 *
 * <p>All ranks call the same methods in the same order. Belongs to the rank's thread; closing
 * closes both files.
 */
final class Checkpoints implements AutoCloseable {

  static final List<String> NAMES = List.of("heat/checkpoint-0", "heat/checkpoint-1");

  /** Where the field begins: a block of its own, so that writing the header touches no cell. */
  private static final long FIELD_START = 64 << 10;

  /** A checkpoint, read back. */
  record Saved(HeatPlan plan, RowBlock field) {}

  // constant after construction
  private final Rank rank;
  private final List<SharedFile> files = new ArrayList<>();

  private int turn;

  private Checkpoints(Rank rank) {
    this.rank = rank;
  }

  /** Opens both files; those that are not there are made, over {@code nodes} nodes. */
  static Checkpoints open(Rank rank, int nodes) throws IOException {
    Checkpoints checkpoints = new Checkpoints(rank);
    for (String name : NAMES) {
      checkpoints.files.add(rank.open(name, OpenOptions.create().withStrands(nodes)));
    }
    return checkpoints;
  }

  /** The newest checkpoint that is whole. */
  Optional<Saved> newest() throws IOException {
    record Found(int file, CheckpointHeader header) {}
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      int file = i;
      header(files.get(i)).ifPresent(header -> found.add(new Found(file, header)));
    }
    found.sort(Comparator.comparingInt((Found one) -> one.header.plan().step()).reversed());
    for (Found one : found) {
      RowBlock field = new RowBlock(rank, one.header.plan().size());
      if (isWhole(files.get(one.file), one.header, field)) {
        turn = 1 - one.file;
        return Optional.of(new Saved(one.header.plan(), field));
      }
    }
    return Optional.empty();
  }

  /** Rank 0 reads, so that all ranks see the same. */
  private Optional<CheckpointHeader> header(SharedFile file) throws IOException {
    byte[] bytes = new byte[CheckpointHeader.BYTES];
    if (rank.number() == 0) {
      try {
        file.at(0).read(Memory.of(bytes));
      } catch (CorruptBlockException e) {
        bytes = new byte[0]; // torn when the machine lost power; the other file counts
      }
    }
    return CheckpointHeader.decode(rank.broadcast(0, bytes));
  }

  private static boolean isWhole(SharedFile file, CheckpointHeader header, RowBlock field)
      throws IOException {
    file.setView(field.view(FIELD_START));
    try {
      file.at(0).all().read(field.cells());
    } catch (CorruptBlockException e) {
      return false; // thrown on all ranks, as the call is collective
    }
    return field.checksum() == header.checksum();
  }

  /** Saves {@code field}, which {@code plan} describes; it is durable when this returns. */
  void save(HeatPlan plan, RowBlock field) throws IOException {
    SharedFile file = files.get(turn);
    file.setView(field.view(FIELD_START));
    file.at(0).all().write(field.cells());
    int checksum = field.checksum();
    file.setView(View.WHOLE);
    if (rank.number() == 0) {
      file.flush();
      file.at(0).write(Memory.of(new CheckpointHeader(plan, checksum).encode()));
      file.flush();
    }
    rank.barrier();
    turn = 1 - turn;
  }

  @Override
  public void close() throws IOException {
    for (SharedFile file : files) {
      file.close();
    }
  }
}
