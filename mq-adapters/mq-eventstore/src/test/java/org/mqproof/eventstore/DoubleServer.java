package org.mqproof.eventstore;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A {@link ProtocolDouble} as a program in the server's place, for rehearsals of the cloud profile:
 * reads a configuration file, refuses what it does not know, and answers at the server's port, over
 * HTTP/2 as the double does and over HTTP/1.1 who is there.
 *
 * <p>Of several, the one whose name sorts first says that it leads, and each calls alive what lets
 * itself be connected to. Nothing is elected and nothing is copied: each has messages of its own.
 *
 * <p>Its connections have a thread for each direction.
 */
final class DoubleServer {

  /** By the documentation of KurrentDB 26.0; of the values, those that can be rehearsed. */
  private static final Map<String, String> OPTIONS =
      Map.ofEntries(
          Map.entry("ClusterSize", "\\d"),
          Map.entry("DiscoverViaDns", "false"),
          Map.entry("GossipSeed", "[\\w.-]+:\\d+(,[\\w.-]+:\\d+)*"),
          Map.entry("NodeIp", "0\\.0\\.0\\.0"),
          Map.entry("NodePort", "\\d+"),
          Map.entry("NodeHostAdvertiseAs", "[\\w.-]+"),
          Map.entry("ReplicationIp", "0\\.0\\.0\\.0"),
          Map.entry("ReplicationPort", "\\d+"),
          Map.entry("ReplicationHostAdvertiseAs", "[\\w.-]+"),
          Map.entry("Insecure", "true"),
          Map.entry("RunProjections", "None"),
          Map.entry("Db", "/.+"),
          Map.entry("Log", "/.+"),
          Map.entry("SecondaryIndexing:Enabled", "true|false"));

  private static final Set<String> OPTIONAL = Set.of("GossipSeed", "SecondaryIndexing:Enabled");

  private static final String VERSION = "0.0.0 (protocol double)";

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final String self;
  private final int port;
  private final List<String> members;
  private final InetSocketAddress grpc;
  private final InetSocketAddress http;

  private DoubleServer(Map<String, String> options) throws IOException {
    port = Integer.parseInt(options.getOrDefault("NodePort", ""));
    self = options.getOrDefault("NodeHostAdvertiseAs", "") + ":" + port;
    members =
        Stream.of(self + "," + options.getOrDefault("GossipSeed", ""))
            .flatMap(all -> Arrays.stream(all.split(",", -1)))
            .filter(member -> !member.isEmpty())
            .sorted()
            .toList();
    require(
        options.getOrDefault("ClusterSize", "").equals(members.size() + ""),
        "ClusterSize: " + members);
    for (String directory : List.of("Db", "Log")) {
      require(
          Files.isWritable(Path.of(options.getOrDefault(directory, ""))),
          directory + " cannot be written");
    }
    grpc = new ProtocolDouble().address();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer(server, "/info", this::info);
    answer(server, "/gossip", this::gossip);
    server.start();
    http = server.getAddress();
  }

  /** Takes {@code --config FILE}, and runs until it is killed. */
  public static void main(String[] args) throws IOException {
    require(args.length == 2 && args[0].equals("--config"), "it takes --config FILE");
    DoubleServer server = new DoubleServer(read(Path.of(args[1])));
    try (ServerSocket socket = new ServerSocket(server.port)) {
      while (true) {
        Socket client = socket.accept();
        server.threads.execute(() -> server.serve(client));
      }
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  private static Map<String, String> read(Path file) throws IOException {
    Map<String, String> options = new HashMap<>();
    String section = "";
    for (String line : Files.readAllLines(file)) {
      if (line.isBlank() || line.equals("---")) {
        continue;
      }
      int colon = line.indexOf(':');
      require(colon > 0, "not understood: " + line);
      String name = line.substring(0, colon);
      String value = line.substring(colon + 1).strip();
      if (value.isEmpty()) {
        section = name + ":";
        continue;
      }
      name = name.startsWith(" ") ? section + name.strip() : name;
      require(OPTIONS.containsKey(name), "unknown option: " + name);
      require(value.matches(OPTIONS.getOrDefault(name, "")), "cannot be rehearsed: " + line);
      options.put(name, value);
    }
    for (String name : OPTIONS.keySet()) {
      require(options.containsKey(name) || OPTIONAL.contains(name), name + " is missing");
    }
    return options;
  }

  private static void answer(HttpServer server, String path, Supplier<String> body) {
    server.createContext(
        path,
        exchange -> {
          byte[] bytes = body.get().getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }

  private String state(String member) {
    return member.equals(members.get(0)) ? "Leader" : "Follower";
  }

  private String info() {
    return "{\"dbVersion\": \"%s\", \"state\": \"%s\"}".formatted(VERSION, state(self));
  }

  private String gossip() {
    return members.stream()
        .map(
            member ->
                "{\"state\": \"%s\", \"isAlive\": %b, \"httpEndPointIp\": \"%s\"}"
                    .formatted(state(member), isAlive(member), member))
        .collect(Collectors.joining(", ", "{\"members\": [", "]}"));
  }

  private static boolean isAlive(String member) {
    int colon = member.indexOf(':');
    try (Socket socket = new Socket()) {
      String host = member.substring(0, colon);
      socket.connect(
          new InetSocketAddress(host, Integer.parseInt(member.substring(colon + 1))), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void serve(Socket client) {
    try (client) {
      byte[] start = client.getInputStream().readNBytes(3);
      InetSocketAddress to = new String(start, US_ASCII).equals("PRI") ? grpc : http;
      try (Socket server = new Socket(to.getAddress(), to.getPort())) {
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        server.getOutputStream().write(start);
        threads.execute(() -> copy(server, client));
        copy(client, server);
      }
    } catch (IOException e) {
      // The client's connection ends, which tells it.
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException e) {
      // The other direction ends too.
    }
  }
}
