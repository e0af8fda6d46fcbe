package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.client.Rank;
import org.millrace.heritage.passion.GlobalArrayFile;
import org.millrace.heritage.passion.Passion;
import org.millrace.heritage.passion.Sections;

/**
 * Through {@code passion}: a file is a matrix of seven rows behind the odd bytes, of which each
 * processor has rows p, p+P, ... Stateless.
 */
final class PassionWay implements Way {

  private static final int ROWS = 7;

  @Override
  public String name() {
    return "passion";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    Passion passion = new Passion(rank);
    int odd = content.length % ROWS;
    int columns = content.length / ROWS;
    Shape line = Shape.rowMajor(content.length);
    try (GlobalArrayFile file = passion.createPlain(path, line, ElementType.UINT8)) {
      var mine = rank.number() == 0 ? Sections.of(1, odd, 1) : Sections.nothing(1);
      file.writeSection(mine, Local.of(content, line));
    }
    Shape matrix = Shape.columnMajor(ROWS, columns);
    try (GlobalArrayFile file = passion.openPlain(path, matrix, ElementType.UINT8, odd)) {
      byte[] all = Arrays.copyOfRange(content, odd, content.length);
      Local rows = Local.of(all, matrix);
      boolean some = rank.number() < ROWS;
      file.writeSection(
          some ? rows.startingAt(rank.number(), 0).stepping(rank.size(), 1) : rows,
          1L + rank.number(),
          ROWS,
          rank.size(),
          1,
          columns,
          1);
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    Shape line = Shape.rowMajor(length);
    try (GlobalArrayFile file = new Passion(rank).openPlain(path, line, ElementType.UINT8, 0)) {
      file.readSection(Local.of(content, line), 1, length, 1);
    }
    return content;
  }
}
