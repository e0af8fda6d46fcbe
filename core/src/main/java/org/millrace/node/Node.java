package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.millrace.cache.BlockCache;
import org.millrace.cache.CachedStrand;
import org.millrace.disk.Disk;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.StrandRuns;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * A server that owns one disk and a share of cache memory, and serves the strands on it. Requests run on their senders'
 * threads; only file I/O is done by the node's own.
 *
 * <p>Safe for use by several threads. Closing makes everything durable; idempotent.
 */
public final class Node implements Endpoint, AutoCloseable {

  private static final NodeReply DONE = new NodeReply.Done();

  // constant after construction
  private final Env env;
  private final String name;
  private final BlockCache cache;
  private final OpenStrands strands;

  /** Serves what is on {@code disk}, which stays the caller's to close after this node. */
  public Node(Env env, String name, Disk disk, NodeOptions options) {
    this.env = env;
    this.name = name;
    this.cache = new BlockCache(env, name, options.cache());
    this.strands = new OpenStrands(env, name, disk, cache, options);
  }

  @Override
  public void onRequest(Peer from, Message request, MemorySegment payload, ReplyTo replyTo) {
    env.charge(Work.MESSAGE, 1);
    try {
      if (!(request instanceof NodeRequest known)) {
        throw new MillraceException(ErrorCode.PROTOCOL, name + " does not serve " + request);
      }
      replyTo.reply(handle(known, payload));
    } catch (IOException e) {
      replyTo.fail(named(e));
    } catch (RuntimeException e) {
      replyTo.fail(new MillraceException(ErrorCode.INVALID, name + ": " + e, e));
    }
  }

  private MillraceException named(IOException e) {
    MillraceException m = MillraceException.wrap(ErrorCode.DISK, e);
    MillraceException named = MillraceException.of(m.code(), name + ": " + m.getMessage());
    named.initCause(e);
    return named;
  }

  private NodeReply handle(NodeRequest request, MemorySegment payload) throws IOException {
    switch (request) {
      case NodeRequest.Create(StrandId id) -> strands.create(id);
      case NodeRequest.Remove(StrandId id) -> strands.remove(id);
      case NodeRequest.Size(StrandId id) -> {
        return new NodeReply.Count(strand(id).end());
      }
      case NodeRequest.Resize(StrandId id, long end) -> strand(id).resize(end);
      case NodeRequest.Preallocate(StrandId id, long end) -> strand(id).preallocate(end);
      case NodeRequest.Flush(StrandId id) -> strand(id).flush();
      case NodeRequest.Preload(StrandId id, long offset) ->
          strand(id).preload(offset / org.millrace.disk.BlockStore.BLOCK_BYTES);
      case NodeRequest.Gather gather -> gather(gather, payload);
      case NodeRequest.Scatter scatter -> scatter(scatter, payload);
      case NodeRequest.SetCacheBytes(long bytes) -> {
        return new NodeReply.Count(cache.setBytes(bytes));
      }
      case NodeRequest.AskReport() -> {
        return new NodeReply.Report(counters());
      }
    }
    return DONE;
  }

  private CachedStrand strand(StrandId id) throws IOException {
    return strands.get(id.key());
  }

  private void gather(NodeRequest.Gather g, MemorySegment payload) throws IOException {
    CachedStrand strand = strand(g.strand());
    StrandRuns runs = StrandRuns.of(g.layout(), g.strand().strand(), g.view(), g.from(), g.to());
    while (runs.next()) {
      long at = runs.position() - g.from();
      strand.gather(runs.offset(), runs.length(), runs.stride(), runs.count(), payload, at);
    }
  }

  private void scatter(NodeRequest.Scatter s, MemorySegment payload) throws IOException {
    CachedStrand strand = strand(s.strand());
    StrandRuns runs = StrandRuns.of(s.layout(), s.strand().strand(), s.view(), s.from(), s.to());
    while (runs.next()) {
      long at = runs.position() - s.from();
      strand.scatter(runs.offset(), runs.length(), runs.stride(), runs.count(), payload, at);
    }
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    env.charge(Work.MESSAGE, 1);
    try {
      return strands.get(key).read(offset, into, at, length);
    } catch (IOException e) {
      throw named(e);
    }
  }

  @Override
  public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    env.charge(Work.MESSAGE, 1);
    try {
      strands.get(key).write(offset, source, at, length);
    } catch (IOException e) {
      throw named(e);
    }
  }

  @Override
  public void onHint(Peer from, long key, long offset, long length) {
    strands.hint(key, offset, length);
  }

  private Map<String, Long> counters() {
    return cache.report().counters();
  }

  /** Makes everything durable and ends. */
  @Override
  public void close() throws IOException {
    try {
      strands.close();
    } finally {
      cache.close();
    }
  }
}
