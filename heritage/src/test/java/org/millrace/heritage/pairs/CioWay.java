package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.cio.Cio;
import org.millrace.heritage.cio.CioFile;
import org.millrace.heritage.cio.CioMode;

/** Through {@code cio}: written in turns of a token, read once for all. Stateless. */
final class CioWay implements Way {

  private static final int PIECE = 10_000;

  @Override
  public String name() {
    return "cio";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate();
    try (CioFile file = new Cio(rank).open(path, options, CioMode.MULTI)) {
      for (int at = rank.number() * PIECE; at < content.length; at += rank.size() * PIECE) {
        file.awaitToken();
        file.write(Arrays.copyOfRange(content, at, Math.min(content.length, at + PIECE)));
        file.passToken();
      }
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    try (CioFile file = new Cio(rank).open(path, OpenOptions.read(), CioMode.SINGLE)) {
      file.read(content);
    }
    return content;
  }
}
