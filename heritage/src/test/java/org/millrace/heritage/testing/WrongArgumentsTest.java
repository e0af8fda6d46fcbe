package org.millrace.heritage.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.bridge.Bridge;
import org.millrace.heritage.bridge.Job;
import org.millrace.heritage.cio.Cio;
import org.millrace.heritage.cio.CioFile;
import org.millrace.heritage.cio.CioMode;
import org.millrace.heritage.crockett.Crockett;
import org.millrace.heritage.crockett.Form;
import org.millrace.heritage.crockett.Organization;
import org.millrace.heritage.dio.Dio;
import org.millrace.heritage.dio.DioHandle;
import org.millrace.heritage.dio.DioMode;
import org.millrace.heritage.edonio.Edonio;
import org.millrace.heritage.edonio.Fcntl;
import org.millrace.heritage.elfs.DistributedMatrixFile;
import org.millrace.heritage.elfs.DistributedMatrixFile.Decomposition;
import org.millrace.heritage.elfs.KeyField;
import org.millrace.heritage.elfs.MatrixFile;
import org.millrace.heritage.elfs.RangeSearchFile;
import org.millrace.heritage.elfs.RecordFormat;
import org.millrace.heritage.elfs.UnixFile;
import org.millrace.heritage.elfs.VariableConsistencyFile;
import org.millrace.heritage.kotz.FileType;
import org.millrace.heritage.kotz.Kotz;
import org.millrace.heritage.kotz.KotzFile;
import org.millrace.heritage.kotz.MultiOpen;
import org.millrace.heritage.mpiio.Amode;
import org.millrace.heritage.mpiio.Datatype;
import org.millrace.heritage.mpiio.File;
import org.millrace.heritage.mpiio.Whence;
import org.millrace.heritage.ncube.Mapping;
import org.millrace.heritage.ncube.Ncube;
import org.millrace.heritage.nx.Nx;
import org.millrace.heritage.passion.GlobalArrayFile;
import org.millrace.heritage.passion.LocalArrayFile;
import org.millrace.heritage.passion.Passion;
import org.millrace.heritage.pfs.IoMode;
import org.millrace.heritage.pfs.Pfs;
import org.millrace.heritage.piofs.Piofs;
import org.millrace.heritage.piofs.PiofsFile;
import org.millrace.heritage.piofs.PiofsMode;
import org.millrace.heritage.pious.Pious;
import org.millrace.heritage.sharedfiles.SharedFiles;
import org.millrace.heritage.sharedfiles.SizeHints;
import org.millrace.heritage.vesta.Partition;
import org.millrace.heritage.vesta.SpmdMode;
import org.millrace.heritage.vesta.Subfile;
import org.millrace.heritage.vesta.Vesta;

/**
 * One rank gives nothing, or a wrong number, to a call that waits for all: the call fails on all
 * ranks, by an error that has a type and says something, and long before anybody's deadline. After
 * each call the odd rank keeps away from the others until they are back: if it went on, its next
 * call would free them.
 */
@NullUnmarked
final class WrongArgumentsTest {

  private static final long MEETING_NANOS =
      Long.getLong("millrace.wrong.seconds", 60) * 1_000_000_000L;
  private static final int RANKS = 3;
  private static final OpenOptions MADE = OpenOptions.create();

  @TempDir private Path directory;

  private interface Call {
    Object run() throws IOException;
  }

  private interface Calls {
    void run(Trial trial) throws IOException;
  }

  /** A call that returns nothing. */
  private interface Plain {
    void run() throws IOException;
  }

  /** One rank's part of it. */
  private static final class Trial {

    private final Rank rank;
    private final List<String> found = new ArrayList<>();
    private int calls;

    Trial(Rank rank) {
      this.rank = rank;
    }

    /** What the odd rank gives, or the others. */
    <T> T or(T wrong, T right) {
      return rank.number() == 1 ? wrong : right;
    }

    boolean odd() {
      return rank.number() == 1;
    }

    void does(String what, Plain call) throws IOException {
      fails(
          what,
          () -> {
            call.run();
            return what;
          });
    }

