/** A cluster's files as a directory of Linux. */
@SuppressWarnings("module") // the command is compiled after this module
module org.millrace.mount {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive org.millrace.core;

  exports org.millrace.mount to
      org.millrace.cli;
}
