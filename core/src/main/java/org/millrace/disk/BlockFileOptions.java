package org.millrace.disk;

/**
 * Bounds of a {@link BlockFile} that only tests change.
 *
 * @param intending whether intents are recorded; without them a crash cannot be told from rot
 * @param maxSumsPages pages of sums kept in memory; half of them may be changed
 * @param maxIntentFrames frames of intents after which a flush is due, to keep the file and a
 *     recovery small
 * @param verifying whether what is read is compared with its sums
 */
record BlockFileOptions(
    boolean intending, int maxSumsPages, int maxIntentFrames, boolean verifying) {

  static final BlockFileOptions DEFAULT = new BlockFileOptions(true, 256, 512, true);

  BlockFileOptions(boolean intending, int maxSumsPages, int maxIntentFrames) {
    this(intending, maxSumsPages, maxIntentFrames, true);
  }
}
