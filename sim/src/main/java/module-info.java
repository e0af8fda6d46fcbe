/** The real code in simulated time, on simulated disks and networks, for the command. */
@SuppressWarnings("module") // the command is compiled after this module
module org.millrace.sim {
  requires static org.jspecify;
  requires org.millrace.core;
  requires org.millrace.output;

  exports org.millrace.sim.hunt to
      org.millrace.cli;
  exports org.millrace.sim.kotz to
      org.millrace.cli;
  exports org.millrace.sim.passion to
      org.millrace.cli;
  exports org.millrace.sim.rot to
      org.millrace.cli;
  exports org.millrace.sim.scale to
      org.millrace.cli;
}
