package org.millrace.heritage.kotz;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/** Files past Kotz's interface, for comparing. Stateless. */
final class Files {

  private Files() {}

  /** All bytes of a file. Synchronizing. */
  static byte[] bytes(Rank rank, String path) throws IOException {
    rank.barrier();
    try (SharedFile file = rank.open(path, OpenOptions.read())) {
      byte[] all = new byte[(int) file.size()];
      file.at(0).read(Memory.of(all));
      rank.barrier();
      return all;
    }
  }

  /** Makes a file of these bytes. Synchronizing. */
  static void store(Rank rank, String path, byte[] bytes) throws IOException {
    try (SharedFile file = rank.open(path, OpenOptions.create().withTruncate().withStripeUnit(7))) {
      if (rank.number() == 0) {
        file.at(0).write(Memory.of(bytes));
      }
    }
    rank.barrier();
  }

  /** Bytes 1, 2, 3, ... */
  static byte[] counting(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i + 1);
    }
    return bytes;
  }

  static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}
