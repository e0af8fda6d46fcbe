package org.millrace.sim.passion;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.cluster.ClusterTopology;
import org.millrace.env.Env;
import org.millrace.layout.StrandRuns;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.sim.disk.SimDisk;

/**
 * A machine whose nodes read the disk for each block of each request, as if they had no cache;
 * hints do not help them. The nodes below must have disks that take no time; the time of the given
 * disks is added here.
 *
 * <p>For threads of one seeded environment.
 *
 * @param machine what it is otherwise
 * @param disks the nodes' disks, in order; a disk has a strand of one file
 */
record Rereading(ClusterTopology machine, List<SimDisk> disks) implements ClusterTopology {

  @Override
  public Env coordinator() {
    return machine.coordinator();
  }

  @Override
  public Env node(int number) {
    return machine.node(number);
  }

  @Override
  public Env rank(int number) {
    return machine.rank(number);
  }

  @Override
  public Link link(Env from, Env to, Peer peer, Endpoint endpoint) {
    return machine.link(from, to, peer, new Reader(endpoint));
  }

  private void read(StrandId strand, long from, long to) {
    String file = "%016x-%s.strand".formatted(strand.file(), strand.strand());
    MemorySegment block = MemorySegment.ofArray(new byte[Delta.BLOCK]);
    try {
      for (SimDisk disk : disks) {
        if (disk.exists(file)) {
          for (long at = from - from % Delta.BLOCK; at < to; at += Delta.BLOCK) {
            disk.open(file).read(at, block);
          }
          return;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalStateException("no disk has " + file);
  }

  /** What can be reached at a host; only nodes are asked for strands. */
  private final class Reader implements Endpoint {

    private final Endpoint endpoint;

    Reader(Endpoint endpoint) {
      this.endpoint = endpoint;
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      if (request instanceof NodeRequest.Gather gather) {
        StrandRuns runs = new StrandRuns();
        runs.reset(
            gather.layout(),
            gather.strand().strand(),
            gather.access().view(),
            gather.access().from(),
            gather.access().to());
        while (runs.next()) {
          for (long i = 0; i < runs.count(); i++) {
            long at = runs.offset() + i * runs.stride();
            read(gather.strand(), at, at + runs.length());
          }
        }
      }
      endpoint.onRequest(from, request, payload, replyTo);
    }

    @Override
    public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
        throws IOException {
      read(StrandId.ofKey(key), offset, offset + length);
      return endpoint.onGet(from, key, offset, into, at, length);
    }

    @Override
    public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
        throws IOException {
      endpoint.onPut(from, key, offset, source, at, length);
    }

    @Override
    public long onAdvance(Peer from, long key, long delta, long floor, long limit)
        throws IOException {
      return endpoint.onAdvance(from, key, delta, floor, limit);
    }

    @Override
    public void onSessionEnd(Peer from, String why) {
      endpoint.onSessionEnd(from, why);
    }
  }
}