    /** The call fails on this rank as it should; what does not is told at the end. */
    void fails(String what, Call call) throws IOException {
      try {
        Object result = call.run();
        if (!(result instanceof Number code) || code.longValue() != -1) { // an error as a value
          found.add(what + " works on rank " + rank.number());
        }
      } catch (IOException | RuntimeException e) {
        judge(what, e);
      }
      awaitOthers();
    }

    private void judge(String what, Exception e) {
      String said = what + " on rank " + rank.number() + ": ";
      if (e instanceof MillraceException typed
          && (typed.code() == ErrorCode.DEADLINE || typed.code() == ErrorCode.RANK_FAILED)) {
        found.add(said + "waits: " + e.getMessage());
      } else if (!odd() && e instanceof NullPointerException) {
        found.add(said + "untyped " + e);
      } else if (e.getMessage() == null || e.getMessage().isBlank()) {
        found.add(said + "says nothing " + e);
      } else if (e instanceof NullPointerException && e.getMessage().startsWith("Cannot ")) {
        found.add(said + "not looked at " + e);
      }
    }

    /** By names in the cluster, which wait for nobody. */
    private void awaitOthers() throws IOException {
      String mark = "back" + calls++ + "-";
      rank.names().makeDirectory(mark + rank.number());
      while (rank.names().list("").stream().filter(name -> name.startsWith(mark)).count()
          < rank.size()) {
        Programs.pause();
      }
    }
  }

  private void run(Calls calls) throws IOException {
    ClusterOptions options =
        ClusterOptions.DEFAULT.withLimits(Limits.DEFAULT.withMeetingNanos(MEETING_NANOS));
    Programs.run(
        directory,
        RANKS,
        2,
        options,
        rank -> {
          Trial trial = new Trial(rank);
          calls.run(trial);
          assertThat(trial.found).isEmpty();
        });
  }

  @Test
  void bridge() throws IOException {
    run(
        t -> {
          Bridge bridge = new Bridge(t.rank);
          OpenOptions options = MADE.withStripeUnit(16);
          t.fails("no name", () -> bridge.openParallel(t.or(null, "x"), options));
          t.fails("no options", () -> bridge.openParallel("x", t.or(null, options)));
          t.fails("controller -1", () -> bridge.openParallel("x", options, t.or(-1, 0)));
          for (int controller = 0; controller < 2; controller++) {
            Job job = bridge.openParallel("x", options, controller);
            boolean first = job.isController();
            byte[] bytes = t.or(null, new byte[16]);
            MemorySegment memory = t.or(null, MemorySegment.ofArray(new byte[16]));
            t.fails("write", () -> first ? job.write(bytes) : job.transfer(bytes));
            t.fails("read", () -> first ? job.read(bytes) : job.transfer(bytes));
            t.fails("write memory", () -> first ? job.write(memory) : job.transfer(memory));
            t.fails("read memory", () -> first ? job.read(memory) : job.transfer(memory));
            byte[] right = new byte[16];
            assertThat(first ? job.write(right) : job.transfer(right)).isEqualTo(16);
            if (first) {
              job.close();
            } else {
              assertThat(job.transfer(right)).isEqualTo(-1);
            }
          }
        });
  }

  @Test
  void cio() throws IOException {
    run(
        t -> {
          Cio cio = new Cio(t.rank);
          for (CioMode mode : CioMode.values()) {
            t.fails(mode + " no name", () -> cio.open(t.or(null, "x"), MADE, mode));
            t.fails(mode + " no options", () -> cio.open("x", t.or(null, MADE), mode));
            t.fails(mode + " no mode", () -> cio.open("x", MADE, t.or(null, mode)));
            t.fails(mode + " owner 7", () -> cio.open("x", MADE, mode, t.or(7, 0)));
          }
          t.fails("no order", () -> cio.openMulti("x", MADE, t.or(null, i -> i)));
          try (CioFile file = cio.open("x", MADE, CioMode.SINGLE)) {
            byte[] bytes = t.or(null, new byte[8]);
            MemorySegment memory = t.or(null, MemorySegment.ofArray(new byte[8]));
            t.fails("write", () -> file.write(bytes));
            t.fails("read", () -> file.read(bytes));
            t.fails("write memory", () -> file.write(memory));
            t.fails("read memory", () -> file.read(memory));
            t.does("seek -1", () -> file.seek(t.or(-1, 0)));
            assertThat(file.write(new byte[8])).isEqualTo(8);
          }
        });
  }

