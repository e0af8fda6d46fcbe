package org.millrace.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.grid.Workload.Loop;
import org.millrace.bench.grid.Workload.Part;

/**
 * What the C program shall do, as the text it reads; the grammar stands at its top. Immutable.
 *
 * @param ranks how many there are
 * @param entries workloads and what to do with them, in this order
 */
record WorkloadFile(int ranks, List<Entry> entries) {

  private static final String FIRST_LINE = "millrace-workloads 1";

  /**
   * A workload and its cases.
   *
   * @param number by which the cases name it
   * @param fileBytes how much of the data file belongs to it
   * @param parts what each rank wants, by rank
   * @param cases what to do with it
   */
  record Entry(int number, long fileBytes, List<Part> parts, List<PeerCase> cases) {

    Entry {
      parts = List.copyOf(parts);
      cases = List.copyOf(cases);
    }
  }

  WorkloadFile {
    entries = List.copyOf(entries);
    for (Entry entry : entries) {
      if (entry.parts.size() != ranks) {
        throw new IllegalArgumentException(
            entry.parts.size() + " parts for " + ranks + " ranks in workload " + entry.number);
      }
    }
  }

  /** The workloads that the cases name, each once, with its cases. */
  static WorkloadFile of(int ranks, List<Workload> workloads, List<PeerCase> cases) {
    Map<Integer, List<PeerCase>> byWorkload =
        cases.stream()
            .collect(Collectors.groupingBy(PeerCase::workload, TreeMap::new, Collectors.toList()));
    List<Entry> entries = new ArrayList<>();
    byWorkload.forEach(
        (number, own) -> {
          Workload workload = workloads.get(number);
          List<Part> parts = workload.parts().stream().map(Part::plain).toList();
          entries.add(new Entry(number, workload.fileBytes(), parts, own));
        });
    return new WorkloadFile(ranks, entries);
  }

  /** All cases, in the order in which they run. */
  List<PeerCase> cases() {
    return entries.stream().flatMap(entry -> entry.cases.stream()).toList();
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append(FIRST_LINE).append("\nranks ").append(ranks).append('\n');
    for (Entry entry : entries) {
      text.append("workload %s %s\n".formatted(entry.number, entry.fileBytes));
      entry.parts.forEach(part -> text.append(line(part)));
      entry.cases.forEach(one -> text.append(line(one)));
    }
    return text.append("end\n").toString();
  }

  private static String line(Part part) {
    String loops =
        part.loops().stream()
            .map(loop -> " " + loop.count() + ":" + loop.stride())
            .collect(Collectors.joining());
    return "part " + part.offset() + " " + part.runBytes() + loops + "\n";
  }

  private static String line(PeerCase one) {
    return "case %s %s %s %s %s\n"
        .formatted(one.op(), one.method(), one.laps(), one.budgetMillis(), one.limitMillis());
  }

  /** Reads what {@link #text} wrote; throws IllegalArgumentException if it did not. */
  static WorkloadFile parse(String text) {
    List<String> lines = text.lines().toList();
    if (lines.size() < 3 || !lines.getFirst().equals(FIRST_LINE)) {
      throw new IllegalArgumentException("must begin with " + FIRST_LINE);
    }
    if (!lines.getLast().equals("end")) {
      throw new IllegalArgumentException("must end with end, not with " + lines.getLast());
    }
    int ranks = Integer.parseInt(words(lines.get(1), "ranks", 2)[1]);
    List<Entry> entries = new ArrayList<>();
    int at = 2;
    while (at < lines.size() - 1) {
      String[] head = words(lines.get(at++), "workload", 3);
      int number = Integer.parseInt(head[1]);
      List<Part> parts = new ArrayList<>();
      while (lines.get(at).startsWith("part ")) {
        parts.add(part(lines.get(at++).split(" ", -1)));
      }
      List<PeerCase> cases = new ArrayList<>();
      while (lines.get(at).startsWith("case ")) {
        cases.add(peerCase(number, words(lines.get(at++), "case", 6)));
      }
      entries.add(new Entry(number, Long.parseLong(head[2]), parts, cases));
    }
    return new WorkloadFile(ranks, entries);
  }

  private static String[] words(String line, String first, int howMany) {
    String[] words = line.split(" ", -1);
    if (words.length != howMany || !words[0].equals(first)) {
      throw new IllegalArgumentException(
          "expected " + howMany + " words beginning with " + first + ": " + line);
    }
    return words;
  }

  private static Part part(String[] words) {
    List<Loop> loops = new ArrayList<>();
    for (int i = 3; i < words.length; i++) {
      String[] loop = words[i].split(":", -1);
      loops.add(new Loop(Long.parseLong(loop[0]), Long.parseLong(loop[1])));
    }
    return new Part(Long.parseLong(words[1]), Long.parseLong(words[2]), loops);
  }

  private static PeerCase peerCase(int workload, String[] words) {
    return new PeerCase(
        workload,
        words[1].equals("write"),
        words[2].equals("collective"),
        Integer.parseInt(words[3]),
        Long.parseLong(words[4]),
        Long.parseLong(words[5]));
  }
}
