package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.ncube.BitPermutation;
import org.millrace.heritage.ncube.Mapping;
import org.millrace.heritage.ncube.Ncube;
import org.millrace.heritage.ncube.NcubeFile;

/** Shows {@code ncube}. Stateless. */
final class NcubeProgram implements HeritageProgram {

  private static final String NAME = "ncube.demo";
  private static final int BYTES_EACH = 48;

  @Override
  public String name() {
    return "ncube";
  }

  @Override
  public String about() {
    return "matrices by rows, columns, blocks and scattered blocks, and the bit permutation";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    int p = rank.size();
    int tw = Math.min(2, p); // with 3 or 5 elements the numbering goes on in the next row
    Map<String, Mapping> mappings = new LinkedHashMap<>();
    mappings.put("ROW, DX 12, DY 2", Mapping.row(12, 2, p));
    mappings.put("COLUMN, DX 3", Mapping.column(3, p));
    mappings.put("BLOCK, DX 6, DY 2, TW " + tw, Mapping.block(6, 2, tw, p));
    mappings.put("SCATTER, DX 2, DY 1, TW " + tw + ", W 3", Mapping.scatter(2, 1, tw, 3, p));
    mappings.put(
        "SCATTER of a matrix 11 wide, which nCUBE could not do",
        Mapping.scatter(2, 1, tw, 3, p).width(11));
    for (Map.Entry<String, Mapping> one : mappings.entrySet()) {
      draw(stage, one.getKey(), one.getValue());
    }
    Ncube ncube = new Ncube(rank);
    List<Mapping> all = List.copyOf(mappings.values());
    for (int i = 0; i < all.size(); i++) {
      written(rank, stage, ncube, all.get(i), all.get((i + 1) % all.size()));
    }
    permute(rank, stage);
    common(rank, stage, ncube);
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(NAME);
    }
  }

  /** Byte i of the matrix is i, whichever mapping wrote it and whichever reads it. */
  private static void written(Rank rank, Stage stage, Ncube ncube, Mapping by, Mapping readBy)
      throws IOException {
    int bytes = BYTES_EACH * rank.size();
    OpenOptions anew = OpenOptions.create().withTruncate();
    try (NcubeFile file = ncube.open(NAME, anew, by)) {
      for (int at = 0; file.view().offsetOf(at) < bytes; at++) {
        file.write(new byte[] {(byte) file.view().offsetOf(at)}); // its own pointer goes on
      }
    }
    rank.barrier();
    try (NcubeFile file = ncube.open(NAME, OpenOptions.read(), readBy)) {
      byte[] mine = new byte[bytes];
      long count = file.read(mine);
      boolean right = rank.allReduceLong(count, Long::sum) == bytes;
      for (int i = 0; i < count; i++) {
        right &= mine[i] == (byte) file.view().offsetOf(i);
      }
      stage.check(
          "written as %s, read as %s: each byte where it belongs"
              .formatted(by.kind(), readBy.kind()),
          right);
    }
  }

  private static void draw(Stage stage, String title, Mapping mapping) throws IOException {
    List<View> views = new ArrayList<>();
    for (int p = 0; p < mapping.processors(); p++) {
      views.add(mapping.view(p));
    }
    int columns = (int) mapping.dimX();
    long blockRows = Math.ceilDiv(mapping.processors(), mapping.tw());
    int rows = (int) Math.max(4, mapping.dy() * blockRows);
    stage.draw(title, views, rows * columns, 1, columns);
  }

  private static void permute(Rank rank, Stage stage) throws IOException {
    BitPermutation bits = new BitPermutation(1, 1, 1, 1, 2);
    stage.say(
        "Bits of DX 2, DY 2, TW 2, W 2, P 4: byte 13 of the stream is byte %s of element %s.",
        bits.buffer(13), bits.processor(13));
    Mapping mapping = Mapping.scatter(2, 2, 2, 2, 4);
    boolean agree = true;
    for (int i = rank.number(); i < 4096; i += rank.size()) {
      agree &= mapping.view(bits.processor(i)).offsetOf(bits.buffer(i)) == i;
    }
    stage.check("the bit permutation and the view agree on 4096 bytes", agree);
  }

  private static void common(Rank rank, Stage stage, Ncube ncube) throws IOException {
    try (NcubeFile file = ncube.openCommon(NAME, OpenOptions.read())) {
      byte[] one = {-1};
      file.read(one);
      long different = rank.allGather(one[0]).stream().distinct().count();
      stage.check(
          "a common pointer gives each another byte", different == Math.min(rank.size(), 256));
    }
  }
}
