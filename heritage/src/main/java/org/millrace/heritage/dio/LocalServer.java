package org.millrace.heritage.dio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.client.Received;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.dio.LocalMessage.Kind;
import org.millrace.heritage.elio.PlainFile;

/**
 * The thread by which a rank serves its local file to the others, whatever the rank itself does
 * meanwhile. It handles one request after the other, with one buffer, as the paper's completion
 * handler does. It ends when it is told to, or when no other rank is left.
 */
final class LocalServer {

  // constant after construction
  private final Rank group;
  private final @Nullable PlainFile file;

  // the server's thread
  private final byte[] buffer = new byte[LocalMessage.PIECE];

  LocalServer(Rank group, @Nullable PlainFile file) {
    this.group = group;
    this.file = file;
  }

  void start() {
    if (group.size() > 1) {
      Env.real().start(ThreadKind.SERVICE, "local file of " + group, this::serve);
    }
  }

  /** Ends it; what came before is served first. */
  void stop() throws IOException {
    if (group.size() > 1) {
      byte[] last = LocalMessage.of(Kind.STOP, 0, 0, 0).encode();
      group.send(group.number(), LocalMessage.REQUEST, last);
    }
  }

  static PlainFile require(Rank group, @Nullable PlainFile file) throws NoSuchNameException {
    if (file == null) {
      throw new NoSuchNameException("processor " + group.number() + " registered no file");
    }
    return file;
  }

  private void serve() {
    boolean goesOn = true;
    while (goesOn) {
      goesOn = servesOne();
    }
  }

  private boolean servesOne() {
    try {
      Received message = group.receive(Rank.ANY, LocalMessage.REQUEST);
      LocalMessage request = LocalMessage.decode(message.bytes());
      if (request.kind() == Kind.STOP) {
        return false;
      }
      group.send(message.from(), request.replyTag(), answer(request));
      return true;
    } catch (DeadlineException e) {
      return true; // nobody asked for a while, or an asking rank has stopped to wait
    } catch (IOException e) {
      return false; // nobody is left to serve
    }
  }

  private byte[] answer(LocalMessage request) {
    try {
      PlainFile served = require(group, file);
      return switch (request.kind()) {
        case READ -> {
          int bytes = Math.clamp(request.bytes(), 0, buffer.length);
          MemorySegment into = MemorySegment.ofArray(buffer).asSlice(0, bytes);
          yield LocalMessage.success(buffer, (int) served.read(request.offset(), into).await());
        }
        case WRITE ->
            LocalMessage.success(
                served.write(request.offset(), MemorySegment.ofArray(request.data())).await());
        case SIZE -> LocalMessage.success(served.size());
        case EXTEND -> {
          served.extend(request.bytes());
          yield LocalMessage.success(request.bytes());
        }
        case STOP -> throw new IllegalStateException("not to be answered");
      };
    } catch (IOException e) {
      return LocalMessage.failure(MillraceException.wrap(ErrorCode.DISK, e));
    }
  }
}
