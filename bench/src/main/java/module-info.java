/** Measurements, as ratios to limits measured in the same run, for the command. */
@SuppressWarnings("module") // the command is compiled after this module
module org.millrace.bench {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires java.management;
  requires jdk.jfr;
  requires jdk.management;
  requires org.millrace.core;
  requires org.millrace.heritage;
  requires org.millrace.output;

  exports org.millrace.bench.grid to
      org.millrace.cli;
  exports org.millrace.bench.measure to
      org.millrace.cli;
  exports org.millrace.bench.micro to
      org.millrace.cli;
  exports org.millrace.bench.papers to
      org.millrace.cli;
  exports org.millrace.bench.peers to
      org.millrace.cli;
  exports org.millrace.bench.processes to
      org.millrace.cli;
  exports org.millrace.bench.report to
      org.millrace.cli;
}
