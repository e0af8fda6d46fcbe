package org.millrace.cli.judge;

import java.util.List;

/**
 * A program of others, run in an empty folder of a mount. Immutable.
 *
 * @param name what the table calls it
 * @param needs a script that succeeds if what it needs is there
 * @param missing what to do if not
 * @param script for bash; it succeeds if the program is content. {@code $1} is the first argument
 * @param arguments of both scripts
 */
record Trial(String name, String needs, String missing, String script, List<String> arguments) {

  Trial {
    arguments = List.copyOf(arguments);
  }

  /** A program of a package of Debian. */
  static Trial installed(String name, String program, String script, String... arguments) {
    return new Trial(
        name,
        "command -v " + program,
        program + " is not installed: apt-get install " + program,
        script,
        List.of(arguments));
  }

  /** A program for the first Python that has a module; Debian's may not be the first of all. */
  static Trial python(String name, String module, String script) {
    String find =
        "for p in python3 /usr/bin/python3; do if $p -c 'import %s'; then break; fi; p=; done; "
            .formatted(module);
    return new Trial(
        name,
        find + "test -n \"$p\"",
        "Python has no " + module + ": apt-get install python3-" + module,
        find + "$p - <<'end'\n" + script + "end\n",
        List.of());
  }
}