  @Test
  void crockett() throws IOException {
    run(
        t -> {
          Crockett crockett = new Crockett(t.rank);
          Form form = Form.of(4, 2);
          for (Organization how : Organization.values()) {
            t.fails(how + " no name", () -> crockett.open(t.or(null, "x"), MADE, form, how));
            t.fails(how + " no options", () -> crockett.open("x", t.or(null, MADE), form, how));
            t.fails(how + " no form", () -> crockett.open("x", MADE, t.or(null, form), how));
            t.fails(how + " special", () -> crockett.openSpecialized(t.or(null, "s"), form, how));
          }
          Organization how = Organization.INTERLEAVED;
          t.fails("no organization", () -> crockett.open("x", MADE, form, t.or(null, how)));
          crockett.open("x", MADE, form, how).close();
        });
  }

  @Test
  void ncube() throws IOException {
    run(
        t -> {
          Ncube ncube = new Ncube(t.rank);
          Mapping mapping = Mapping.column(8, RANKS);
          t.fails("no name", () -> ncube.open(t.or(null, "x"), MADE, mapping));
          t.fails("no options", () -> ncube.open("x", t.or(null, MADE), mapping));
          t.fails("no mapping", () -> ncube.open("x", MADE, t.or(null, mapping)));
          t.fails("common, no name", () -> ncube.openCommon(t.or(null, "x"), MADE));
          t.fails("common, no options", () -> ncube.openCommon("x", t.or(null, MADE)));
          ncube.openCommon("x", MADE).close();
        });
  }

  @Test
  void vesta() throws IOException {
    run(
        t -> {
          Vesta vesta = new Vesta(t.rank);
          OpenOptions options = Vesta.structure(16, 2);
          Partition whole = Partition.whole(2);
          t.fails("shared no name", () -> vesta.openShared(t.or(null, "x"), options, whole));
          for (SpmdMode mode : SpmdMode.values()) {
            Partition part =
                mode == SpmdMode.A ? new Partition(1, 3, 1, 1, t.rank.number()) : whole;
            t.fails(mode + " name", () -> vesta.open(t.or(null, "x"), options, part, mode));
            t.fails(mode + " options", () -> vesta.open("x", t.or(null, options), part, mode));
            t.fails(mode + " partition", () -> vesta.open("x", options, t.or(null, part), mode));
            t.fails(mode + " mode", () -> vesta.open("x", options, part, t.or(null, mode)));
            try (Subfile file = vesta.open("x", options, part, mode)) {
              if (mode.compareTo(SpmdMode.C) > 0) {
                byte[] bytes = t.or(null, new byte[8]);
                MemorySegment memory = t.or(null, MemorySegment.ofArray(new byte[8]));
                t.fails(mode + " write", () -> file.write(bytes));
                t.fails(mode + " read", () -> file.read(bytes));
                t.fails(mode + " write memory", () -> file.write(memory));
                t.fails(mode + " read memory", () -> file.read(memory));
                assertThat(file.write(new byte[8])).isEqualTo(8);
              }
            }
          }
        });
  }

