/** The files of a cluster over HTTP. */
@SuppressWarnings("module") // the command is compiled after this module
module org.millrace.server {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive jdk.httpserver;
  requires transitive org.millrace.core;
  requires org.millrace.output;

  exports org.millrace.server to
      org.millrace.cli;
}
