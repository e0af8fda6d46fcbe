package org.millrace.disk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.zip.CRC32C;

/**
 * A page of a sums file in memory: the sums of {@link #ENTRIES} neighbouring blocks, in sectors
 * that each carry a CRC32C over (file id, strand, number of the sector) and their entries; that of
 * a sector without any sum, too, so that none is ever all zeros, and one that is was lost. Sectors,
 * not pages, carry it because a sector is what a disk writes whole.
 *
 * <pre>
 *   sector   0      4      8            508     512
 *            +------+------+-- ... -----+-------+
 *            | sum  | sum  |  ...       | CRC   |   little-endian
 *            +------+------+-- ... -----+-------+
 *   page     8 sectors
 * </pre>
 *
 * <p>Guarded by the lock of {@link Sums}.
 */
final class SumsPage {

  static final int SECTOR_BYTES = 512;
  static final int BYTES = 4096;
  static final int SECTORS = BYTES / SECTOR_BYTES;
  static final int PER_SECTOR = SECTOR_BYTES / Integer.BYTES - 1;
  static final int ENTRIES = SECTORS * PER_SECTOR;

  final long number;
  final int[] entries = new int[ENTRIES];

  /** Sectors that are destroyed on the disk: their sums are not known, and cannot be changed. */
  final BitSet bad = new BitSet(SECTORS);

  /** Sectors that differ from the disk. */
  final BitSet dirty = new BitSet(SECTORS);

  /** Entries whose blocks may be overwritten without an intent, as of {@link #freeSince}. */
  final BitSet free = new BitSet();

  /** The value of {@link Sums}'s count of snapshots for which {@link #free} holds. */
  long freeSince = -1;

  /**
   * Snapshots that hold this page and are not on disk yet: it must not be read again from there.
   */
  int pins;

  SumsPage(long number) {
    this.number = number;
  }

  void set(int entry, int sum) {
    if (entries[entry] != sum) {
      entries[entry] = sum;
      dirty.set(entry / PER_SECTOR);
    }
  }

  /** The bytes of one sector. */
  byte[] sector(StrandKey id, int sector) {
    ByteBuffer b = ByteBuffer.allocate(SECTOR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < PER_SECTOR; i++) {
      b.putInt(entries[sector * PER_SECTOR + i]);
    }
    return b.putInt(crc(id, sector, b)).array();
  }

  /** The bytes of all of it. */
  byte[] bytes(StrandKey id) {
    ByteBuffer b = ByteBuffer.allocate(BYTES);
    for (int sector = 0; sector < SECTORS; sector++) {
      b.put(sector(id, sector));
    }
    return b.array();
  }

  /** Takes over the page's bytes from disk, and notes which sectors of it are bad. */
  void load(StrandKey id, MemorySegment page) {
    byte[] bytes = page.toArray(ValueLayout.JAVA_BYTE);
    for (int sector = 0; sector < SECTORS; sector++) {
      ByteBuffer b =
          ByteBuffer.wrap(bytes, sector * SECTOR_BYTES, SECTOR_BYTES)
              .slice()
              .order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < PER_SECTOR; i++) {
        entries[sector * PER_SECTOR + i] = b.getInt(i * Integer.BYTES);
      }
      bad.set(sector, b.getInt(PER_SECTOR * Integer.BYTES) != crc(id, sector, b));
    }
  }

  /** Marks sectors to be written again that should be on the disk and are not; says how many. */
  int differing(StrandKey id, MemorySegment page) {
    byte[] found = page.toArray(ValueLayout.JAVA_BYTE);
    int count = 0;
    for (int sector = 0; sector < SECTORS; sector++) {
      int from = sector * SECTOR_BYTES;
      if (!dirty.get(sector)
          && !bad.get(sector)
          && !Arrays.equals(
              sector(id, sector), 0, SECTOR_BYTES, found, from, from + SECTOR_BYTES)) {
        dirty.set(sector);
        count++;
      }
    }
    return count;
  }

  private int crc(StrandKey id, int sector, ByteBuffer entriesFirst) {
    ByteBuffer prefix = ByteBuffer.allocate(20);
    prefix.putLong(id.fileId()).putInt(id.strand()).putLong(number * SECTORS + sector);
    CRC32C crc = new CRC32C();
    crc.update(prefix.array());
    crc.update(entriesFirst.slice(0, PER_SECTOR * Integer.BYTES));
    return BlockSum.stored((int) crc.getValue());
  }
}