  @Test
  void piofs() throws IOException {
    run(
        t -> {
          Piofs piofs = new Piofs(t.rank);
          OpenOptions options = Vesta.structure(16, 2);
          for (PiofsMode mode : PiofsMode.values()) {
            boolean own = mode == PiofsMode.PRIVATE || mode == PiofsMode.COORDINATED;
            Partition part = own ? new Partition(1, 3, 1, 1, t.rank.number()) : Partition.whole(2);
            t.fails(mode + " name", () -> piofs.open(t.or(null, "x"), options, part, mode));
            t.fails(mode + " options", () -> piofs.open("x", t.or(null, options), part, mode));
            t.fails(mode + " partition", () -> piofs.open("x", options, t.or(null, part), mode));
            t.fails(mode + " mode", () -> piofs.open("x", options, part, t.or(null, mode)));
            try (PiofsFile file = piofs.open("x", options, part, mode)) {
              byte[] bytes = t.or(null, new byte[8]);
              if (mode == PiofsMode.COORDINATED) {
                t.fails("coordinated write", () -> file.write(bytes));
                t.fails("coordinated read", () -> file.read(bytes));
                t.fails(
                    "read memory", () -> file.read(t.or(null, MemorySegment.ofArray(new byte[8]))));
                assertThat(file.write(new byte[8])).isEqualTo(8);
              }
              if (mode == PiofsMode.COLLECTIVE) {
                t.fails("broadcast", () -> file.readBroadcast(bytes));
                t.fails("reduce", () -> file.writeReduce(bytes));
                t.fails("scatter", () -> file.readScatter(bytes));
                t.fails("gather", () -> file.writeGather(bytes));
                assertThat(file.writeGather(new byte[8])).isEqualTo(8);
              }
            }
          }
        });
  }

  @Test
  void pious() throws IOException {
    run(
        t -> {
          Pious pious = new Pious(t.rank);
          t.does("no name", () -> pious.create(t.or(null, "x"), 2, 8));
          t.does("segments", () -> pious.create("x", t.or(-1, 2), 8));
          t.does("blocks", () -> pious.create("x", 2, t.or(-8L, 8L)));
          pious.create("x", 2, 8);
          t.fails("segmented, no name", () -> pious.openSegmented(t.or(null, "x"), 0));
          t.fails("segment -1", () -> pious.openSegmented("x", t.or(-1, 0)));
          t.fails("global, no name", () -> pious.openGlobal(t.or(null, "x"), 8));
          t.fails("global, -8", () -> pious.openGlobal("x", t.or(-8L, 8L)));
          t.fails("independent, no name", () -> pious.openIndependent(t.or(null, "x"), 8));
          t.fails("independent, huge", () -> pious.openIndependent("x", t.or(Long.MAX_VALUE, 8L)));
          pious.openGlobal("x", 8).close();
        });
  }

  @Test
  void kotz() throws IOException {
    run(
        t -> {
          Kotz kotz = new Kotz(t.rank);
          FileType type = FileType.records(8);
          MultiOpen how = MultiOpen.create(type);
          MultiOpen sub = MultiOpen.create(type.multifile(RANKS));
          t.fails("no name", () -> kotz.multiopen(t.or(null, "x"), how));
          t.fails("no way", () -> kotz.multiopen("x", t.or(null, how)));
          t.fails("subfiles, no name", () -> kotz.multiopenSubfiles(t.or(null, "m"), sub));
          t.fails("subfiles, no way", () -> kotz.multiopenSubfiles("m", t.or(null, sub)));
          t.fails("type", () -> kotz.type(t.or(null, "x")));
          try (KotzFile file = kotz.multiopen("x", how)) {
            byte[] bytes = t.or(null, new byte[8]);
            MemorySegment memory = t.or(null, MemorySegment.ofArray(new byte[8]));
            t.fails("write", () -> file.together().write(bytes));
            t.fails("read", () -> file.together().read(bytes));
            t.fails("write memory", () -> file.writeTogether(memory));
            t.fails("read memory", () -> file.readTogether(memory));
            t.fails("uneven", () -> file.together().write(t.or(new byte[7], new byte[8])));
            assertThat(file.together().write(new byte[8])).isEqualTo(1);
          }
          try (KotzFile file = kotz.multiopen("x", MultiOpen.update().globalPointer())) {
            t.does("no mapping", () -> file.mapping(t.or(null, file.mapping())));
          }
        });
  }

