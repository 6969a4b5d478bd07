package com.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.h2.engine.Constants;
import org.h2.tools.Server;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.Java;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.process.ProcessCluster;

/** A server of H2 as a child process. */
final class H2Node extends ProcessCluster {

  /** What starts it. */
  public static final class Provider implements ClusterProvider {

    @Override
    public String system() {
      return "h2";
    }

    @Override
    public Optional<String> whyUnavailable() {
      return Optional.empty();
    }

    @Override
    public Cluster start(Tuning tuning, Consumer<String> progress) {
      return ProcessCluster.start("h2", H2Node::new);
    }
  }

  private H2Node(ClusterHome home) throws IOException {
    super("H2", Constants.VERSION, home.host(1) + ":" + home.port(1), home);
    Path directory = Files.createDirectories(home.directory(1));
    List<String> options = new ArrayList<>(Java.nodeOptions(directory));
    options.add("-Xmx512m");
    List<String> server =
        List.of("-tcp", "-tcpPort", "" + home.port(1), "-ifNotExists", "-baseDir", ".");
    Path jar = Path.of(Server.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    List<String> command =
        Java.command(options, List.of(jar), Server.class.getName(), server).command();
    home.add(NodeProcess.whenTold(command).directory(directory.toFile()));
  }

  @Override
  public String system() {
    return "h2";
  }

  @Override
  public int leader(String queue) {
    home.requireOpen();
    return 1;
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of("database", "%s:%d/queues".formatted(home.host(1), home.port(1)));
  }

  @Override
  protected List<String> notReady() {
    String url = "jdbc:h2:tcp://" + plainSettings().get("database");
    try (Connection unused = DriverManager.getConnection(url, "sa", "")) {
      return List.of();
    } catch (SQLException e) {
      return List.of(e.toString());
    }
  }
}
