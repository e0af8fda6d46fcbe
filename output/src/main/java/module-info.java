/** How results are shown: JSON, tables, charts and pages, for our other modules. */
@SuppressWarnings("module") // our other modules are compiled after this one
module org.millrace.output {
  requires static org.jspecify;

  exports org.millrace.output to
      org.millrace.bench,
      org.millrace.cli,
      org.millrace.heritage,
      org.millrace.server,
      org.millrace.sim;
}
