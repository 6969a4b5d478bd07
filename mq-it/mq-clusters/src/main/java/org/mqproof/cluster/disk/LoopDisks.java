package org.mqproof.cluster.disk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.Commands;
import org.mqproof.cluster.process.Disks;
import org.mqproof.cluster.process.Guard;
import org.mqproof.cluster.process.NodeProcess;

/**
 * A disk for the data of each node, or for what nodes share, and the cut of its power. A disk is a
 * {@link FileSystem} in a sparse file of the cluster's directory, behind a loop device. It is
 * mounted in a mount namespace of its own, in which are only its nodes and a process that sleeps.
 * So no other process can keep it busy, and whoever is in the namespace belongs to a node, whatever
 * process group it is in. Nothing but processes is to be cleaned up, which the {@link Guard} does
 * after SIGKILL: when the last of them is dead, the kernel unmounts the disk and frees its loop
 * device.
 *
 * <p>A cut kills the nodes, and has the kernel shut the file system down without writing anything
 * more. What was not awaited by an fsync is gone then, but for what the kernel has written back by
 * itself, which begins after some 30 s. That models a drive without a volatile cache and without
 * torn sectors.
 *
 * <p>Thread-safe. Every call ends within some 40 s.
 */
final class LoopDisks implements Disks {

  /** Sparse: no more of it is used than nodes write. */
  private static final long SIZE_BYTES = 4L << 30;

  private static final int SECONDS_TO_END = 30;
  private static final String CUT_PROGRAM = "power_cut.py";

  /** What a test of all that is needed leaves goes with its namespace. */
  private static final String TRY =
      """
      set -e
      dir=$(mktemp -d)
      trap 'cd /; umount "$dir/disk" 2>/dev/null || true; rm -rf "$dir"' EXIT
      cd "$dir"
      truncate -s "$1M" image
      shift
      "$@" image
      mkdir disk
      mount -o loop "$dir/image" "$dir/disk"
      python3 - "$dir/disk"
      """;

  private final ClusterHome home;
  private final List<Disk> disks = new CopyOnWriteArrayList<>();

  /** From then on a number of a namespace may be that of a stranger's. */
  private volatile boolean released;

  /**
   * Makes nothing yet.
   *
   * @param home its services hold the namespaces
   */
  LoopDisks(ClusterHome home) {
    this.home = home;
  }

  /**
   * A disk.
   *
   * @param image the file that is the disk
   * @param data where its nodes see it
   * @param nodes the nodes that see it
   * @param holder the process that sleeps in its namespace
   * @param namespace the namespace, by which the kernel tells it from others
   * @param pin open as long as processes are looked for: it keeps the namespace, whose number the
   *     kernel would give to the next one
   */
  private record Disk(
      Path image,
      Path data,
      List<Integer> nodes,
      NodeProcess holder,
      Path namespace,
      InputStream pin) {

    /** A command in the namespace of the disk. */
    List<String> within(List<String> command) {
      List<String> entered = new ArrayList<>(List.of("nsenter", "--mount=" + proc("ns/mnt")));
      entered.addAll(command);
      return entered;
    }

    Path proc(String file) {
      return Path.of("/proc", Long.toString(holder.handle().pid()), file);
    }

    void mount() {
      Commands.run(within(List.of("mount", "-o", "loop", image.toString(), data.toString())), "");
    }
  }

  /** The processes in its namespace, but for the one that sleeps. */
  private List<ProcessHandle> users(Disk disk) {
    if (released) {
      return List.of();
    }
    return ProcessHandle.allProcesses()
        .filter(process -> process.pid() != disk.holder().handle().pid())
        .filter(process -> isIn(process, disk.namespace()))
        .toList();
  }

