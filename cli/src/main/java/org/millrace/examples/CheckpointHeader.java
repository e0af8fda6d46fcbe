package org.millrace.examples;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The begin of a checkpoint's file: what the field behind it is. Written after the field is
 * durable, so that a header and a field that belong together are a checkpoint, whatever was killed
 * when. Immutable.
 *
 * <pre>
 *    0  8  magic and version, "MRHEAT01"
 *    8  4  size: rows and columns
 *   12  4  step: how many are done
 *   16  4  steps: how many shall be done
 *   20  4  every: steps from one snapshot to the next
 *   24  4  CRC32C of the field
 *   28  4  CRC32C of the 28 bytes before
 * </pre>
 *
 * All little-endian.
 *
 * @param plan what was done and what was asked
 * @param checksum of the field
 */
record CheckpointHeader(HeatPlan plan, int checksum) {

  static final int BYTES = 32;

  private static final long MAGIC = 0x3130_5441_4548_524DL;
  private static final int CHECKED = 28;

  byte[] encode() {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putLong(MAGIC);
    buffer.putInt(plan.size()).putInt(plan.step()).putInt(plan.steps()).putInt(plan.every());
    buffer.putInt(checksum);
    return buffer.putInt(crc(buffer.array())).array();
  }

  /** The header in these bytes, if they hold one. */
  static Optional<CheckpointHeader> decode(byte[] bytes) {
    if (bytes.length != BYTES) {
      return Optional.empty();
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (buffer.getLong() != MAGIC || buffer.getInt(CHECKED) != crc(bytes)) {
      return Optional.empty();
    }
    HeatPlan plan =
        new HeatPlan(buffer.getInt(), buffer.getInt(), buffer.getInt(), buffer.getInt());
    return Optional.of(new CheckpointHeader(plan, buffer.getInt()));
  }

  private static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, CHECKED);
    return (int) crc.getValue();
  }
}
