package org.millrace.hadoop;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;
import org.millrace.files.Striping;

/**
 * Where the blocks lie that Hadoop takes a file for: each has the hosts of the strands that it is
 * on, those with the most bytes first. Pure.
 *
 * @param striping of the file
 * @param blockBytes how large a block is
 * @param here this host's name
 */
record BlockPlaces(Striping striping, long blockBytes, String here) {

  /** Those blocks of a file of the given size that a range touches. */
  BlockLocation[] of(long size, long start, long length) {
    long end = Math.min(size, length > Long.MAX_VALUE - start ? Long.MAX_VALUE : start + length);
    List<BlockLocation> all = new ArrayList<>();
    for (long at = start / blockBytes * blockBytes; at < end; at += blockBytes) {
      long bytes = Math.min(blockBytes, size - at);
      String[] hosts = striping.bytesByHost(at, bytes, here).keySet().toArray(String[]::new);
      all.add(new BlockLocation(hosts, hosts, at, bytes));
    }
    return all.toArray(BlockLocation[]::new);
  }
}
