/** The {@code millrace} command and its examples. */
module org.millrace.cli {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires info.picocli;
  requires java.desktop;
  requires java.logging;
  requires java.management;
  requires java.xml;
  requires jdk.jfr;
  requires jdk.management;
  requires org.millrace.bench;
  requires org.millrace.core;
  requires org.millrace.heritage;
  requires org.millrace.mount;
  requires org.millrace.output;
  requires org.millrace.server;
  requires org.millrace.sim;

  opens org.millrace.cli to
      info.picocli;
  opens org.millrace.cli.bench to
      info.picocli;
  opens org.millrace.cli.campaign to
      info.picocli;
  opens org.millrace.cli.cluster to
      info.picocli;
  opens org.millrace.cli.conformance to
      info.picocli;
  opens org.millrace.cli.console to
      info.picocli;
  opens org.millrace.cli.daemons to
      info.picocli;
  opens org.millrace.cli.doctor to
      info.picocli;
  opens org.millrace.cli.explain to
      info.picocli;
  opens org.millrace.cli.files to
      info.picocli;
  opens org.millrace.cli.judge to
      info.picocli;
  opens org.millrace.cli.keys to
      info.picocli;
  opens org.millrace.cli.mount to
      info.picocli;
  opens org.millrace.cli.pfsd to
      info.picocli;
  opens org.millrace.cli.run to
      info.picocli;
  opens org.millrace.cli.serve to
      info.picocli;
  opens org.millrace.cli.sim to
      info.picocli;
  opens org.millrace.cli.terminal to
      info.picocli;
  opens org.millrace.cli.trace to
      info.picocli;
}
