package org.millrace.scenario;

import org.junit.jupiter.api.Nested;

/** The scenarios, under the seeded scheduler. */
final class ScenariosSeededTest {

  private static final int SEEDS = 10;

  @Nested
  final class Pointers extends PointerCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }
  }

  @Nested
  final class Views extends ViewCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS / 2);
    }
  }

  @Nested
  final class MemoryTypes extends MemoryTypeCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }
  }

  @Nested
  final class LargeViews extends LargeViewCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(2);
    }
  }

  @Nested
  final class Properties extends PropertyCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }

    @Override
    int seeds() {
      return 40;
    }
  }

  @Nested
  final class Atomicity extends AtomicityCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }

    @Override
    int rounds() {
      return 4;
    }
  }

  @Nested
  final class Striping extends StripingCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(2);
    }
  }

  @Nested
  final class BlockSizes extends BlockSizeCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(2);
    }
  }

  @Nested
  final class Arrays extends ArrayCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }
  }

  @Nested
  final class PfsModes extends PfsModeCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }
  }

  @Nested
  final class MixedCalls extends MixedCallCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }
  }

  @Nested
  final class SharedFlushes extends SharedFlushCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }
  }

  @Nested
  final class SparseDirected extends SparseDirectedCases {
    @Override
    Worlds worlds() {
      return new SeededWorlds(SEEDS);
    }
  }
}
