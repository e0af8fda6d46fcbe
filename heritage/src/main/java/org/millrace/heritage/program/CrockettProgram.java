package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.crockett.Crockett;
import org.millrace.heritage.crockett.CrockettException;
import org.millrace.heritage.crockett.Form;
import org.millrace.heritage.crockett.Organization;
import org.millrace.heritage.crockett.ParallelFile;

/** Shows {@code crockett}: each organization written, seen globally, and read. Stateless. */
final class CrockettProgram implements HeritageProgram {

  private static final String NAME = "crockett.demo";
  private static final String SPECIAL = "crockett.special";
  private static final int RECORD = 4;
  private static final int PER_BLOCK = 3;

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
    int records = 3 * PER_BLOCK * rank.size(); // three blocks for each
    Form form = Form.of(RECORD, PER_BLOCK);
    draw(rank, stage, form, records);
    for (Organization organization : Organization.values()) {
      OpenOptions anew = OpenOptions.create().withTruncate();
      try (ParallelFile file = crockett.open(NAME, anew, form.records(records), organization)) {
        write(rank, file, organization, records);
      }
      global(rank, stage, crockett, organization, records);
      try (ParallelFile file = crockett.open(NAME, OpenOptions.read(), form, organization)) {
        read(rank, stage, file, organization, records);
      }
    }
    refused(rank, stage, crockett, form);
    specialized(rank, stage, crockett, form);
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(NAME);
    }
  }

  private static void draw(Rank rank, Stage stage, Form form, int records) throws IOException {
    int ranks = rank.size();
    List<View> interleaved = new ArrayList<>();
    List<View> partitioned = new ArrayList<>();
    long share = (long) records / ranks * RECORD;
    for (int r = 0; r < ranks; r++) {
      interleaved.add(Crockett.interleaved(form, r, ranks));
      partitioned.add(new View(r * share, Pattern.run(share), 1L << 40));
    }
    stage.draw("sequential", List.of(View.WHOLE), records, RECORD, records);
    stage.draw("partitioned", partitioned, records, RECORD, records);
    stage.draw("interleaved and partitioned direct", interleaved, records, RECORD, records);
    View[] all = new View[ranks];
    Arrays.fill(all, View.WHOLE);
    stage.draw("self-scheduled and global direct", List.of(all), records, RECORD, records);
  }

  /** A record is its number; where processes take what comes next, the number of the process. */
  private static byte[] record(int value) {
    byte[] record = new byte[RECORD];
    Arrays.fill(record, (byte) value);
    return record;
  }

  /** Whether a record is for a process to write or read. */
  private static boolean isMine(Rank rank, Organization organization, int record, int records) {
    return rank.number()
        == switch (organization) {
          case SEQUENTIAL -> 0;
          case PARTITIONED -> record / (records / rank.size());
          case INTERLEAVED, PARTITIONED_DIRECT -> record / PER_BLOCK % rank.size();
          case SELF_SCHEDULED, GLOBAL_DIRECT -> record % rank.size(); // any; somebody must
        };
  }

  private static void write(Rank rank, ParallelFile file, Organization organization, int records)
      throws IOException {
    for (int r = 0; r < records; r++) {
      if (!isMine(rank, organization, r, records)) {
        continue;
      }
      switch (organization) {
        case GLOBAL_DIRECT, PARTITIONED_DIRECT -> file.write(r, record(r));
        case SELF_SCHEDULED -> file.write(record(rank.number()));
        case SEQUENTIAL, PARTITIONED, INTERLEAVED -> file.write(record(r));
      }
    }
  }

  private static void global(
      Rank rank, Stage stage, Crockett crockett, Organization organization, int records)
      throws IOException {
    rank.barrier();
    int[] counts = new int[rank.size()];
    boolean right = true;
    try (ParallelFile file = crockett.openGlobal(NAME, OpenOptions.read())) {
      byte[] plain = new byte[RECORD * records + 1];
      right &= file.read(plain) == (long) RECORD * records;
      for (int r = 0; right && r < records; r++) {
        byte[] found = Arrays.copyOfRange(plain, RECORD * r, RECORD * (r + 1));
        if (organization == Organization.SELF_SCHEDULED) {
          right &= Arrays.equals(found, record(found[0]));
          counts[found[0]]++;
        } else {
          right &= Arrays.equals(found, record(r));
        }
      }
    }
    if (organization == Organization.SELF_SCHEDULED) {
      right &= Arrays.stream(counts).allMatch(count -> count == records / rank.size());
    }
    stage.check("written " + organization + ", all records are in the global view", right);
  }

  private static void read(
      Rank rank, Stage stage, ParallelFile file, Organization organization, int records)
      throws IOException {
    boolean right = true;
    long sum = 0;
    for (int r = 0; r < records; r++) {
      byte[] found = new byte[RECORD];
      switch (organization) {
        case SELF_SCHEDULED -> sum += file.read(found) / RECORD;
        case GLOBAL_DIRECT -> {
          sum += file.read(r, found) / RECORD;
          right &= Arrays.equals(found, record(r));
        }
        case PARTITIONED_DIRECT, SEQUENTIAL, PARTITIONED, INTERLEAVED -> {
          if (isMine(rank, organization, r, records)) {
            boolean direct = organization == Organization.PARTITIONED_DIRECT;
            sum += (direct ? file.read(r, found) : file.read(found)) / RECORD;
            right &= Arrays.equals(found, record(r));
          }
        }
      }
    }
    long all = rank.allReduceLong(sum, Long::sum);
    long times = organization == Organization.GLOBAL_DIRECT ? rank.size() : 1; // each read all
    stage.check("read " + organization, right && all == times * records);
  }

  private static void refused(Rank rank, Stage stage, Crockett crockett, Form form)
      throws IOException {
    try (ParallelFile file =
        crockett.open(NAME, OpenOptions.read(), form, Organization.PARTITIONED_DIRECT)) {
      boolean refused = rank.size() == 1;
      try {
        long _ = file.read((rank.number() + 1L) * PER_BLOCK, new byte[RECORD]);
      } catch (CrockettException e) {
        stage.say("Refused: %s", String.valueOf(e.getMessage()));
        refused = true;
      }
      stage.check("partitioned direct: no other's blocks", refused);
    }
  }

  /** A file of this program alone. */
  private static void specialized(Rank rank, Stage stage, Crockett crockett, Form form)
      throws IOException {
    try (ParallelFile file = crockett.openSpecialized(SPECIAL, form, Organization.GLOBAL_DIRECT)) {
      file.write(rank.number(), record(rank.number()));
      rank.barrier();
      int other = (rank.number() + 1) % rank.size();
      byte[] found = new byte[RECORD];
      file.read(other, found);
      stage.check("specialized: another's record", Arrays.equals(found, record(other)));
    }
    boolean gone = false;
    try {
      crockett.openGlobal(SPECIAL, OpenOptions.read()).close();
    } catch (NoSuchNameException e) {
      gone = true;
    }
    stage.check("specialized: gone when it was closed", gone);
  }
}
