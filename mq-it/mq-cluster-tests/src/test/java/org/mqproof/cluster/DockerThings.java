package org.mqproof.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.mqproof.cluster.container.Docker;

/** What Docker has of a cluster. Thread-safe: no state. */
final class DockerThings {

  private DockerThings() {}

  /**
   * The ids of the containers and networks that are called after a cluster's directory; none where
   * nodes are processes, and no engine may be there.
   */
  static List<String> of(Path directory) {
    if (!ClusterProvider.CONTAINERS.equals(System.getProperty(ClusterProvider.NODES_PROPERTY))) {
      return List.of();
    }
    String filter = "name=" + directory.getFileName();
    Docker docker = new Docker(System.getenv());
    List<String> ids = new ArrayList<>();
    try {
      for (String kind : List.of("container", "network")) {
        String all = kind.equals("container") ? "--all" : "--no-trunc";
        String found = docker.output(kind, "ls", all, "--filter", filter, "--format", "{{.ID}}");
        ids.addAll(found.isEmpty() ? List.of() : List.of(found.split(" ")));
      }
      return ids;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
