package org.mqproof.comparison;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;

/**
 * One adapter beside other clients, on one cluster, in pairs.
 *
 * <p>Prints, for each workload, the rate of both sides in every pair and the median of the ratios.
 * Only the ratios travel to another machine. Run by hand, never as a test: a rate proves nothing in
 * a build that shares its cores.
 *
 * <p>Every run of a side has a JVM of its own, started for it: so no side runs on code that earlier
 * runs have warmed, and what a process used is what its side used. The order of the sides
 * alternates, so that a machine that slows down favours neither; and one pair before the others
 * does not count, because brokers and disks that are cold favour whoever comes second.
 *
 * <p>For one thread.
 */
public final class Comparison {

  private static final Duration BOUND_TO_END = Duration.ofMinutes(1);
  private static final String MAVEN_REPOSITORY = "maven.repo.local";
  private static final String SIDE = "--side";
  private static final String OURS = "ours";
  private static final String RATE = "rate of this side: ";

  private final Class<?> main;
  private final String system;
  private final List<Workload> workloads;
  private final PrintStream out;
  private final PrintStream errors;
  private @Nullable Cluster cluster;

  /**
   * Starts nothing yet.
   *
   * @param main the class whose {@code main} calls {@link #run}: each side is run through it again
   * @param system name of the cluster and, behind {@code mq-}, of the adapter
   * @param workloads in the order in which they run if none is named
   */
  public Comparison(Class<?> main, String system, List<Workload> workloads) {
    this(main, system, workloads, System.out, System.err);
  }

  /** As above, but prints elsewhere. */
  Comparison(
      Class<?> main, String system, List<Workload> workloads, PrintStream out, PrintStream errors) {
    this.main = main;
    this.system = system;
    this.workloads = List.copyOf(workloads);
    this.out = out;
    this.errors = errors;
  }

  /**
   * Does what the command line asks for.
   *
   * @param args of the main method
   * @return its exit status: 0; 1 if it is a side's own process and the side failed; or 2 if the
   *     arguments make no sense. It says why
   * @throws Exception if a side failed
   */
  public int run(String[] args) throws Exception {
    if (args.length == 3 && args[0].equals(SIDE)) {
      return runSide(named(args[1]), args[2].equals(OURS));
    }
    List<String> names = workloads.stream().map(Workload::name).toList();
    Arguments arguments;
    try {
      arguments = Arguments.parse(args, names);
    } catch (IllegalArgumentException e) {
      errors.println(e.getMessage());
      return 2;
    }
    if (arguments.help()) {
      out.print(help());
      return 0;
    }
    List<Workload> chosen = arguments.names().stream().map(this::named).toList();
    if (chosen.stream().anyMatch(Workload::needsSecurity)) {
      System.setProperty(ClusterProvider.SECURITY_PROPERTY, ClusterProvider.TLS);
    }
    try {
      for (Workload workload : chosen) {
        compare(workload, arguments);
      }
    } finally {
      if (cluster != null) {
        cluster.close();
      }
    }
    return 0;
  }

  private Workload named(String name) {
    return workloads.stream()
        .filter(workload -> workload.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no workload " + name));
  }

  private String help() {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        Arguments: [--pairs N] [--no-cluster] [--set key=value ...] [workload ...]
          --pairs N        pairs that count, 5 if not told
          --set key=value  a setting of mq-%s that both sides get to see, and the adapter obeys
          --no-cluster     starts none: what is set says where the broker is
        Workloads, all if none is named:
        """
            .formatted(system));
    int width = workloads.stream().mapToInt(workload -> workload.name().length()).max().orElse(0);
    for (Workload workload : workloads) {
      text.append(
          "  %%-%ds  against %%s%%n".formatted(width).formatted(workload.name(), workload.peer()));
    }
    return text.toString();
  }

  private void compare(Workload workload, Arguments arguments) throws Exception {
    Map<String, String> ours = settings(workload, workload.oursBy(), arguments);
    Map<String, String> theirs = settings(workload, workload.theirsBy(), arguments);
    Map<String, String> prepared = workload.preparation().prepare(Map.copyOf(ours));
    ours.putAll(prepared);
    theirs.putAll(prepared);
    out.printf("%n%s: mq-%s against %s%n", workload.name(), system, workload.peer());
    Rate unusedOurs = start(workload, true, ours);
    Rate unusedTheirs = start(workload, false, theirs);
    List<Double> ratios = new ArrayList<>();
    for (int pair = 1; pair <= arguments.pairs(); pair++) {
      boolean oursFirst = pair % 2 == 1;
      Rate first = start(workload, oursFirst, oursFirst ? ours : theirs);
      Rate second = start(workload, !oursFirst, oursFirst ? theirs : ours);
      Rate our = oursFirst ? first : second;
      Rate their = oursFirst ? second : first;
      double ratio = our.messagesPerSecond() / their.messagesPerSecond();
      ratios.add(ratio);
      out.printf(Locale.ROOT, "  pair %d: %s against %s, ratio %.2f%n", pair, our, their, ratio);
    }
    Collections.sort(ratios);
    out.printf(
        Locale.ROOT,
        "  median ratio %.2f (from %.2f to %.2f)%n",
        median(ratios),
        ratios.get(0),
        ratios.get(ratios.size() - 1));
  }

  private Map<String, String> settings(Workload workload, Access by, Arguments arguments) {
    Map<String, String> settings = new HashMap<>();
    if (workload.onCluster() && !arguments.noCluster()) {
      settings.putAll(cluster().settings(by));
    }
    settings.putAll(arguments.settings());
    return settings;
  }

  /** Of an even number the mean of the two in the middle. */
  static double median(List<Double> sorted) {
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  private Cluster cluster() {
    Cluster running = cluster;
    if (running == null) {
      running = ClusterProvider.named(system).start(Tuning.DEFAULT);
      cluster = running;
    }
    return running;
  }

  private Rate start(Workload workload, boolean ours, Map<String, String> settings)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>();
    String repository = System.getProperty(MAVEN_REPOSITORY);
    if (repository != null) {
      options.add("-D" + MAVEN_REPOSITORY + "=" + repository); // where a tool's jars are
    }
    options.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            SIDE,
            workload.name(),
            ours ? OURS : "theirs"));
    List<Rate> rates = new ArrayList<>();
    try (ChildJvm jvm = new ChildJvm(options, true)) {
      // Not as arguments, which everybody may read: there may be a password among them.
      Properties properties = new Properties();
      properties.putAll(settings);
      try (OutputStream in = jvm.process().getOutputStream()) {
        properties.store(in, null);
      }
      jvm.readLines(
          line -> {
            if (line.startsWith(RATE)) {
              rates.add(Rate.parse(line.substring(RATE.length())));
            } else {
              out.println(line);
            }
          });
      if (!jvm.succeeds(BOUND_TO_END) || rates.size() != 1) {
        throw new IOException(
            "%s of %s failed; what it said is above"
                .formatted(ours ? "mq-" + system : workload.peer(), workload.name()));
      }
    }
    return rates.get(0);
  }

  /**
   * Ends with a status in any case: an exception does not end a process in which threads are left.
   */
  private int runSide(Workload workload, boolean ours) throws IOException {
    Properties properties = new Properties();
    properties.load(System.in);
    Map<String, String> settings = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> settings.put(key, properties.getProperty(key)));
    try {
      Rate rate = (ours ? workload.ours() : workload.theirs()).run(Map.copyOf(settings));
      out.println(RATE + rate.format());
      return 0;
    } catch (Exception e) {
      e.printStackTrace(errors);
      return 1;
    }
  }
}
