package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
  private static final int UNITS = 96;

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
    int tw = p % 2 == 0 ? 2 : 1;
    draw(stage, "ROW, DX 12, DY 2", Mapping.row(12, 2, p));
    draw(stage, "COLUMN, DX 3", Mapping.column(3, p));
    draw(stage, "BLOCK, DX 6, DY 2, TW " + tw, Mapping.block(6, 2, tw, p));
    draw(stage, "SCATTER, DX 2, DY 1, TW " + tw + ", W 3", Mapping.scatter(2, 1, tw, 3, p));
    draw(
        stage,
        "SCATTER of a matrix 11 wide, which nCUBE could not do",
        Mapping.scatter(2, 1, tw, 3, p).width(11));

    Ncube ncube = new Ncube(rank);
    Mapping scatter = Mapping.scatter(2, 1, tw, 3, p);
    try (NcubeFile file = ncube.open(NAME, OpenOptions.create(), scatter)) {
      for (int at = 0; file.view().offsetOf(at) < UNITS; at++) {
        file.write(new byte[] {(byte) file.view().offsetOf(at)}); // its own pointer goes on
      }
    }
    rank.barrier();
    try (NcubeFile file = ncube.open(NAME, OpenOptions.read(), Mapping.column(3, p))) {
      byte[] mine = new byte[UNITS];
      long count = file.read(mine);
      boolean right = count > 0 || 3 * rank.number() >= UNITS;
      for (int i = 0; i < count; i++) {
        right &= mine[i] == file.view().offsetOf(i);
      }
      stage.check("written as SCATTER, read as COLUMN: each byte where it belongs", right);
    }
    permute(rank, stage);
    common(rank, stage, ncube);
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(NAME);
    }
  }

  private static void draw(Stage stage, String title, Mapping mapping) throws IOException {
    List<View> views = new ArrayList<>();
    for (int p = 0; p < mapping.processors(); p++) {
      views.add(mapping.view(p));
    }
    int columns = (int) mapping.dimX();
    stage.draw(title, views, Math.max(1, 48 / columns) * columns, 1, columns);
  }

  private static void permute(Rank rank, Stage stage) throws IOException {
    BitPermutation bits = new BitPermutation(1, 1, 1, 1, 2);
    stage.say(
        "Bits of DX 2, DY 2, TW 2, W 2, P 4: byte 13 of the stream is byte %d of element %d.",
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
          "a common pointer gives each another byte",
          different == Math.min(rank.size(), UNITS + 1));
    }
  }
}
