package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.heritage.testing.Programs;
import org.millrace.testing.Seeds;

/**
 * Random programs of nested datatypes, views, pointers and pending accesses against a model in a
 * single process. Each seed is a program; a failure prints it.
 */
final class MpiioRandomProgramsTest {

  @TempDir private Path directory;

  static LongStream seeds() {
    return Arrays.stream(Seeds.of(25));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aProgramDoesWhatTheModelSays(long seed) throws IOException {
    Random random = new Random(seed);
    int ranks = 1 + random.nextInt(4);
    int nodes = 1 + random.nextInt(3);
    long program = random.nextLong();
    try {
      Programs.run(directory, ranks, nodes, rank -> new MpiioRandomProgram(rank, program).run());
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError("%d ranks, %s".formatted(ranks, Seeds.replay(seed)), e);
    }
  }

  /** The model would find it: a program that writes one byte more than the model knows of. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aModelThatDiffersIsNoticed(long seed) {
    Random random = new Random(seed);
    var all = List.of(ProgramModel.Representation.values());
    var representation = all.get(random.nextInt(all.size()));
    RandomShape etype = RandomShape.basic(random, representation);
    RandomShape shape = etype.derived(random, 2, true, true);
    ProgramModel one = new ProgramModel(1, representation);
    ProgramModel other = new ProgramModel(1, representation);
    one.view(0, shape.seen(1));
    other.view(0, shape.seen(2));
    byte[] memory = new byte[1 << 12];
    Arrays.fill(memory, (byte) 1);
    one.write(0, 0, memory, etype.memory());
    other.write(0, 0, memory, etype.memory());
    assertThat(one.bytes).as(Seeds.replay(seed)).isNotEqualTo(other.bytes);
  }
}