  @Test
  void elfs() throws IOException {
    RecordFormat format = new RecordFormat(16, List.of(new KeyField(KeyField.Kind.INT64, 0)));
    ElementType type = ElementType.FLOAT64;
    run(
        t -> {
          Rank rank = t.rank;
          t.fails("no name", () -> new UnixFile(rank, t.or(null, "x"), MADE));
          t.fails("no options", () -> new UnixFile(rank, "x", t.or(null, MADE)));
          try (UnixFile file = new UnixFile(rank, "x", MADE)) {
            t.does("cut at -1", () -> file.ftruncate(t.or(-1, 0)));
          }
          t.fails("window", () -> new VariableConsistencyFile(rank, t.or(null, "x"), MADE, 4));
          t.fails("matrix", () -> MatrixFile.create(rank, t.or(null, "m"), 4, 4, type));
          t.fails("rows", () -> MatrixFile.create(rank, "m", t.or(-1, 4), 4, type));
          t.fails("type", () -> MatrixFile.create(rank, "m", 4, 4, t.or(null, type)));
          Decomposition rows = Decomposition.ROWS;
          t.fails(
              "parts", () -> DistributedMatrixFile.create(rank, "m", 4, 4, type, t.or(null, rows)));
          try (var file = DistributedMatrixFile.create(rank, "m", 4, 4, type, rows)) {
            Local part = Local.of(new double[8], file.part());
            t.fails("read", () -> file.readPart(t.or(null, part)));
            t.fails("write", () -> file.writePart(t.or(null, part)));
            t.fails("read on", () -> rank.await(file.readPartAsync(t.or(null, part))));
            t.fails("write on", () -> rank.await(file.writePartAsync(t.or(null, part))));
            file.writePart(part);
          }
          t.fails("open", () -> MatrixFile.open(rank, t.or(null, "m")));
          t.fails("open parts", () -> DistributedMatrixFile.open(rank, "m", t.or(null, rows)));
          t.fails("plain", () -> MatrixFile.openPlain(rank, "m", 2, t.or(-2, 2), type));
          t.fails("range", () -> RangeSearchFile.create(rank, t.or(null, "r"), format));
          t.fails("format", () -> RangeSearchFile.create(rank, "r", t.or(null, format)));
          RangeSearchFile.create(rank, "r", format).close();
          t.fails("open range", () -> RangeSearchFile.open(rank, t.or(null, "r"), format));
          t.fails("to read", () -> RangeSearchFile.openToRead(rank, "r", t.or(null, format)));
        });
  }

  @Test
  void dio() throws IOException {
    run(
        t -> {
          Dio dio = new Dio(t.rank);
          t.fails("create", () -> dio.dio_create(t.or(null, "x"), 16));
          t.fails("unit", () -> dio.dio_create("x", t.or(-16, 16)));
          t.fails("mode", () -> dio.dio_create("x", 16, t.or(null, DioMode.STANDARD)));
          try (DioHandle handle = dio.dio_create("x", 16)) {
            t.does("reserve", () -> dio.dio_reserve(handle, t.or(-1, 16)));
          }
          t.fails("register", () -> dio.dio_register(t.or(null, "x")));
          t.fails("register mode", () -> dio.dio_register("x", t.or(null, DioMode.STANDARD)));
          t.fails(
              "local", () -> dio.dio_register("x", t.or(null, Optional.empty()), DioMode.STANDARD));
          t.fails(
              "local mode",
              () -> dio.dio_register("x", Optional.empty(), t.or(null, DioMode.STANDARD)));
          t.fails(
              "local name",
              () -> dio.dio_register(t.or(null, "x"), Optional.empty(), DioMode.STANDARD));
        });
  }

  @Test
  void sharedFiles() throws IOException {
    run(
        t -> {
          SharedFiles files = new SharedFiles(t.rank);
          SizeHints hints = new SizeHints(100);
          t.fails("create", () -> files.sf_create(t.or(null, "x"), hints, 0));
          t.fails("hints", () -> files.sf_create("x", t.or(null, hints), 0));
          t.fails("request", () -> files.sf_create("x", hints, t.or(-1, 0)));
          t.fails("open", () -> files.sf_open(t.or(null, "x")));
          var handle = files.sf_create("x", hints, 0);
          t.does("destroy", () -> files.sf_destroy(t.or(null, handle)));
          files.sf_destroy(handle);
        });
  }

