package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.crockett.Crockett;
import org.millrace.heritage.crockett.CrockettException;
import org.millrace.heritage.crockett.Form;
import org.millrace.heritage.crockett.Organization;
import org.millrace.heritage.crockett.ParallelFile;

/** Shows {@code crockett}. Stateless. */
final class CrockettProgram implements HeritageProgram {

  private static final String NAME = "crockett.demo";
  private static final int RECORD = 4;
  private static final int PER_BLOCK = 3;
  private static final int RECORDS = 36;

  @Override
  public String name() {
    return "crockett";
  }

  @Override
  public String about() {
    return "records in blocks: sequential, partitioned, interleaved, self-scheduled, direct";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    Crockett crockett = new Crockett(rank);
    Form form = Form.of(RECORD, PER_BLOCK);
    draw(rank, stage, form);
    write(crockett, rank, form);
    try (ParallelFile file = crockett.openGlobal(NAME, OpenOptions.read())) {
      byte[] plain = new byte[RECORD * RECORDS];
      long count = file.read(plain);
      boolean right = count == plain.length;
      for (int i = 0; i < plain.length; i++) {
        right &= plain[i] == i / RECORD;
      }
      stage.check("written interleaved, its global view is the records in their order", right);
    }
    try (ParallelFile file =
        crockett.open(NAME, OpenOptions.read(), form, Organization.PARTITIONED)) {
      byte[] mine = new byte[RECORD * RECORDS];
      long moved = file.read(mine);
      boolean right = true;
      for (int i = 0; i < moved; i++) {
        right &= mine[i] == file.view().offsetOf(i) / RECORD;
      }
      List<Long> all = rank.allGather(moved / RECORD);
      stage.say("Partitioned: records of each process %s.", all);
      stage.check(
          "partitioned: together all records",
          right && all.stream().mapToLong(Long::longValue).sum() == RECORDS);
    }
    try (ParallelFile file =
        crockett.open(NAME, OpenOptions.read(), form, Organization.SELF_SCHEDULED)) {
      long sum = 0;
      byte[] record = new byte[RECORD];
      while (file.read(record) > 0) {
        for (byte one : record) {
          sum += one;
        }
      }
      stage.check(
          "self-scheduled: each record went to one process",
          rank.allReduceLong(sum, Long::sum) == RECORD * RECORDS * (RECORDS - 1) / 2);
    }
    direct(crockett, rank, stage, form);
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(NAME);
    }
  }

  private static void draw(Rank rank, Stage stage, Form form) throws IOException {
    int ranks = rank.size();
    List<View> interleaved = new ArrayList<>();
    List<View> partitioned = new ArrayList<>();
    int share = Math.ceilDiv(RECORDS / PER_BLOCK, ranks) * PER_BLOCK * RECORD;
    for (int r = 0; r < ranks; r++) {
      interleaved.add(Crockett.interleaved(form, r, ranks));
      int start = Math.min(RECORD * RECORDS, r * share);
      int bytes = Math.min(share, RECORD * RECORDS - start);
      partitioned.add(bytes == 0 ? View.EMPTY : new View(start, Pattern.run(bytes), 1L << 40));
    }
    stage.draw("sequential", List.of(View.WHOLE), RECORDS, RECORD, RECORDS);
    stage.draw("partitioned", partitioned, RECORDS, RECORD, RECORDS);
    stage.draw("interleaved and partitioned direct", interleaved, RECORDS, RECORD, RECORDS);
    View[] all = new View[ranks];
    Arrays.fill(all, View.WHOLE);
    stage.draw("self-scheduled and global direct", List.of(all), RECORDS, RECORD, RECORDS);
  }

  private static void write(Crockett crockett, Rank rank, Form form) throws IOException {
    try (ParallelFile file =
        crockett.open(NAME, OpenOptions.create(), form, Organization.INTERLEAVED)) {
      for (int r = 0; r < RECORDS; r++) {
        if (r / PER_BLOCK % rank.size() == rank.number()) {
          byte[] record = new byte[RECORD];
          Arrays.fill(record, (byte) r);
          file.write(record);
        }
      }
    }
    rank.barrier();
  }

  private static void direct(Crockett crockett, Rank rank, Stage stage, Form form)
      throws IOException {
    try (ParallelFile file =
        crockett.open(NAME, OpenOptions.read(), form, Organization.PARTITIONED_DIRECT)) {
      byte[] record = new byte[RECORD];
      int own = rank.number() * PER_BLOCK + 1;
      long moved = file.read(own, record);
      boolean right = true;
      for (int i = 0; i < moved; i++) {
        right &= record[i] == own;
      }
      boolean refused = rank.size() == 1;
      try {
        file.read(own + PER_BLOCK, record);
      } catch (CrockettException e) {
        stage.say("Refused: %s", String.valueOf(e.getMessage()));
        refused = true;
      }
      stage.check("partitioned direct: one's own blocks and no others", refused && right);
    }
  }
}
