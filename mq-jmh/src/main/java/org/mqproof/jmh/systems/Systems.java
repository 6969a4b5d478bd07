package org.mqproof.jmh.systems;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.jmh.load.SettingsText;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

/**
 * The systems under test: checks that they can be reached, and starts a cluster of each that needs
 * one. For one thread.
 */
public final class Systems implements AutoCloseable {

  /** A system that does not answer in this time, even on a busy machine, is not measured. */
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /**
   * A cluster that was just started here is there; its first queue takes long on a busy machine.
   */
  private static final Duration FIRST_ANSWER = Duration.ofSeconds(60);

  private final PrintStream out;
  private final Secrets secrets;
  private final Map<String, Cluster> clusters = new LinkedHashMap<>();
  private int roundTripMillis;
  private final Set<String> answered = new HashSet<>();
  private final Set<String> warm = new HashSet<>();

  /** None is started yet. */
  public Systems(PrintStream out, Secrets secrets) {
    this.out = out;
    this.secrets = secrets;
  }

  /**
   * Checks all settings, then all systems that run elsewhere, and last starts the clusters: what is
   * quick to fail comes first.
   *
   * @param fork what forks are told so far
   * @return what forks are to be told: also how to connect to the clusters
   * @throws UsageException with one sentence if a setting is wrong or a system does not answer
   */
  public ForkOptions prepare(List<TrialParams> trials, ForkOptions fork) throws UsageException {
    for (TrialParams trial : trials) {
      MqProvider provider = MqProvider.named(trial.system());
      try {
        Settings.of(provider, fork.settings(trial));
      } catch (IllegalArgumentException e) {
        throw new UsageException(String.valueOf(e.getMessage()), e);
      }
    }
    for (TrialParams trial : trials) {
      if (!needsCluster(trial, fork)) {
        if (trial.rttMillis() > 0) {
          throw new UsageException(
              "rttMillis takes a cluster that is started here, and %s is not"
                  .formatted(trial.system()));
        }
        requireAnswer(trial, fork, ANSWER);
      } else if (trial.rttMillis() > 0) {
        System.setProperty(ClusterProvider.NETWORK_PROPERTY, "true"); // of the nodes to come
      }
    }
    ForkOptions told = fork;
    for (TrialParams trial : trials) {
      if (needsCluster(trial, fork)) {
        if (!clusters.containsKey(trial.system())) {
          Cluster cluster = start(trial.system());
          clusters.put(trial.system(), cluster);
          Map<String, String> settings =
              new LinkedHashMap<>(fork.connect().getOrDefault(trial.system(), Map.of()));
          settings.putAll(secrets.hidden(cluster.settings()));
          told = told.with(trial.system(), settings);
        }
        requireAnswer(trial, told, FIRST_ANSWER);
        warmUp(trial, told);
      }
    }
    return told;
  }

  /** Puts so much between the clients and the nodes of every cluster, and between these. */
  public void setRoundTrip(int millis) {
    if (millis != roundTripMillis) {
      for (Cluster cluster : clusters.values()) {
        cluster.heal();
        if (millis > 0) {
          cluster.delay(Duration.ofMillis(millis).dividedBy(2));
        }
      }
      roundTripMillis = millis;
    }
  }

  /** The cluster that was started for a system, if one was. */
  public Optional<Cluster> cluster(String system) {
    return Optional.ofNullable(clusters.get(system));
  }

  /** What the clusters that were started are configured with, by system and file. */
  public Map<String, Map<String, String>> configurations() throws IOException {
    Map<String, Map<String, String>> configurations = new LinkedHashMap<>();
    for (Cluster cluster : clusters.values()) {
      configurations.put(
          cluster.system(),
          Configuration.of(cluster.directory(), cluster.directory().resolve("node-1")));
    }
    return configurations;
  }

  /** A system that nobody gave an endpoint for, and of which a cluster can be started. */
  private static boolean needsCluster(TrialParams trial, ForkOptions fork) {
    MqProvider provider = MqProvider.named(trial.system());
    List<String> endpoints = Endpoints.of(provider);
    return !endpoints.isEmpty() && endpoints.stream().noneMatch(fork.settings(trial)::containsKey);
  }

  private Cluster start(String system) throws UsageException {
    try {
      ClusterProvider provider = ClusterProvider.named(system);
      Optional<String> missing = provider.whyUnavailable();
      if (missing.isPresent()) {
        throw new UsageException(system + ": " + missing.get());
      }
      out.printf("starting a cluster of %s ...%n", system);
      long start = System.nanoTime();
      Cluster cluster = provider.start(Tuning.DEFAULT, line -> out.println("  " + line));
      out.printf(
          Locale.ROOT,
          "%s %s, %d nodes: ready in %.0f s%n",
          system,
          cluster.version(),
          cluster.nodes(),
          (System.nanoTime() - start) / 1e9);
      return cluster;
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          "%s; give the address of a running one: -p settings=%s=HOST:PORT"
              .formatted(e.getMessage(), Endpoints.of(MqProvider.named(system)).get(0)),
          e);
    } catch (ClusterException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
  }

  private void requireAnswer(TrialParams trial, ForkOptions fork, Duration bound)
      throws UsageException {
    Map<String, String> settings = fork.settings(trial);
    if (!answered.add(trial.system() + ": " + SettingsText.text(settings))) {
      return;
    }
    FutureTask<Boolean> answer =
        new FutureTask<>(
            () -> {
              String queue = "mqproof-check-" + UUID.randomUUID().toString().substring(0, 8);
              try (Mq mq = MqProvider.named(trial.system()).connect(settings)) {
                mq.createQueue(queue);
                mq.deleteQueue(queue);
              }
              return true;
            });
    // A daemon: a client that hangs must not keep this JVM alive.
    Thread thread = new Thread(answer, "check " + trial.system());
    thread.setDaemon(true);
    thread.start();
    try {
      answer.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof MqException || cause instanceof IllegalArgumentException) {
        throw new UsageException(trial.system() + ": " + cause.getMessage(), cause);
      }
      if (cause instanceof LinkageError) {
        throw new UsageException(OutsideAdapters.misfit(trial.system(), cause), cause);
      }
      throw new IllegalStateException(trial.system() + " failed in an unforeseen way", cause);
    } catch (TimeoutException e) {
      throw new UsageException(
          "%s did not answer within %d s (%s)"
              .formatted(trial.system(), bound.toSeconds(), SettingsText.text(settings)),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UsageException("interrupted while waiting for " + trial.system(), e);
    }
  }

  /** Once per cluster; a system that was there before is warm, or its owner wants it as it is. */
  private void warmUp(TrialParams trial, ForkOptions fork) throws UsageException {
    if (fork.warmUp().isZero() || !warm.add(trial.system())) {
      return;
    }
    out.printf("warming %s up, at most %d s ...%n", trial.system(), fork.warmUp().toSeconds());
    out.flush();
    try (Mq mq = MqProvider.named(trial.system()).connect(fork.settings(trial))) {
      out.println(trial.system() + " " + new WarmUp(mq, fork.warmUp()).run());
    } catch (MqException e) {
      throw new UsageException(trial.system() + ", while warming up: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UsageException("interrupted while warming up " + trial.system(), e);
    }
  }

  @Override
  public void close() {
    List<Cluster> open = new ArrayList<>(clusters.values());
    clusters.clear();
    open.forEach(Cluster::close);
  }
}
