package org.mqproof.cluster.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ContainerNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.Links;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Network;

/**
 * The containers of one cluster, and the two networks they are in: over one come the clients,
 * through ports that are published on loopback; over the other the nodes talk to each other. A node
 * that is isolated leaves the second one only.
 *
 * <p>All are called after the cluster's directory, so that it is seen whose they are. Thread-safe.
 */
public final class Containers implements Links {

  private final ClusterHome home;
  private final DockerClient client;
  private final Network clients;
  private final Network nodes;
  private final List<ContainerProcess> containers = new ArrayList<>();
  private final Set<Integer> isolated = new TreeSet<>();

  private Containers(ClusterHome home) {
    this.home = home;
    client = DockerClientFactory.instance().client();
    clients = network("clients");
    nodes = network("nodes");
  }

  /**
   * Makes the networks, and no container yet.
   *
   * @param home gets all of it
   * @param count how many containers there will be
   * @return the networks, to which containers can be added
   * @throws IOException if the guard is dead
   */
  public static Containers in(ClusterHome home, int count) throws IOException {
    // The guard first: it removes what never was as easily as what was half made.
    List<String> remove = Docker.command("rm", "--force", "--volumes");
    for (int node = 1; node <= count; node++) {
      remove.add(name(home, node));
    }
    home.atEnd(remove);
    home.atEnd(Docker.command("network", "rm", name(home, "clients"), name(home, "nodes")));
    Containers containers = new Containers(home);
    home.add(containers);
    return containers;
  }

  private Network network(String suffix) {
    Network network =
        Network.builder()
            .createNetworkCmdModifier(made -> made.withName(name(home, suffix)))
            .build();
    network.getId(); // makes it
    return network;
  }

  private static String name(ClusterHome home, String suffix) {
    return home.directory().getFileName() + "-" + suffix;
  }

  /**
   * A file that is copied into a container, where it belongs to root.
   *
   * @param from here
   * @param to there
   * @param mode its permissions there
   */
  public record Copy(Path from, String to, int mode) {

    /**
     * A file that everybody in the container may read.
     *
     * @param from here
     * @param to there
     * @return what is to be copied
     */
    public static Copy readable(Path from, String to) {
      return new Copy(from, to, 0644);
    }
  }

  /**
   * A directory of this machine that is the same one in every container.
   *
   * @param from here
   * @param to there
   */
  public record Shared(Path from, String to) {

    /**
     * Makes one that every user writes who comes to it; here only the owner of the home does.
     *
     * @param from here
     * @param to there
     * @return a directory that exists
     * @throws IOException if it cannot be made
     */
    public static Shared make(Path from, String to) throws IOException {
      Files.createDirectories(from);
      Files.setPosixFilePermissions(from, PosixFilePermissions.fromString("rwxrwxrwx"));
      return new Shared(from, to);
    }
  }

  /**
   * The name of a node's container.
   *
   * @param home of the cluster
   * @param node from 1
   * @return its name in the engine
   */
  public static String name(ClusterHome home, int node) {
    return name(home, alias(node));
  }

  /**
   * The name by which the other nodes find a node, and by which it does not know itself.
   *
   * @param node from 1
   * @return a host name
   */
  public static String alias(int node) {
    return "node-" + node;
  }

  /**
   * Adds the next container to the home, without starting it.
   *
   * @param image with its tag
   * @param environment the variables that are set in it
   * @param files what is copied into it at each start
   * @param shared what it shares with the others
   * @param port the port at which it listens for clients, in it as on this machine
   */
  public synchronized void add(
      String image,
      Map<String, String> environment,
      List<Copy> files,
      List<Shared> shared,
      int port) {
    int node = containers.size() + 1;
    ContainerProcess container =
        new ContainerProcess(
            node, name(home, node), image, environment, files, shared, port, clients, this);
    containers.add(container);
    home.add(container);
  }

  /** Lets a container talk to the others. */
  void connect(int node, String id) {
    client
        .connectToNetworkCmd()
        .withNetworkId(nodes.getId())
        .withContainerId(id)
        .withContainerNetwork(new ContainerNetwork().withAliases(alias(node)))
        .exec();
  }

  @Override
  public synchronized void isolate(int node) {
    if (node < 1 || node > containers.size()) {
      throw new IllegalArgumentException(
          "node must be 1 to %d, was %d".formatted(containers.size(), node));
    }
    ContainerProcess container = containers.get(node - 1);
    String id = container.id();
    if (!container.isAlive() || !isConnected(id)) {
      throw new IllegalStateException("node %d is isolated already, or dead".formatted(node));
    }
    isolated.add(node);
    client
        .disconnectFromNetworkCmd()
        .withNetworkId(nodes.getId())
        .withContainerId(id)
        .withForce(true)
        .exec();
    if (isConnected(id)) {
      throw new ClusterException("node %d is still connected to the others".formatted(node));
    }
  }

  /** Whether a container that runs is in the network of the nodes, by what the engine says. */
  private boolean isConnected(String id) {
    return client
        .inspectNetworkCmd()
        .withNetworkId(nodes.getId())
        .exec()
        .getContainers()
        .containsKey(id);
  }

  @Override
  public void cut(List<Integer> fromClients) {
    throw new UnsupportedOperationException(
        "containers cannot be cut off from clients in silence: their ports would refuse");
  }

  @Override
  public void slow(long bytesPerSecond) {
    throw new UnsupportedOperationException(
        "the network of containers cannot be slowed: start the cluster without -D%s, and with -D%s"
            .formatted(ClusterProvider.NODES_PROPERTY, ClusterProvider.NETWORK_PROPERTY));
  }

  @Override
  public void delay(Duration eachWay) {
    throw new UnsupportedOperationException(
        "packets of containers cannot be delayed: start the cluster without -D%s, and with -D%s"
            .formatted(ClusterProvider.NODES_PROPERTY, ClusterProvider.NETWORK_PROPERTY));
  }

  @Override
  public synchronized void heal() {
    for (int node : List.copyOf(isolated)) {
      connect(node, containers.get(node - 1).id());
      isolated.remove(node);
    }
  }

  @Override
  public synchronized List<Integer> unharmed() {
    return IntStream.rangeClosed(1, containers.size())
        .filter(node -> !isolated.contains(node))
        .boxed()
        .toList();
  }

  /** Removes the containers, with all that is in them, and then the networks. */
  @Override
  public void close() {
    containers.forEach(ContainerProcess::remove);
    clients.close();
    nodes.close();
  }
}
