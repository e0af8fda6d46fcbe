package org.millrace.scenario;

import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The scenarios, on real files. */
final class ScenariosOnFilesTest {

  @TempDir static Path directory;

  @Nested
  final class Pointers extends PointerCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }

  @Nested
  final class Views extends ViewCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }

  @Nested
  final class MemoryTypes extends MemoryTypeCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }

  @Nested
  final class LargeViews extends LargeViewCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }

  @Nested
  final class Properties extends PropertyCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }

    @Override
    int seeds() {
      return 8;
    }
  }

  @Nested
  final class Atomicity extends AtomicityCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }

    @Override
    int rounds() {
      return 15;
    }
  }

  @Nested
  final class Striping extends StripingCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }

  @Nested
  final class BlockSizes extends BlockSizeCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }

  @Nested
  final class Arrays extends ArrayCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }

  @Nested
  final class PfsModes extends PfsModeCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }

  @Nested
  final class MixedCalls extends MixedCallCases {
    @Override
    Worlds worlds() {
      return new FileWorlds(directory);
    }
  }
}