  @Test
  void edonio() throws IOException {
    run(
        t -> {
          Edonio io = new Edonio(t.rank);
          io.do_nio(t.rank.number(), t.rank.size());
          int flags = Fcntl.O_RDWR | Fcntl.O_CREAT;
          t.fails("open", () -> io.do_open(t.or(null, "x"), flags, 0644));
          t.fails("flags", () -> io.do_open("x", t.or(-1, flags), 0644));
          t.fails("csize", () -> io.do_csize(t.or(-1, 64), 64));
          t.fails("csize disk", () -> io.do_csize(64, t.or(0, 64)));
          int fd = io.do_open("x", flags, 0644);
          t.fails("lsize", () -> io.do_lsize(fd, t.or(-1, 64)));
          t.fails("flush", () -> io.do_flush(t.or(99, fd)));
          t.does("preload", () -> io.do_preload(t.or(-1, fd)));
          t.fails("close", () -> io.do_close(t.or(77, fd)));
          io.do_close(fd);
          io.close();
        });
  }

  @Test
  void nx() throws IOException {
    run(
        t -> {
          Nx nx = new Nx(t.rank);
          t.does("gdsum", () -> nx.gdsum(t.or(null, new double[2])));
          t.does("gshigh", () -> nx.gshigh(t.or(null, new float[2])));
          t.does("gisum", () -> nx.gisum(t.or(null, new int[2])));
          t.does("glor", () -> nx.glor(t.or(null, new int[2])));
          t.does("length", () -> nx.gisum(t.or(new int[3], new int[2])));
          t.fails("gcol x", () -> nx.gcol(t.or(null, new byte[2]), new byte[9]));
          t.fails("gcol y", () -> nx.gcol(new byte[2], t.or(null, new byte[9])));
          nx.gsync();
        });
  }

  @Test
  void passion() throws IOException {
    Shape shape = Shape.rowMajor(6, 6);
    ElementType type = ElementType.FLOAT64;
    Distribution rows = Distribution.of(shape, Grid.of(RANKS, 1), Spread.block(), Spread.none());
    run(
        t -> {
          Passion passion = new Passion(t.rank);
          t.fails("name", () -> passion.createGlobalArrayFile(t.or(null, "g"), shape, type));
          t.fails("shape", () -> passion.createGlobalArrayFile("g", t.or(null, shape), type));
          t.fails("type", () -> passion.createGlobalArrayFile("g", shape, t.or(null, type)));
          t.fails("plain", () -> passion.createPlain(t.or(null, "p"), shape, type));
          try (GlobalArrayFile file = passion.createGlobalArrayFile("g", shape, type)) {
            Local part = Local.of(new double[12], Shape.rowMajor(2, 6));
            String section =
                "%d:%d,1:6".formatted(2 * t.rank.number() + 1, 2 * t.rank.number() + 2);
            t.fails("no memory", () -> file.readSection(section, t.or(null, part)));
            t.fails("no section", () -> file.readSection(t.or(null, section), part));
            t.fails("bad section", () -> file.writeSection(t.or("0:9,1:6", section), part));
            t.fails("no memory to write", () -> file.writeSection(section, t.or(null, part)));
            t.fails("array", () -> file.readArray(t.or(null, rows), part));
            t.fails("array memory", () -> file.writeArray(rows, t.or(null, part)));
            file.writeSection(section, part);
          }
          t.fails("open", () -> passion.openGlobalArrayFile(t.or(null, "g")));
          t.fails("openPlain", () -> passion.openPlain("g", shape, type, t.or(-1, 0)));
          t.fails("local", () -> passion.createLocalArrayFiles(t.or(null, "l"), rows, type));
          t.fails("spread", () -> passion.createLocalArrayFiles("l", t.or(null, rows), type));
          t.fails("kind", () -> passion.createLocalArrayFiles("l", rows, t.or(null, type)));
          try (GlobalArrayFile file = passion.openGlobalArrayFile("g");
              LocalArrayFile local = passion.createLocalArrayFiles("l", rows, type)) {
            t.does("store", () -> local.store(t.or(null, file), 1 << 10));
            t.does("load", () -> local.load(file, t.or(-1, 1 << 10)));
            local.load(file, 1 << 10);
          }
          t.fails("open local", () -> passion.openLocalArrayFiles(t.or(null, "l"), rows));
          t.fails("open spread", () -> passion.openLocalArrayFiles("l", t.or(null, rows)));
        });
  }

