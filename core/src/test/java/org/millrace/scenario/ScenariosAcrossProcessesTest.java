package org.millrace.scenario;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.Seeds;

/**
 * The scenarios, with coordinator and nodes in other processes, however these are talked to. What
 * depends little on where nodes are is not part of every build.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the parameters
final class ScenariosAcrossProcessesTest {

  @TempDir static Path directory;

  private static ServerHosts hosts;

  @BeforeAll
  static void start() {
    hosts = new ServerHosts();
  }

  @AfterAll
  static void end() throws IOException {
    hosts.close();
  }

  /** Shared memory, and in a campaign sockets, too. */
  static Stream<Talk> few() {
    return Seeds.CAMPAIGN > 1
        ? Stream.of(Talk.SHARED_MEMORY, Talk.SOCKETS)
        : Stream.of(Talk.SHARED_MEMORY);
  }

  private static Worlds over(Talk talk) {
    List<Worlds.Build> all = List.of(new Worlds.Build(3, 7), new Worlds.Build(1, 64 << 10));
    boolean few = talk != Talk.SHARED_MEMORY && Seeds.CAMPAIGN == 1;
    List<Worlds.Build> builds = few ? all.subList(0, 1) : all;
    return new ProcessWorlds(hosts, directory, talk, builds, options -> options);
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = {"SHARED_MEMORY", "TCP"})
  final class Pointers extends PointerCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = {"SHARED_MEMORY", "SOCKETS"})
  final class Views extends ViewCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @EnumSource(names = "SHARED_MEMORY")
  final class MemoryTypes extends MemoryTypeCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @EnumSource(names = "SHARED_MEMORY")
  final class LargeViews extends LargeViewCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @EnumSource(names = "SHARED_MEMORY")
  final class Properties extends PropertyCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }

    @Override
    int seeds() {
      return 2;
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = "SHARED_MEMORY")
  final class Atomicity extends AtomicityCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }

    @Override
    int rounds() {
      return 8;
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = "SHARED_MEMORY")
  final class Striping extends StripingCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @EnumSource(names = "SHARED_MEMORY")
  final class BlockSizes extends BlockSizeCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @EnumSource(names = "SHARED_MEMORY")
  final class Arrays extends ArrayCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @ParameterizedClass
  @MethodSource("org.millrace.scenario.ScenariosAcrossProcessesTest#few")
  final class PfsModes extends PfsModeCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @ParameterizedClass
  @MethodSource("org.millrace.scenario.ScenariosAcrossProcessesTest#few")
  final class MixedCalls extends MixedCallCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @EnumSource(names = "SHARED_MEMORY")
  final class SharedFlushes extends SharedFlushCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }

  @Nested
  @ParameterizedClass
  @MethodSource("org.millrace.scenario.ScenariosAcrossProcessesTest#few")
  final class SparseDirected extends SparseDirectedCases {

    @Parameter Talk talk;

    @Override
    Worlds worlds() {
      return over(talk);
    }
  }
}
