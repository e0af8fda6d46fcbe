package org.millrace.mount;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;

/**
 * A program of another process that keeps files open and maps them, step by step as it is told. A
 * map must not be touched by the JVM that serves the mount: it would wait for itself.
 *
 * <p>For one thread. Closing ends the process.
 */
final class PythonFiles implements AutoCloseable {

  private static final String PROGRAM =
      """
      import fcntl, mmap, os, sys
      files, maps = {}, {}
      for line in sys.stdin:
          what, name, *rest = line.split()
          said = 'done'
          try:
              if what == 'open': files[name] = os.open(rest[0], eval(rest[1], vars(os)))
              elif what == 'close': os.close(files.pop(name))
              elif what == 'read': said = '=' + os.pread(files[name], int(rest[1]), int(rest[0])).decode()
              elif what == 'write': os.pwrite(files[name], rest[1].encode(), int(rest[0]))
              elif what == 'append': os.write(files[name], rest[0].encode())
              elif what == 'size': said = str(os.fstat(files[name]).st_size)
              elif what == 'truncate': os.ftruncate(files[name], int(rest[0]))
              elif what == 'allocate': os.posix_fallocate(files[name], int(rest[0]), int(rest[1]))
              elif what == 'copy': os.copy_file_range(files[name], files[rest[1]], int(rest[3]), int(rest[0]), int(rest[2]))
              elif what == 'lock': fcntl.lockf(files[name], fcntl.LOCK_EX)
              elif what == 'unlock': fcntl.lockf(files[name], fcntl.LOCK_UN)
              elif what == 'sync': os.fsync(files[name])
              elif what == 'map': maps[name] = mmap.mmap(files[name], int(rest[0]))
              elif what == 'mapread': maps[name] = mmap.mmap(files[name], int(rest[0]), access=mmap.ACCESS_READ)
              elif what == 'get': said = '=' + maps[name][int(rest[0]):int(rest[0]) + int(rest[1])].decode()
              elif what == 'put': maps[name][int(rest[0]):int(rest[0]) + len(rest[1])] = rest[1].encode()
              elif what == 'unmap': maps.pop(name).close()
              else: said = 'cannot ' + what
          except OSError as e: said = 'error ' + str(e)
          print(said, flush=True)
      """;

  private final Process process;
  private final PrintWriter to;
  private final BufferedReader from;

  PythonFiles(Path folder) throws IOException {
    process =
        new ProcessBuilder("python3", "-c", PROGRAM)
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    to = new PrintWriter(process.outputWriter(), true);
    from = process.inputReader();
  }

  /** One step; returns what came of it. */
  String does(String step) throws IOException {
    to.println(step);
    String said = from.readLine();
    if (said == null) {
      throw new IOException("python3 has ended at: " + step);
    }
    if (said.startsWith("error") || said.startsWith("cannot")) {
      throw new IOException(said + " at: " + step);
    }
    return said;
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
