package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.SortedMap;
import org.millrace.error.CorruptBlockException;

/**
 * Recovers a strand when it is opened. Bytes beyond the durable end were never acknowledged and are
 * removed. A block with an intent may have its old bytes, its new bytes, or a mixture by sectors:
 * it is accepted as it is, if what no write has changed is right in it. All other blocks must match
 * their sums, which is checked when they are read.
 *
 * <p>A crash during recovery is like the first one: nothing is dropped before what replaces it is
 * durable. Stateless.
 */
final class StrandRecovery {

  private StrandRecovery() {}

  /** The strand in order. */
  record Result(SumsHeader header, Sums sums, Intents intents, Recovery recovery) {}

  static Result run(StrandFiles files, StrandKey id, BlockFileOptions tuning, StrandMemory memory)
      throws IOException {
    SumsHeader header = SumsHeader.readFrom(files.sums(), id, files.name() + ": " + id.sumsFile());
    checkLast(files, header, memory);
    Sums sums = new Sums(files.sums(), header, files.name(), tuning.maxSumsPages());
    Intents intents = new Intents(files.intents(), id, tuning.maxIntentFrames());
    Intents.Found found = intents.read();
    boolean settled = isSettled(header, sums, found);
    Map<Long, Intents.Intent> inDoubt = found.since(header.epoch() + (settled ? 1 : 0));
    long nextEpoch = Math.max(header.epoch(), found.lastEpoch()) + 1;
    Recovery recovery = new Recovery(0, 0, 0);
    boolean cut = sums.cut(header.blocks());
    if (cut || !inDoubt.isEmpty()) {
      recovery = settle(files, header, sums, inDoubt);
      files.data().force();
      sums.store(sums.snapshot());
      files.sums().force();
      header = header.next(header.end(), sums.present()).withEpoch(nextEpoch);
      header =
          inDoubt.isEmpty() ? header : header.modifiedAt(BlockStore.laterThan(header.modified()));
      header.writeTo(files.sums());
      sums.truncate();
      files.sums().force();
    } else if (settled) { // the flush may have been killed before it did the same
      files.sums().force();
      header = header.withEpoch(nextEpoch);
      header.writeTo(files.sums());
    }
    if (files.data().size() > header.end() && cutData(files, header, sums, intents)) {
      header = header.withEpoch(header.epoch() + 1);
      header.writeTo(files.sums());
    }
    return new Result(header, sums, intents, recovery);
  }

  /**
   * Whether the flush that ends the header's epoch has stored all sums of the blocks that its
   * intents name. Where a block has an intent of the next epoch, too, the disk may have the sum of
   * that already, and the intent knows the one before.
   */
  private static boolean isSettled(SumsHeader header, Sums sums, Intents.Found found)
      throws IOException {
    long epoch = header.epoch();
    if (header.settled().epoch() != epoch) {
      return false;
    }
    SortedMap<Long, Integer> stored = sums.of(found.of(epoch).keySet());
    found
        .of(epoch + 1)
        .forEach((block, intent) -> stored.computeIfPresent(block, (_, _) -> intent.old()));
    return header.settled().equals(Settled.of(epoch, stored));
  }

  private static void checkLast(StrandFiles files, SumsHeader header, StrandMemory memory)
      throws CorruptBlockException {
    long known = memory.generation(header.id());
    if (header.generation() < known) {
      throw new CorruptBlockException(
          "%s is an older copy: it was made durable %s times, and its node knows of %s"
              .formatted(files.name(), header.generation(), known));
    }
  }

  /**
   * Cuts the data file at the strand's end. The block that the end cuts may be in order with bytes
   * beyond the end, if they were written after the last flush and then stored with it or settled
   * just now: it gets a new sum, and an intent first, as with any other overwriting. Returns
   * whether there was one, which is done with.
   */
  private static boolean cutData(StrandFiles files, SumsHeader header, Sums sums, Intents intents)
      throws IOException {
    BlockSum blockSum = new BlockSum(header.id());
    int blockBytes = header.blockBytes();
    long block = header.end() / blockBytes;
    int kept = (int) (header.end() % blockBytes);
    int known = kept == 0 ? BlockSum.NEVER_WRITTEN : sums.known(block);
    boolean intended = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(blockBytes);
      long got = FullReads.full(files.data(), block * blockBytes, content);
      content.asSlice(got).fill((byte) 0);
      boolean sound = known != BlockSum.NEVER_WRITTEN && blockSum.of(block, content) == known;
      content.asSlice(kept).fill((byte) 0);
      int next = blockSum.of(block, content);
      if (sound && next != known) {
        intended = true;
        intents.begin(header.epoch());
        intents.record(
            Map.of(block, new BlockChanges(kept)), _ -> new Intents.Content(content, next, known));
        sums.set(block, new int[] {next});
      }
    }
    files.data().resize(header.end());
    files.data().force();
    sums.store(sums.snapshot());
    files.sums().force();
    return intended;
  }

  /**
   * Gives blocks that were being overwritten the sums of what they hold now, if what no write
   * touched is right in them. Else they keep their sums, which do not match: they are corrupt.
   */
  private static Recovery settle(
      StrandFiles files, SumsHeader header, Sums sums, Map<Long, Intents.Intent> intended)
      throws IOException {
    BlockSum blockSum = new BlockSum(header.id());
    int blockBytes = header.blockBytes();
    long blocks = header.blocks();
    int inDoubt = 0;
    int torn = 0;
    int corrupt = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(blockBytes);
      for (Intents.Intent intent : intended.values()) {
        long block = intent.block();
        int known = block < blocks ? sums.known(block) : BlockSum.NEVER_WRITTEN;
        if (known == BlockSum.NEVER_WRITTEN) {
          continue; // cut off since, or lost
        }
        long got = FullReads.full(files.data(), block * blockBytes, content);
        content.asSlice(got).fill((byte) 0);
        int now = blockSum.of(block, content);
        inDoubt++;
        if (now == known || now == intent.sum()) {
          sums.set(block, new int[] {now});
        } else if (intent.isRestRight(content)) {
          torn++;
          sums.set(block, new int[] {now});
        } else {
          corrupt++;
        }
      }
    }
    return new Recovery(inDoubt, torn, corrupt);
  }
}
