package org.mqproof.cluster.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports.Binding;
import com.github.dockerjava.api.model.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.Guard;
import org.mqproof.cluster.process.NodeProcess;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.WaitStrategy;
import org.testcontainers.containers.wait.strategy.WaitStrategyTarget;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * A node that is a container: its process is the first one in it, as this machine sees it. Started
 * again, it is the same container with what it had written.
 *
 * <p>Thread-safe, as {@link NodeProcess} is.
 */
final class ContainerProcess extends NodeProcess {

  private static final int SECONDS_TO_BE_SEEN_DEAD = 10;

  private final DockerClient client = DockerClientFactory.instance().client();
  private final List<Containers.Copy> files;
  private final Node container;
  private volatile int logLengthBefore;

  /** Makes nothing yet; the parameters are those of {@link Containers#add}. */
  ContainerProcess(
      int node,
      String name,
      String image,
      Map<String, String> environment,
      List<Containers.Copy> files,
      List<Containers.Shared> shared,
      int port,
      Network clients,
      Containers containers) {
    super("node " + node);
    this.files = files;
    container = new Node(image, node, containers);
    container
        .withNetwork(clients)
        .withEnv(environment)
        .withImagePullPolicy(wanted -> false)
        .waitingFor(new NoWait())
        .withCreateContainerCmdModifier(command -> publish(command.withName(name), shared, port));
  }

  /** On loopback only: nothing outside this machine ever sees a node. */
  private static void publish(
      CreateContainerCmd command, List<Containers.Shared> shared, int port) {
    ExposedPort exposed = ExposedPort.tcp(port);
    Objects.requireNonNull(command.getHostConfig())
        .withBinds(
            shared.stream()
                .map(directory -> new Bind(directory.from().toString(), new Volume(directory.to())))
                .toList())
        .withPortBindings(new PortBinding(Binding.bindIpAndPort("127.0.0.1", port), exposed));
    command.withExposedPorts(exposed);
  }

  /** A container that is put into the second network, and filled, before it starts. */
  private final class Node extends GenericContainer<Node> {

    private final int node;
    private final Containers containers;

    Node(String image, int node, Containers containers) {
      super(DockerImageName.parse(image));
      this.node = node;
      this.containers = containers;
    }

    @Override
    protected void containerIsCreated(String id) {
      containers.connect(node, id);
      copyFiles();
    }
  }

  /** A started container is not yet a ready cluster: for that the cluster itself is asked. */
  private static final class NoWait implements WaitStrategy {

    @Override
    public void waitUntilReady(WaitStrategyTarget target) {}

    @Override
    public WaitStrategy withStartupTimeout(Duration timeout) {
      return this;
    }
  }

  private void copyFiles() {
    for (Containers.Copy file : files) {
      container.copyFileToContainer(MountableFile.forHostPath(file.from(), file.mode()), file.to());
    }
  }

  String id() {
    return container.getContainerId();
  }

  @Override
  protected ProcessHandle launch(Guard guard) {
    try {
      logLengthBefore = log().length();
      if (id() == null) {
        container.start();
      } else {
        awaitSeenDead();
        copyFiles();
        client.startContainerCmd(id()).exec();
      }
      return ProcessHandle.of(Objects.requireNonNull(state().getPidLong()))
          .orElseThrow(() -> new ClusterException(name + " died:\n" + lastLogLines()));
    } catch (ContainerLaunchException | DockerException e) {
      throw new ClusterException("cannot start %s: %s".formatted(name, e.getMessage()), e);
    }
  }

  private InspectContainerResponse.ContainerState state() {
    return client.inspectContainerCmd(id()).exec().getState();
  }

  /** The process is dead already; the engine notices a moment later. */
  private void awaitSeenDead() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_BE_SEEN_DEAD);
    while (Boolean.TRUE.equals(state().getRunning())) {
      if (System.nanoTime() - deadline > 0) {
        throw new ClusterException("the engine does not see that %s is dead".formatted(name));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /**
   * As the engine would, who takes so long that a second node would outlive the first one by a
   * tenth of a second, and may begin to take over.
   */
  @Override
  protected void sendKill(ProcessHandle living) {
    // A paused one only the engine can kill everywhere, and one of another user anywhere.
    if (!isRunning() || !living.destroyForcibly()) {
      client.killContainerCmd(id()).withSignal("KILL").exec();
    }
  }

  @Override
  protected void stop(ProcessHandle living) {
    client.pauseContainerCmd(id()).exec();
  }

  @Override
  protected void go(ProcessHandle stopped) {
    client.unpauseContainerCmd(id()).exec();
  }

  @Override
  protected String readLogOfThisRun() {
    return log().substring(logLengthBefore);
  }

  @Override
  protected List<String> readLog() {
    return log().lines().toList();
  }

  private String log() {
    return id() == null ? "" : container.getLogs();
  }

  /** Removes the container and all that is in it, if it was ever made. */
  void remove() {
    container.stop();
  }
}
