package org.mqproof.jmh.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;

/**
 * What follows {@code merge} on the command line. Immutable.
 *
 * @param places directories that nodes wrote to
 * @param expected names of the nodes that took part; empty if only those count that left something
 * @param setup what ran where, in one sentence
 * @param brokers nodes of the system, at least 0
 * @param brokerVersion of the system
 * @param notes what a reader has to know besides
 * @param directory where the report goes
 */
public record MergeArgs(
    List<Path> places,
    List<String> expected,
    String setup,
    int brokers,
    String brokerVersion,
    List<String> notes,
    Path directory) {

  /** What {@code --help} prints. */
  public static final String HELP =
      """
      merge DIR... [options]   what the nodes of one run left, as one verdict and one report

        DIR                  where commands send and receive wrote NAME.json and NAME.history
        --expect A,B,...     names of all nodes: one that left nothing is missed in the report
        --setup TEXT         what ran where, in one sentence
        --brokers N          nodes of the system (default 1)
        --broker-version V   version of the system (default unknown)
        --note TEXT          what a reader has to know besides; may be given several times
        --to DIR             where results.json and report.html go (default .)
      A node that is missing, was killed or failed makes the run void: the report says which one,
      and what is known of the messages nevertheless.
      Exit code: 0 at-least-once holds, 1 it is broken or not proven, 2 nothing could be judged.
      """;

  /**
   * Reads a command line.
   *
   * @throws IllegalArgumentException with one sentence if it is wrong
   */
  public static MergeArgs of(List<String> args) {
    OptionParser parser = new OptionParser();
    OptionSpec<String> expect =
        parser.accepts("expect").withRequiredArg().withValuesSeparatedBy(',');
    OptionSpec<String> setup = parser.accepts("setup").withRequiredArg();
    OptionSpec<Integer> brokers = parser.accepts("brokers").withRequiredArg().ofType(Integer.class);
    OptionSpec<String> version = parser.accepts("broker-version").withRequiredArg();
    OptionSpec<String> note = parser.accepts("note").withRequiredArg();
    OptionSpec<String> to = parser.accepts("to").withRequiredArg();
    OptionSpec<String> places = parser.nonOptions();
    OptionSet given;
    try {
      given = parser.parse(args.toArray(String[]::new));
    } catch (OptionException e) {
      throw new IllegalArgumentException("merge: " + e.getMessage() + "; try merge --help", e);
    }
    if (given.valuesOf(places).isEmpty()) {
      throw new IllegalArgumentException("merge: which directories? try merge --help");
    }
    int nodes = given.has(brokers) ? given.valueOf(brokers) : 1;
    if (nodes < 0) {
      throw new IllegalArgumentException("--brokers cannot be " + nodes);
    }
    return new MergeArgs(
        given.valuesOf(places).stream().map(Path::of).toList(),
        List.copyOf(given.valuesOf(expect)),
        given.has(setup) ? given.valueOf(setup) : "brokers and clients on several machines",
        nodes,
        given.has(version) ? given.valueOf(version) : "unknown",
        List.copyOf(given.valuesOf(note)),
        Path.of(given.has(to) ? given.valueOf(to) : "."));
  }

  /** The files of one kind that nodes left, in the order of their names. */
  List<Path> files(String suffix) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path place : places) {
      if (!Files.isDirectory(place)) {
        throw new IllegalArgumentException("there is no directory " + place);
      }
      try (Stream<Path> files = Files.list(place)) {
        files.filter(file -> file.toString().endsWith(suffix)).sorted().forEach(found::add);
      }
    }
    return found;
  }
}