  private static boolean isIn(ProcessHandle process, Path namespace) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "ns", "mnt"))
          .equals(namespace);
    } catch (IOException gone) {
      return false;
    }
  }

  /**
   * Why no disks can be made here.
   *
   * @return empty if they can; else one sentence
   */
  static Optional<String> whyUnavailable() {
    Optional<FileSystem> allowed = FileSystem.allowed();
    if (allowed.isEmpty()) {
      return Optional.of(
          "disks are made only if -D" + ClusterProvider.DISKS_PROPERTY + "=true allows it");
    }
    FileSystem fileSystem = allowed.get();
    List<String> command = new ArrayList<>(List.of("unshare", "--mount", "bash", "-c", TRY, "try"));
    command.add(Integer.toString(fileSystem.leastMegabytes));
    command.addAll(fileSystem.format());
    try {
      Commands.run(command, cutProgram());
      return Optional.empty();
    } catch (ClusterException e) {
      return Optional.of(
          ("disks can be made only on Linux, as root, with unshare, nsenter, mount, %s, python3 and"
                  + " loop devices: %s")
              .formatted(fileSystem.format().get(0), e.getMessage()));
    }
  }

  private static String cutProgram() {
    try (InputStream program = LoopDisks.class.getResourceAsStream(CUT_PROGRAM)) {
      return new String(
          Objects.requireNonNull(program, CUT_PROGRAM).readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new ClusterException("cannot read " + CUT_PROGRAM, e);
    }
  }

  @Override
  public synchronized void make(Path data, int... nodes) {
    String name = "disk-" + (disks.size() + 1);
    Path image = home.directory().resolve(name + ".img");
    Commands.run(List.of("truncate", "-s", Long.toString(SIZE_BYTES), image.toString()), "");
    FileSystem fileSystem = FileSystem.allowed().orElseThrow();
    List<String> format = new ArrayList<>(fileSystem.format());
    format.add(image.toString());
    Commands.run(format, "");
    ProcessBuilder sleep = NodeProcess.whenTold(List.of("unshare", "--mount", "sleep", "infinity"));
    sleep.environment().put("HOME", home.directory().toString()); // tells whose it is
    NodeProcess holder = home.addService(name, sleep);
    home.start(holder);
    Disk made =
        new Disk(
            image,
            data,
            Arrays.stream(nodes).boxed().toList(),
            holder,
            awaitNamespace(holder),
            pin(holder));
    disks.add(made);
    made.mount();
    if (fileSystem.lostAndFound) {
      Commands.run(made.within(List.of("rmdir", data.resolve("lost+found").toString())), "");
    }
  }

  private Path awaitNamespace(NodeProcess holder) {
    try {
      Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/mnt"));
      Path its = namespaceFile(holder);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_END);
      while (Files.readSymbolicLink(its).equals(ours)) {
        if (!holder.isAlive() || System.nanoTime() - deadline > 0) {
          throw new ClusterException("there is no mount namespace: " + holder.lastLogLines());
        }
        home.pauseBetweenLooks();
      }
      return Files.readSymbolicLink(its);
    } catch (IOException e) {
      throw new ClusterException("no mount namespace: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while a disk was made", e);
    }
  }

  private static Path namespaceFile(NodeProcess holder) {
    return Path.of("/proc", Long.toString(holder.handle().pid()), "ns", "mnt");
  }

  private static InputStream pin(NodeProcess holder) {
    try {
      return Files.newInputStream(namespaceFile(holder));
    } catch (IOException e) {
      throw new ClusterException("no mount namespace: " + e, e);
    }
  }

  @Override
  public synchronized void requireOnePerNode(int nodes) {
    if (!IntStream.rangeClosed(1, nodes).allMatch(node -> find(node).isPresent())) {
      throw new ClusterException(
          "nodes of this kind of cluster cannot have disks of their own: start it without -D"
              + ClusterProvider.POWER_PROPERTY);
    }
  }

  private Optional<Disk> find(int node) {
    return disks.stream().filter(disk -> disk.nodes().contains(node)).findFirst();
  }

  private Disk of(int node) {
    return find(node)
        .orElseThrow(() -> new IllegalArgumentException("node %d has no disk".formatted(node)));
  }

  @Override
  public synchronized void enter(int node, ProcessBuilder command) {
    Optional<Disk> disk = find(node);
    if (disk.isPresent()) {
      // Whoever enters a mount namespace is at its root.
      List<String> there =
          new ArrayList<>(
              List.of(
                  "sh",
                  "-c",
                  "cd \"$0\" && exec \"$@\"",
                  Objects.requireNonNull(command.directory()).toString()));
      there.addAll(command.command());
      command.command(disk.get().within(there));
    }
  }

  @Override
  public synchronized Path seenFromHere(int node) {
    Disk disk = of(node);
    return disk.proc("root").resolve(Path.of("/").relativize(disk.data()));
  }

  @Override
  public synchronized void cut(List<Integer> nodes) {
    List<Disk> victims = nodes.stream().map(this::of).distinct().toList();
    List<NodeProcess> processes =
        victims.stream().flatMap(disk -> disk.nodes().stream()).map(home::node).toList();
    processes.forEach(NodeProcess::signalKill);
    // Nobody may be told an error of a disk whose power is off, and confirm all the same.
    processes.forEach(NodeProcess::killIfAlive);
    victims.forEach(this::killUsers);
    Commands.runAll(
        victims.stream()
            .map(disk -> disk.within(List.of("python3", "-", disk.data().toString())))
            .toList(),
        cutProgram());
    victims.forEach(this::unmount);
    victims.forEach(Disk::mount);
  }

  /** Kills what a node started and left: Erlang's helpers have process groups of their own. */
  private void killUsers(Disk disk) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_END);
    List<ProcessHandle> users = users(disk);
    while (!users.isEmpty()) {
      if (System.nanoTime() - deadline > 0) {
        throw new ClusterException("outlive SIGKILL on %s: %s".formatted(disk.data(), users));
      }
      users.forEach(ProcessHandle::destroyForcibly);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      users = users(disk);
    }
  }

  /** Who had a file open a moment ago may keep a disk busy for another one. */
  private void unmount(Disk disk) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_END);
    while (true) {
      try {
        Commands.run(disk.within(List.of("umount", disk.data().toString())), "");
        return;
      } catch (ClusterException e) {
        if (System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "the disk of node %s could not be unmounted: nothing that comes after says anything"
                  .formatted(disk.nodes()),
              e);
        }
        killUsers(disk);
      }
    }
  }

  /**
   * Waits until no loop device is left, once nodes and holders are dead, and kills what else is on
   * a disk. Waits for nobody else: a cluster may be closed while its power is cut.
   *
   * @throws IOException if there is still one after 30 s
   */
  @Override
  public void close() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_END);
    int scansWithoutUsers = 0;
    while (scansWithoutUsers < 2) { // the first may have missed what a process started meanwhile
      List<ProcessHandle> users = disks.stream().flatMap(disk -> users(disk).stream()).toList();
      users.forEach(ProcessHandle::destroyForcibly);
      scansWithoutUsers = users.isEmpty() ? scansWithoutUsers + 1 : 0;
      pause(deadline, "processes outlive SIGKILL: ", users);
    }
    released = true;
    for (Disk disk : disks) {
      disk.pin().close();
    }
    List<Path> left = loopDevices();
    while (!left.isEmpty()) {
      pause(deadline, "loop devices are left: ", left);
      left = loopDevices();
    }
  }

  private static void pause(long deadline, String what, List<?> left) throws IOException {
    if (!left.isEmpty() && System.nanoTime() - deadline > 0) {
      throw new IOException(what + left);
    }
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
  }

  /** The loop devices whose files are in the cluster's directory. */
  private List<Path> loopDevices() throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
      for (Path device : devices) {
        try {
          if (Files.readString(device.resolve("loop/backing_file"))
              .startsWith(home.directory() + "/")) {
            found.add(device);
          }
        } catch (IOException free) {
          // It has no file, or not any more.
        }
      }
    }
    return found;
  }
}
