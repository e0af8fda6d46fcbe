package org.millrace.scenario;

import org.junit.jupiter.api.Nested;

/** The scenarios, over disks in memory, with real threads. */
final class ScenariosInMemoryTest {

  @Nested
  final class Pointers extends PointerCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class Views extends ViewCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class MemoryTypes extends MemoryTypeCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class LargeViews extends LargeViewCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class Properties extends PropertyCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
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
      return new MemoryWorlds();
    }

    @Override
    int rounds() {
      return 40;
    }
  }

  @Nested
  final class Striping extends StripingCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class BlockSizes extends BlockSizeCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class Arrays extends ArrayCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class PfsModes extends PfsModeCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class MixedCalls extends MixedCallCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class SharedFlushes extends SharedFlushCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }

  @Nested
  final class SparseDirected extends SparseDirectedCases {
    @Override
    Worlds worlds() {
      return new MemoryWorlds();
    }
  }
}
