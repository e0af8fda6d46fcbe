package org.millrace.disk;

import java.io.IOException;

/**
 * What somebody beside a strand's own files remembers of it, so that older copies of these files
 * are told from the last ones. Safe for use by several threads.
 */
public interface StrandMemory {

  /** Nothing is remembered. */
  StrandMemory NONE =
      new StrandMemory() {
        @Override
        public long generation(StrandKey strand) {
          return 0;
        }

        @Override
        public void onFound(StrandKey strand, long generation) {}

        @Override
        public void onDurable(StrandKey strand, long generation) {}

        @Override
        public void onRemoved(StrandKey strand) {}
      };

  /** The highest generation that the strand was seen to have; 0 if it is not known. */
  long generation(StrandKey strand);

  /** The strand is being opened, and has this generation. */
  void onFound(StrandKey strand, long generation) throws IOException;

  /**
   * The strand has reached a generation, durably. Must not take long, but for the first time: it is
   * told at each flush.
   */
  void onDurable(StrandKey strand, long generation) throws IOException;

  /** The strand is removed on purpose. */
  void onRemoved(StrandKey strand) throws IOException;
}
