package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.Edonio;
import org.millrace.heritage.edonio.Fcntl;

/** Through {@code edonio}. Stateless. */
final class EdonioWay implements Way {

  private static final int PIECE = 1000;

  @Override
  public String name() {
    return "edonio";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    try (Edonio io = new Edonio(rank)) {
      io.do_nio(rank.number(), rank.size());
      int fd = io.do_open(path, Fcntl.O_WRONLY, 0666); // cuts what is there
      io.do_lsize(fd, content.length);
      for (int at = rank.number() * PIECE; at < content.length; at += rank.size() * PIECE) {
        int end = Math.min(content.length, at + PIECE);
        io.do_lseek(fd, at, Fcntl.SEEK_SET);
        io.do_write(fd, Arrays.copyOfRange(content, at, end));
      }
      io.do_close(fd);
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    try (Edonio io = new Edonio(rank)) {
      io.do_nio(rank.number(), rank.size());
      int fd = io.do_open(path, Fcntl.O_RDONLY, 0);
      io.do_preload(fd);
      byte[] content = new byte[length];
      io.do_read(fd, content);
      io.do_close(fd);
      return content;
    }
  }
}
