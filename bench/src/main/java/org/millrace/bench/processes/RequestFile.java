package org.millrace.bench.processes;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.heritage.dio.Dio;
import org.millrace.heritage.dio.DioHandle;

/**
 * A new file on one node, read and written by requests that are waited for. Belongs to the rank's
 * thread. Closing closes the file.
 */
interface RequestFile extends AutoCloseable {

  /** Fills {@code into} from {@code at} on. */
  void read(long at, MemorySegment into) throws IOException;

  /** Writes all of {@code from} at {@code at}. */
  void write(long at, MemorySegment from) throws IOException;

  /** Returns when all that was written is durable. */
  void flush() throws IOException;

  @Override
  void close() throws IOException;

  /** Through Millrace's own interface. */
  static RequestFile shared(Rank rank, String name) throws IOException {
    SharedFile file = rank.open(name, OpenOptions.create().withStrands(1));
    return new RequestFile() {
      @Override
      public void read(long at, MemorySegment into) throws IOException {
        file.at(at).read(into);
      }

      @Override
      public void write(long at, MemorySegment from) throws IOException {
        file.at(at).write(from);
      }

      @Override
      public void flush() throws IOException {
        file.flush();
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  /**
   * Through Distant I/O: the component of home processor 0. What was written is durable when the
   * file is deregistered; there is no other call for it.
   */
  static RequestFile dio(Rank rank, String name) throws IOException {
    Dio dio = new Dio(rank);
    return new RequestFile() {
      private DioHandle handle = dio.dio_create(name, 64 << 10);

      @Override
      public void read(long at, MemorySegment into) throws IOException {
        dio.dio_read(handle, at, into, into.byteSize(), 0);
      }

      @Override
      public void write(long at, MemorySegment from) throws IOException {
        dio.dio_write(handle, at, from, from.byteSize(), 0);
      }

      @Override
      public void flush() throws IOException {
        dio.dio_deregister(handle);
        handle = dio.dio_register(name);
      }

      @Override
      public void close() throws IOException {
        dio.dio_deregister(handle);
      }
    };
  }
}
