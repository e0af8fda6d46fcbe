package org.millrace.heritage.program;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.millrace.client.Rank;
import org.millrace.error.NameExistsException;
import org.millrace.heritage.edonio.Edonio;
import org.millrace.heritage.fem.EdonioElementFile;
import org.millrace.heritage.fem.ElementFile;
import org.millrace.heritage.fem.Elements;
import org.millrace.heritage.fem.FiniteElements;
import org.millrace.heritage.fem.PfsElementFile;
import org.millrace.heritage.fem.Phases;
import org.millrace.heritage.nx.Nx;
import org.millrace.heritage.pfs.Pfs;

/**
 * The program of the appendix of EDONIO's report: node 0 reads the grid, the sizes of the caches
 * and whether to preload, tells the others by global sums, and prints how long each phase took. The
 * report's flag of the compiler, by which the program uses NX's calls instead, is one more
 * argument.
 *
 * <p>Belongs to the rank's thread. Leaves neither files behind nor the caches changed.
 */
final class FiniteElementProgram {

  static final String USAGE =
      """
      GRID CACHE PRELOAD [NX]: the finite-element program of the report.
      GRID     elements: nex,ney,nez, or one number for a cube
      CACHE    data_size,disk_size: KB of the data cache and of each node's disk cache
      PRELOAD  1 to preload the disk cache before reading, else 0
      NX       use NX's calls (PFS) instead of EDONIO's""";

  private static final String FOLDER = "pfs";
  private static final int PARAMETERS = 7;

  // constant after construction
  private final Rank rank;
  private final Stage stage;
  private final Nx nx;

  FiniteElementProgram(Rank rank, Stage stage) {
    this.rank = rank;
    this.stage = stage;
    this.nx = new Nx(rank);
  }

  void run(List<String> arguments) throws IOException {
    int[] said = new int[PARAMETERS];
    rank.together(
        "arguments",
        () -> {
          if (nx.mynode() == 0) {
            read(arguments, said);
          }
        });
    nx.gisum(said); // the other nodes have zeros
    Elements grid = new Elements(said[0], said[1], said[2]);
    boolean preload = said[5] != 0;
    boolean usesNx = said[6] != 0;
    stage.say("nproc, nex,ney,nez %s %s %s %s", nx.numnodes(), said[0], said[1], said[2]);
    stage.say("data_size,disk_size %s %s", said[3], said[4]);
    stage.say("ipreload %s", said[5]);
    boolean made = makeFolder();
    long before = rank.report().getFirst().getOrDefault("limitBytes", 0L);
    try (Edonio io = new Edonio(rank)) {
      io.do_nio(nx.mynode(), nx.numnodes());
      io.do_csize(said[3], said[4]);
      String path = usesNx ? "/pfs/nxex.bin" : "/pfs/ex.bin";
      ElementFile file =
          usesNx
              ? new PfsElementFile(Pfs.pfslib_init(rank), path)
              : new EdonioElementFile(io, path);
      print(grid, new FiniteElements(nx, grid, file).run(preload), preload);
      stage.check("every element was read as it was written", true); // else it has thrown
      tidy(path, made);
    } finally {
      rank.setCacheBytes(Math.max(Edonio.BLOCK_BYTES, before));
    }
  }

  private static void read(List<String> arguments, int[] said) {
    if (arguments.size() < 3 || arguments.size() > 4) {
      throw new IllegalArgumentException("arguments are " + USAGE + "\nbut not " + arguments);
    }
    int[] grid = numbers(arguments.get(0));
    int[] cache = numbers(arguments.get(1));
    int[] preload = numbers(arguments.get(2));
    if (grid.length != 1 && grid.length != 3 || cache.length != 2 || preload.length != 1) {
      throw new IllegalArgumentException("arguments are " + USAGE + "\nbut not " + arguments);
    }
    for (int i = 0; i < 3; i++) {
      said[i] = grid[grid.length == 1 ? 0 : i];
    }
    said[3] = cache[0];
    said[4] = cache[1];
    said[5] = preload[0];
    if (arguments.size() == 4) {
      if (!arguments.get(3).toUpperCase(Locale.ROOT).equals("NX")) {
        throw new IllegalArgumentException("the fourth argument is NX, not " + arguments.get(3));
      }
      said[6] = 1;
    }
  }

  private static int[] numbers(String text) {
    String[] parts = text.split("[,x]", -1);
    int[] numbers = new int[parts.length];
    for (int i = 0; i < parts.length; i++) {
      try {
        numbers[i] = Integer.parseInt(parts[i].strip());
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(text + " is no number, nor a list of them", e);
      }
    }
    return numbers;
  }

  /** The program's file lies in a folder that a new cluster has not. */
  private boolean makeFolder() throws IOException {
    boolean[] made = new boolean[1];
    rank.together(
        "folder",
        () -> {
          if (rank.number() == 0) {
            try {
              rank.names().makeDirectory(FOLDER);
              made[0] = true;
            } catch (NameExistsException e) {
              made[0] = false;
            }
          }
        });
    return made[0];
  }

  private void tidy(String path, boolean folder) throws IOException {
    rank.together(
        "tidy",
        () -> {
          if (rank.number() == 0) {
            rank.names().remove(path);
            if (folder) {
              rank.names().remove(FOLDER);
            }
          }
        });
  }

  private void print(Elements grid, Phases took, boolean preload) {
    stage.say("open takes %.6f sec", took.wopen());
    stage.say("total file size is %s Megabytes", grid.fileBytes() >> 20);
    stage.say("write takes %.6f sec", took.write());
    stage.say("close for write takes %.6f sec", took.wclose());
    stage.say("open for read takes %.6f sec", took.ropen());
    if (preload) {
      stage.say("preload takes %.6f sec", took.preload());
    }
    stage.say("all reads take %.6f sec", took.read());
    stage.say("close for read takes %.6f sec", took.rclose());
  }
}
