package org.mqproof.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A row with what the page needs to speak of it. Immutable.
 *
 * @param number its place in the results, from 1
 * @param row the row
 * @param label its system and mode, and what sets it apart from the other rows of its benchmark
 */
record Entry(int number, Row row, String label) {

  private static final int LONGEST_VALUE = 48;

  static List<Entry> of(List<Row> rows) {
    Map<String, List<Row>> byBenchmark = new LinkedHashMap<>();
    for (Row row : rows) {
      byBenchmark.computeIfAbsent(row.load().benchmark(), b -> new ArrayList<>()).add(row);
    }
    Map<String, Integer> uses = new HashMap<>();
    List<String> labels = new ArrayList<>();
    for (Row row : rows) {
      String label = label(row, byBenchmark.getOrDefault(row.load().benchmark(), List.of()));
      labels.add(label);
      uses.merge(row.load().benchmark() + label, 1, Integer::sum);
    }
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      boolean unique = uses.getOrDefault(rows.get(i).load().benchmark() + labels.get(i), 0) == 1;
      String label = unique ? labels.get(i) : labels.get(i) + " · row " + (i + 1);
      entries.add(new Entry(i + 1, rows.get(i), label));
    }
    return List.copyOf(entries);
  }

  private static String label(Row row, List<Row> peers) {
    List<String> parts = new ArrayList<>();
    parts.add((row.target().system() + " " + row.target().mode()).strip());
    // Each system has its own version and number of nodes: they tell rows of one system apart only.
    List<Row> kin =
        peers.stream()
            .filter(peer -> peer.target().system().equals(row.target().system()))
            .toList();
    addVarying(parts, cluster(row), kin.stream().map(Entry::cluster).toList());
    addVarying(parts, load(row), peers.stream().map(Entry::load).toList());
    // A setting sets rows apart only where the rest does not: there are many of them.
    List<Row> twins = kin.stream().filter(peer -> sameButSettings(peer, row)).toList();
    addVarying(
        parts,
        new TreeMap<>(row.target().settings()),
        twins.stream().map(twin -> twin.target().settings()).toList());
    return String.join(" · ", parts);
  }

  private static void addVarying(
      List<String> parts, Map<String, String> own, List<Map<String, String>> all) {
    Set<String> varying = varying(all);
    own.forEach(
        (key, value) -> {
          if (varying.contains(key)) {
            parts.add(key + " " + brief(value));
          }
        });
  }

  private static boolean sameButSettings(Row one, Row other) {
    return one.target().mode().equals(other.target().mode())
        && cluster(one).equals(cluster(other))
        && load(one).equals(load(other));
  }

  /** What holds for every row, for one line above all of them. */
  static Map<String, String> shared(List<Row> rows) {
    Map<String, String> shared = new LinkedHashMap<>(conditions(rows.get(0)));
    rows.forEach(row -> shared.entrySet().retainAll(conditions(row).entrySet()));
    return shared;
  }

  private static Map<String, String> conditions(Row row) {
    Map<String, String> conditions = new LinkedHashMap<>(cluster(row));
    conditions.putAll(load(row));
    return conditions;
  }

  private static Map<String, String> cluster(Row row) {
    Map<String, String> cluster = new LinkedHashMap<>();
    if (!row.target().brokerVersion().isEmpty()) {
      cluster.put("version", row.target().brokerVersion());
    }
    if (row.target().nodes() > 0) {
      cluster.put("nodes", Format.count(row.target().nodes()));
    }
    return cluster;
  }

  private static Map<String, String> load(Row row) {
    Map<String, String> load = new LinkedHashMap<>();
    load.put("senders", Format.count(row.load().senders()));
    load.put("receivers", Format.count(row.load().receivers()));
    load.putAll(new TreeMap<>(row.load().params()));
    load.remove("system");
    load.remove("mode");
    load.values().removeIf(String::isBlank);
    return load;
  }

  private static Set<String> varying(List<Map<String, String>> maps) {
    Map<String, Set<String>> values = new TreeMap<>();
    for (Map<String, String> map : maps) {
      map.forEach((key, value) -> values.computeIfAbsent(key, k -> new TreeSet<>()).add(value));
    }
    Set<String> varying = new TreeSet<>();
    values.forEach(
        (key, seen) -> {
          boolean everywhere = maps.stream().allMatch(map -> map.containsKey(key));
          if (seen.size() > 1 || !everywhere) {
            varying.add(key);
          }
        });
    return varying;
  }

  private static String brief(String value) {
    return value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE - 1) + "…";
  }

  /**
   * The strongest promise first. The queues inside this JVM come last: they measure the harness.
   */
  static List<Entry> strongestFirst(List<Entry> entries) {
    return entries.stream().sorted(Comparator.comparing(Entry::weakness)).toList();
  }

  private int weakness() {
    if (row.target().nodes() == 0) {
      return 2;
    }
    return row.target().traits().replicationAwaited() ? 0 : 1;
  }

  /** The id of its details on the page. */
  String id() {
    return "row-" + number;
  }

  /** The style of its line: a colour, and dashes when the colours have come round again. */
  String series() {
    int index = number - 1;
    return row.standing() == Standing.VOID ? "void" : "c" + index % 6 + " d" + index / 6 % 3;
  }

  /** As {@link Row#fellBehind}. */
  boolean fellBehind() {
    return row.fellBehind();
  }
}
