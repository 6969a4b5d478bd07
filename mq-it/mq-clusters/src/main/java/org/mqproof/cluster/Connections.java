package org.mqproof.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** TCP connections of this JVM, as Linux lists them. Thread-safe: no state. */
final class Connections {

  private static final Pattern PORT = Pattern.compile(":(\\d+)");
  private static final String SOCKET = "socket:[";
  private static final String ESTABLISHED = "01";
  private static final int SS_SECONDS = 60;

  /** The ports of a connection, on this side and on the other. */
  private record Ports(int local, int remote) {}

  private Connections() {}

  /**
   * Ends the connections that were made from here to some ports.
   *
   * @param addresses texts with {@code host:port} in them
   * @return how many are gone; 0 if there was none, or this process may not
   */
  static int breakTo(Collection<String> addresses) {
    Set<Integer> ports =
        addresses.stream()
            .flatMap(text -> PORT.matcher(text).results())
            .map((MatchResult found) -> Integer.valueOf(found.group(1)))
            .collect(Collectors.toSet());
    try {
      Map<String, Ports> before = established(ports);
      if (before.isEmpty()) {
        return 0;
      }
      end(before.values());
      Map<String, Ports> gone = new HashMap<>(before);
      gone.keySet().removeAll(established(ports).keySet());
      return gone.size();
    } catch (IOException e) {
      return 0; // not Linux, or no ss: then nothing was ended
    }
  }

  /** Each connection of this JVM to one of these ports, by its inode. */
  private static Map<String, Ports> established(Set<Integer> remotes) throws IOException {
    Set<String> own = inodes();
    Map<String, Ports> established = new HashMap<>();
    for (String family : List.of("tcp", "tcp6")) {
      Path table = Path.of("/proc/self/net", family);
      for (String line : Files.exists(table) ? Files.readAllLines(table) : List.<String>of()) {
        // sl, local address, remote address, state, queues, timer, retransmits, uid, timeout, inode
        String[] words = line.strip().split("\\s+", -1);
        if (words[3].equals(ESTABLISHED)
            && own.contains(words[9])
            && remotes.contains(port(words[2]))) {
          established.put(words[9], new Ports(port(words[1]), port(words[2])));
        }
      }
    }
    return established;
  }

  private static int port(String hexAddress) {
    return Integer.parseInt(hexAddress.substring(hexAddress.indexOf(':') + 1), 16);
  }

  private static Set<String> inodes() throws IOException {
    Set<String> inodes = new HashSet<>();
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open.toList()) {
        String target = targetOf(descriptor);
        if (target.startsWith(SOCKET)) {
          inodes.add(target.substring(SOCKET.length(), target.length() - 1));
        }
      }
    }
    return inodes;
  }

  private static String targetOf(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed since it was listed
    }
  }

  /** Names both ports: Linux lets connections to several ports share the one on this side. */
  private static void end(Collection<Ports> connections) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("ss", "--kill", "--tcp", "state", "established"));
    String between = "(";
    for (Ports ports : connections) {
      command.addAll(List.of(between, "(", "sport", "=", ":" + ports.local(), "and"));
      command.addAll(List.of("dport", "=", ":" + ports.remote(), ")"));
      between = "or";
    }
    command.add(")");
    Process ss =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!ss.waitFor(SS_SECONDS, TimeUnit.SECONDS)) {
        ss.destroyForcibly();
        throw new ClusterException("ss did not end in %d s".formatted(SS_SECONDS));
      }
    } catch (InterruptedException e) {
      ss.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while connections were ended", e);
    }
  }
}
