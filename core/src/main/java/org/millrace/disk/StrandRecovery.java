package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.millrace.error.CorruptBlockException;

/**
 * Recovers a strand when it is opened. Bytes beyond the durable end were never acknowledged and are
 * removed. A block with an intent may have its old bytes, its new bytes, or a mixture by sectors:
 * it is accepted as it is. All other blocks must match their sums, which is checked when they are
 * read.
 *
 * <p>A crash during recovery is like the first one: nothing is dropped before what replaces it is
 * durable. Stateless.
 */
final class StrandRecovery {

  private StrandRecovery() {}

  /** The strand in order. */
  record Result(SumsHeader header, Sums sums, Intents intents, Recovery recovery) {}

  static Result run(StrandFiles files, StrandKey id, BlockFileOptions tuning) throws IOException {
    SumsHeader header = SumsHeader.readFrom(files.sums(), id, files.name() + ": " + id.sumsFile());
    Sums sums = new Sums(files.sums(), id, files.name(), tuning.maxSumsPages());
    Intents intents = new Intents(files.intents(), id, tuning.maxIntentFrames());
    Intents.Found found = intents.read(header.epoch());
    long blocks = header.blocks();
    if (files.sums().size() < Sums.minBytes(blocks)) {
      throw new CorruptBlockException(
          "%s: %s is cut short: %d bytes where the strand's end needs %d"
              .formatted(files.name(), id.sumsFile(), files.sums().size(), Sums.minBytes(blocks)));
    }
    Recovery recovery = new Recovery(0, 0);
    boolean cut = files.sums().size() > SumsHeader.BYTES && sums.cut(blocks);
    if (cut || !found.sums().isEmpty()) {
      recovery = settle(files, header, sums, found.sums());
      files.data().force();
      sums.store(sums.snapshot());
      sums.truncate(blocks);
      files.sums().force();
      header = header.withEpoch(Math.max(header.epoch(), found.lastEpoch()) + 1);
      header.writeTo(files.sums());
      files.sums().force();
    }
    if (files.data().size() > header.end()) {
      cutData(files, header, sums, intents);
    }
    return new Result(header, sums, intents, recovery);
  }

  /**
   * Cuts the data file at the strand's end. The block that the end cuts may be in order with bytes
   * beyond the end, if they were written after the last flush and then stored with it or settled
   * just now: it gets a new sum, and an intent first, as with any other overwriting.
   */
  private static void cutData(StrandFiles files, SumsHeader header, Sums sums, Intents intents)
      throws IOException {
    BlockSum blockSum = new BlockSum(header.id());
    int blockBytes = header.blockBytes();
    long block = header.end() / blockBytes;
    int kept = (int) (header.end() % blockBytes);
    int known = kept == 0 ? BlockSum.NEVER_WRITTEN : sums.get(block, 1)[0];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(blockBytes);
      long got = FullReads.full(files.data(), block * blockBytes, content);
      content.asSlice(got).fill((byte) 0);
      boolean sound = known != BlockSum.NEVER_WRITTEN && blockSum.of(block, content) == known;
      content.asSlice(kept).fill((byte) 0);
      int next = blockSum.of(block, content);
      if (sound && next != known) {
        intents.begin(header.epoch());
        intents.record(new long[] {block}, new int[] {next});
        sums.set(block, new int[] {next});
      }
    }
    files.data().resize(header.end());
    files.data().force();
    sums.store(sums.snapshot());
    files.sums().force();
  }

  private static Recovery settle(
      StrandFiles files, SumsHeader header, Sums sums, Map<Long, Integer> intended)
      throws IOException {
    BlockSum blockSum = new BlockSum(header.id());
    int blockBytes = header.blockBytes();
    long blocks = header.blocks();
    int inDoubt = 0;
    int torn = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(blockBytes);
      for (Map.Entry<Long, Integer> intent : intended.entrySet()) {
        long block = intent.getKey();
        int known = block < blocks ? sums.get(block, 1)[0] : BlockSum.NEVER_WRITTEN;
        if (known == BlockSum.NEVER_WRITTEN) {
          continue; // cut off since
        }
        long got = FullReads.full(files.data(), block * blockBytes, content);
        content.asSlice(got).fill((byte) 0);
        int now = blockSum.of(block, content);
        inDoubt++;
        if (now != known && now != intent.getValue()) {
          torn++;
        }
        sums.set(block, new int[] {now});
      }
    }
    return new Recovery(inDoubt, torn);
  }
}