  @Test
  void mpiIo() throws IOException {
    int amode = Amode.CREATE | Amode.RDWR;
    run(
        t -> {
          t.fails("name", () -> File.open(t.rank, t.or(null, "x"), amode));
          t.fails("amode", () -> File.open(t.rank, "x", t.or(-1, amode)));
          try (File file = File.open(t.rank, "x", amode)) {
            Datatype type = Datatype.BYTE;
            byte[] right = new byte[8];
            byte[] bytes = t.or(null, right);
            Datatype none = t.or(null, type);
            t.fails("readAll", () -> file.readAll(bytes, 8, type));
            t.fails("writeAll", () -> file.writeAll(bytes, 8, type));
            t.fails("writeAll type", () -> file.writeAll(right, 8, none));
            t.fails("writeAll count", () -> file.writeAll(right, t.or(-1, 8), type));
            t.fails("readAtAll", () -> file.readAtAll(t.or(-1, 0), right, 8, type));
            t.fails("writeAtAll", () -> file.writeAtAll(0, bytes, 8, type));
            t.fails("readOrdered", () -> file.readOrdered(bytes, 8, type));
            t.fails("writeOrdered", () -> file.writeOrdered(bytes, 8, type));
            t.does("begin", () -> begun(file, bytes, type));
            t.fails("later", () -> file.iWriteAll(bytes, 8, type).waitStatus());
            t.does("size", () -> file.setSize(t.or(-1, 8)));
            t.does("room", () -> file.preallocate(t.or(-1, 8)));
            t.does("view", () -> file.setView(0, none, type, "native"));
            t.does("filetype", () -> file.setView(0, type, none, "native"));
            t.does("displacement", () -> file.setView(t.or(-5, 0), type, type, "native"));
            t.does("datarep", () -> file.setView(0, type, type, t.or(null, "native")));
            t.does("shared", () -> file.seekShared(t.or(-1, 0), Whence.SEEK_SET));
            t.does("whence", () -> file.seekShared(0, t.or(null, Whence.SEEK_SET)));
            file.writeAll(right, 8, type);
          }
        });
  }

  private static void begun(File file, byte[] bytes, Datatype type) throws IOException {
    file.writeAllBegin(bytes, 8, type);
    file.writeAllEnd(bytes);
  }

  @Test
  void pfs() throws IOException {
    int flags = Pfs.O_RDWR | Pfs.O_CREAT;
    run(
        t -> {
          Pfs pfs = Pfs.pfslib_init(t.rank);
          t.fails("name", () -> pfs.gopen(t.or(null, "pfs.x"), flags, IoMode.M_SYNC, 0644));
          t.fails("mode", () -> pfs.gopen("pfs.x", flags, t.or(null, IoMode.M_SYNC), 0644));
          t.fails("flags", () -> pfs.gopen("pfs.x", t.or(-1, flags), IoMode.M_SYNC, 0644));
          int fd = pfs.gopen("pfs.x", flags, IoMode.M_SYNC, 0644);
          t.does("write", () -> pfs.cwrite(fd, t.or((byte[]) null, new byte[8]), 8));
          t.does("read", () -> pfs.cread(fd, new byte[8], t.or(-1, 8)));
          t.does("seek", () -> check(pfs.lseek(fd, t.or(-1, 0), Pfs.SEEK_SET)));
          t.does("whence", () -> check(pfs.lseek(fd, 0, t.or(9, Pfs.SEEK_SET))));
          t.does("setiomode", () -> pfs.setiomode(fd, t.or(null, IoMode.M_LOG)));
          assertThat(pfs.close(fd)).isZero();
          pfs.close();
        });
  }

  private static void check(long result) throws IOException {
    if (result == -1) {
      throw new IOException("the call returns -1");
    }
  }
}
