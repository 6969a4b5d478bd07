package org.mqproof.cluster.artemis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Image;
import org.mqproof.cluster.process.Cache;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.process.ProcessCluster;
import org.mqproof.cluster.security.Security;

/**
 * An Artemis pair that replicates, each node a child JVM or a container. Thread-safe, as {@link
 * Cluster} says.
 */
final class ArtemisCluster extends ProcessCluster {

  /** A line of the log of a child JVM, or of a container, with the time in milliseconds. */
  private static final Pattern ACTIVE =
      Pattern.compile(
          "(?:" + ArtemisNodeMain.ACTIVE + "(\\d+)|^(\\d+) .*AMQ221007: .*)\\R", Pattern.MULTILINE);

  private static final Pattern PASSIVE =
      Pattern.compile(ArtemisNodeMain.PASSIVE + "|^\\d+ .*AMQ221002: ", Pattern.MULTILINE);

  private final String addresses;

  private ArtemisCluster(String version, String addresses, ClusterHome home) {
    super("Artemis", version, addresses, home);
    this.addresses = addresses;
  }

  static ArtemisCluster start(
      String version, ArtemisNodes.Journal journal, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = new ArrayList<>(ArtemisNodes.resolve(version, progress));
    Path distribution = ArtemisNodes.resolveDistribution(version, progress);
    return start(
        "artemis",
        ArtemisNodes.COUNT,
        home -> {
          String lockManager = "artemis-lockmanager-ri-" + version + ".jar";
          jars.add(
              new Cache()
                  .file(lockManager, to -> TarGz.extract(distribution, "/lib/" + lockManager, to)));
          ArtemisNodes.addTo(home, jars, journal, tuning);
          return new ArtemisCluster(version, ArtemisNodes.addresses(home), home);
        });
  }

  static ArtemisCluster startContainers(String image, ArtemisNodes.Journal journal, Tuning tuning) {
    return start(
        "artemis",
        home -> {
          ArtemisNodes.addTo(home, image, journal, tuning);
          return new ArtemisCluster(Image.tag(image), ArtemisNodes.addresses(home), home);
        });
  }

  @Override
  public String system() {
    return "artemis";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return home.security()
        .map(
            security ->
                Map.of(
                    "addresses",
                    addresses,
                    "username",
                    Security.USER,
                    "password",
                    security.password()))
        .orElse(Map.of("addresses", addresses));
  }

  private String password() {
    return home.security().map(Security::password).orElse(Security.USER);
  }

  @Override
  protected Map<String, String> securedSettings(Access access) {
    return Map.of(
        "addresses",
        ArtemisNodes.addresses(home, access),
        "username",
        access == Access.LEAST ? Access.LEAST_USER : Security.USER);
  }

  /** The active node, of which every queue is; a paused one keeps the lock and stays active. */
  @Override
  public int leader(String queue) {
    return awaitOne("active node", this::active);
  }

  private OptionalInt active() {
    return IntStream.rangeClosed(1, nodes()).filter(this::isActive).findFirst();
  }

  private boolean isActive(int node) {
    return home.node(node).isAlive() && activeSince(node).isPresent();
  }

  /** Since when a node is active, or was when it died. */
  private OptionalLong activeSince(int node) {
    return activeSince(home.node(node).logOfThisRun());
  }

  static OptionalLong activeSince(String log) {
    Optional<MatchResult> active = ACTIVE.matcher(log).results().reduce((one, later) -> later);
    Optional<MatchResult> passive = PASSIVE.matcher(log).results().reduce((one, later) -> later);
    if (active.isEmpty() || passive.stream().anyMatch(it -> it.end() > active.get().end())) {
      return OptionalLong.empty(); // also while the line is being written
    }
    MatchResult line = active.get();
    return OptionalLong.of(Long.parseLong(line.group(line.group(1) == null ? 2 : 1)));
  }

  /**
   * After the death of both, the one that was active last is started first. A backup answers when
   * it has a record in its memory and writes it a moment later, so only the active node's disk has
   * everything that was confirmed; yet to the lock manager both are equally new, and whoever comes
   * first serves its journal.
   */
  @Override
  protected void startDead(List<NodeProcess> dead) {
    if (dead.size() == nodes()) {
      Optional<Integer> lastActive =
          IntStream.rangeClosed(1, nodes())
              .filter(node -> activeSince(node).isPresent())
              .boxed()
              .max(Comparator.comparingLong(node -> activeSince(node).orElseThrow()));
      if (lastActive.isPresent()) {
        home.start(home.node(lastActive.get()));
        awaitOne("active node", this::active);
      }
    }
    super.startDead(dead.stream().filter(node -> !node.isAlive()).toList());
  }

  @Override
  protected List<String> notReady() {
    int[] active = IntStream.rangeClosed(1, nodes()).filter(this::isActive).toArray();
    if (active.length != 1) {
      return List.of("%d nodes are active, not 1".formatted(active.length));
    }
    return ArtemisProbe.notReady(ArtemisNodes.address(home, active[0]), password()).stream()
        .toList();
  }
}
