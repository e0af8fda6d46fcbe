package org.millrace.hadoop;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes a stream has read, and with it its file system. Safe for use by several threads.
 *
 * @param store the stream's
 * @param all the file system's, if it counts
 */
record ReadCounts(IOStatisticsStore store, FileSystem.@Nullable Statistics all) {

  static ReadCounts of(FileSystem.@Nullable Statistics all) {
    return new ReadCounts(
        IOStatisticsBinding.iostatisticsStore()
            .withCounters(StreamStatisticNames.STREAM_READ_BYTES)
            .build(),
        all);
  }

  void add(long bytes) {
    store.incrementCounter(StreamStatisticNames.STREAM_READ_BYTES, bytes);
    if (all != null) {
      all.incrementBytesRead(bytes);
    }
  }
}
