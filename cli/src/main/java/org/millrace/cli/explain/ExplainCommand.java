package org.millrace.cli.explain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.Order;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.heritage.mpiio.RomioHints;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.plan.collective.Explanation;
import org.millrace.plan.collective.Request;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code millrace explain}: how a collective request for parts of an array would be carried out,
 * what each strategy would cost, and why one is taken. Nothing is read or written but the files of
 * the answer; no cluster is needed. Used by one thread.
 */
@Command(
    name = "explain",
    description = "Show how a collective request for parts of an array would be carried out.",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    footer = {
      "",
      "Examples:",
      "  millrace explain --shape 4096x4096 --dist cyclic,none",
      "  millrace explain --shape 4096x4096 --section 0:15,0:4095 --strategy extended-two-phase",
      "  millrace explain --shape 4096x4096 --overlap 0:99,0:99+10*p --write",
      "  millrace explain --shape 32x32 --element 2048 --ranks 4 --dist block,none --svg plan.svg",
      "",
      "Sizes are in bytes, or with K, M and G in units of 2^10, 2^20 and 2^30. Indices count from 0;"
          + " upper bounds are included. docs/collective.md explains the strategies."
    })
public final class ExplainCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--shape",
      paramLabel = "NxM",
      required = true,
      description = "The array's dimensions, as 4096x4096.")
  private String shape = "";

  @Option(
      names = "--order",
      paramLabel = "F|C",
      description =
          "F: the first index runs fastest, columns are contiguous; C: the last (default:"
              + " ${DEFAULT-VALUE}).")
  private String order = "F";

  @Option(
      names = "--element",
      paramLabel = "BYTES",
      description = "Bytes of an element (default: ${DEFAULT-VALUE}).")
  private String element = "8";

  @Option(
      names = "--start",
      paramLabel = "BYTES",
      description =
          "Where the elements begin in the file, after a header (default: ${DEFAULT-VALUE}).")
  private String start = "0";

  @Option(
      names = {"-p", "--ranks"},
      paramLabel = "P",
      description = "How many ranks take part (default: ${DEFAULT-VALUE}).")
  private int ranks = 16;

  @Option(
      names = {"-n", "--nodes"},
      paramLabel = "N",
      description = "How many nodes, with one strand each (default: ${DEFAULT-VALUE}).")
  private int nodes = 4;

  @Option(
      names = "--stripe",
      paramLabel = "BYTES",
      description = "The file's stripe unit (default: ${DEFAULT-VALUE}).")
  private String stripe = "64K";

  @Option(
      names = "--block-size",
      paramLabel = "BYTES",
      description = "Bytes of a block, the unit of disk transfers (default: ${DEFAULT-VALUE}).")
  private String blockSize = "64K";

  @ArgGroup(multiplicity = "1", exclusive = true)
  private Wanted wanted = new Wanted();

  /** What the ranks want: one of three ways to say it. */
  static final class Wanted {

    @Option(
        names = "--section",
        paramLabel = "L:U:S,...",
        description = "All ranks want this section, a range for each dimension.")
    private @Nullable String section;

    @Option(
        names = "--dist",
        paramLabel = "SPREAD,...",
        description =
            "Each rank wants its part of the array, distributed by block, block(N), cyclic,"
                + " cyclic(N) or none in each dimension.")
    private @Nullable String distribution;

    @Option(
        names = "--overlap",
        paramLabel = "L:U:S+V*p,...",
        description = "Rank p wants the section moved by V*p in each dimension.")
    private @Nullable String overlap;
  }

  @Option(
      names = "--grid",
      paramLabel = "PxQ",
      description = "With --dist: how the ranks lie along the dimensions (default: balanced).")
  private @Nullable String grid;

  @Option(names = "--write", description = "The ranks write; otherwise they read.")
  private boolean write;

  @Option(
      names = "--strategy",
      paramLabel = "NAME",
      description =
          "Use this strategy: direct, sieved, two-phase, extended-two-phase, disk-directed or auto"
              + " (default: auto).")
  private @Nullable String strategy;

  @Option(
      names = "--hint",
      paramLabel = "KEY=VALUE",
      description = "A hint by its name, as cb_nodes=4 or cb_buffer_size=16M. May be repeated.")
  private Map<String, String> hints = new LinkedHashMap<>();

  @Option(names = "--cold", description = "Assume that nothing is cached; otherwise everything is.")
  private boolean cold;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the answer to FILE as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--svg",
      paramLabel = "FILE",
      description = "Draw requests and transfers into FILE, for arrays of two dimensions.")
  private @Nullable Path svg;

  @Override
  public Integer call() throws IOException {
    Hints all;
    Geometry array;
    Explanation explanation;
    @Nullable String picture;
    try {
      all = hints();
      array =
          new Geometry(
              Requests.shape(shape, order()),
              Math.toIntExact(Requests.size("--element", element)),
              "0".equals(start.strip()) ? 0 : Requests.size("--start", start));
      explanation = Explanation.of(request(array), all, costs(), true);
      picture = svg == null ? null : PlanPicture.svg(explanation.planned(), array);
    } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    spec.commandLine().getOut().print(ExplanationText.of(explanation));
    spec.commandLine().getOut().flush();
    for (String unknown : RomioHints.unknownKeys(hints)) {
      spec.commandLine().getErr().println("millrace: hint " + unknown + " is unknown and ignored");
    }
    if (json != null) {
      Files.writeString(json, ExplanationJson.of(explanation));
    }
    if (svg != null && picture != null) {
      Files.writeString(svg, picture);
    }
    return ExitCode.OK;
  }

  private Hints hints() {
    Hints named = RomioHints.parse(hints);
    return strategy == null ? named : named.withStrategy(Strategy.parse(strategy));
  }

  private Order order() {
    return switch (order) {
      case "F", "f" -> Order.COLUMN_MAJOR;
      case "C", "c" -> Order.ROW_MAJOR;
      default ->
          throw new IllegalArgumentException("--order " + order + ": use F (columns) or C (rows)");
    };
  }

  private Costs costs() {
    return cold ? Costs.DEFAULT.withMissFraction(1) : Costs.DEFAULT;
  }

  private Request request(Geometry array) {
    if (ranks < 1 || nodes < 1) {
      throw new IllegalArgumentException(
          "--ranks %s --nodes %s: both must be at least 1".formatted(ranks, nodes));
    }
    if (grid != null && wanted.distribution == null) {
      throw new IllegalArgumentException("--grid is for --dist only");
    }
    Requests requests = new Requests(array, ranks);
    List<Access> accesses;
    if (wanted.distribution != null) {
      accesses = requests.distributed(wanted.distribution, grid);
    } else if (wanted.overlap != null) {
      accesses = requests.moved("--overlap", wanted.overlap);
    } else {
      accesses = requests.moved("--section", String.valueOf(wanted.section));
    }
    int blockBytes = Layout.requireBlockBytes(Requests.size("--block-size", blockSize));
    Layout layout =
        Layout.striped(Requests.size("--stripe", stripe), nodes).withBlockBytes(blockBytes);
    return new Request(write, layout, accesses, Optional.of(array));
  }
}
