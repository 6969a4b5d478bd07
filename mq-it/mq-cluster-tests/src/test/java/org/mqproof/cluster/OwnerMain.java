package org.mqproof.cluster;

import java.io.IOException;
import java.nio.file.Files;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeFacility;

/** A JVM that owns a cluster, tells what it owns, and then dies in a way of the test's choice. */
final class OwnerMain {

  private OwnerMain() {}

  /**
   * Prints the directory and a line "pid N" per process, then "ready".
   *
   * <p>Ends with an uncaught exception once it is told anything.
   *
   * @param args "sleeping" or the name of a system; "wait", "pause", "isolate" or "disk"
   */
  public static void main(String[] args) throws IOException {
    if (args[0].equals(Owner.SLEEPING)) {
      ownSleepingNodes(args[1]);
    } else {
      Cluster cluster = ClusterProvider.named(args[0]).start(Tuning.FAST);
      System.out.println("directory " + cluster.directory());
      for (int node = 1; node <= cluster.nodes(); node++) {
        System.out.println("pid " + cluster.process(node).pid());
      }
    }
    System.out.println("ready");
    int told = System.in.read();
    throw new IllegalStateException(told < 0 ? "the test is gone" : "a test that crashed");
  }

  private static void ownSleepingNodes(String end) throws IOException {
    ClusterHome home = ClusterHome.create("test");
    System.out.println("directory " + home.directory());
    System.out.println("pid " + home.guard().pid());
    if (end.equals("isolate")) {
      NodeFacility.of(ClusterProvider.NETWORK_PROPERTY).addTo(home, 3);
      home.links().isolate(1);
      System.out.println("link mqproof" + home.number());
    }
    if (end.equals("disk")) {
      NodeFacility.of(ClusterProvider.POWER_PROPERTY).addTo(home, 3);
      home.onDisk(home.directory(1).resolve("data"), 1);
    }
    for (int node = 1; node <= 3; node++) {
      Files.createDirectories(home.directory(node));
      home.add(new ProcessBuilder("sleep", "600").directory(home.directory(node).toFile()));
      home.start(home.node(node));
      System.out.println("pid " + home.node(node).handle().pid());
    }
    if (end.equals("pause")) {
      home.node(1).pause();
    }
  }
}
