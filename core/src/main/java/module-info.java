/**
 * The parallel file system. Programs see the packages that are exported to all; the rest is reached
 * by Millrace's own modules only. {@link org.millrace.Millrace} is where to start.
 */
@SuppressWarnings("module") // our other modules are compiled after this one
module org.millrace.core {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires java.management;
  requires java.naming;
  requires static jdk.jfr; // without it there are no events
  requires jdk.management;
  requires jdk.net;

  uses org.millrace.array.zarr.ByteCodec.Provider;
  uses org.millrace.daemon.Replication;

  provides java.nio.file.spi.FileSystemProvider with
      org.millrace.nio.MillraceFileSystemProvider;

  exports org.millrace;
  exports org.millrace.access;
  exports org.millrace.array;
  exports org.millrace.array.zarr;
  exports org.millrace.client;
  exports org.millrace.error;
  exports org.millrace.files;
  exports org.millrace.launch;
  exports org.millrace.layout;
  exports org.millrace.nio;
  exports org.millrace.plan;
  exports org.millrace.access.copy to
      org.millrace.cli;
  exports org.millrace.access.group to
      org.millrace.sim;
  exports org.millrace.cache to
      org.millrace.sim;
  exports org.millrace.cluster to
      org.millrace.bench,
      org.millrace.cli,
      org.millrace.sim;
  exports org.millrace.coordinator to
      org.millrace.sim;
  exports org.millrace.daemon to
      org.millrace.bench,
      org.millrace.cli,
      org.millrace.sim;
  exports org.millrace.disk to
      org.millrace.cli,
      org.millrace.sim;
  exports org.millrace.env to
      org.millrace.bench,
      org.millrace.cli,
      org.millrace.heritage,
      org.millrace.mount,
      org.millrace.server,
      org.millrace.sim;
  exports org.millrace.launch.process to
      org.millrace.bench,
      org.millrace.cli,
      org.millrace.sim;
  exports org.millrace.message to
      org.millrace.bench,
      org.millrace.cli,
      org.millrace.sim;
  exports org.millrace.node to
      org.millrace.sim;
  exports org.millrace.plan.collective to
      org.millrace.cli,
      org.millrace.sim;
  exports org.millrace.protocol to
      org.millrace.cli,
      org.millrace.sim;
  exports org.millrace.wire to
      org.millrace.bench,
      org.millrace.cli,
      org.millrace.server,
      org.millrace.sim;
}
