package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.Rank;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.pious.Pious;
import org.millrace.heritage.pious.PiousFile;

/**
 * Through {@code pious}: written in transactions through the independent view, read through the
 * segmented one, each segment by all. Stateless.
 */
final class PiousWay implements Way {

  private static final int BLOCK = 3000;

  @Override
  public String name() {
    return "pious";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    Pious pious = new Pious(rank);
    if (rank.number() == 0) {
      unlinkOld(pious, path);
    }
    rank.barrier();
    pious.create(path, 3, BLOCK);
    try (PiousFile file = pious.openIndependent(path, BLOCK)) {
      pious.begin();
      int step = BLOCK * rank.size();
      for (int from = BLOCK * rank.number(); from < content.length; from += step) {
        file.seek(from);
        file.write(Arrays.copyOfRange(content, from, Math.min(from + BLOCK, content.length)));
      }
      pious.commit();
    }
    rank.barrier();
  }

  private static void unlinkOld(Pious pious, String path) throws IOException {
    try {
      pious.unlink(path);
    } catch (NoSuchNameException e) {
      return; // there is none
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    Pious pious = new Pious(rank);
    byte[] content = new byte[length];
    int segments = pious.segments(path);
    for (int segment = 0; segment < segments; segment++) {
      try (PiousFile file = pious.openSegmented(path, segment)) {
        byte[] bytes = new byte[length];
        int read = (int) file.read(bytes);
        for (int i = 0; i < read; i++) {
          content[(int) file.plainOffset(i)] = bytes[i];
        }
      }
    }
    return content;
  }
}
