package org.mqproof.cluster.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.ClusterHome;

/**
 * Asks a RabbitMQ cluster how it is, with new connections each time so that no answer is an old
 * one. Thread-safe: no state but the addresses. A call ends within 20 s unless it says otherwise.
 */
final class RabbitProbe {

  private static final String QUEUE = "mqproof-ready";
  private static final int SECONDS_TO_ANSWER = 5;
  private static final int SECONDS_TO_RESTART = 60;
  private static final int START_AGAIN_MILLIS = 500;
  private static final int CONNECT_MILLIS = 3_000;
  private static final int CONFIRM_MILLIS = 5_000;

  private static final Pattern NODE = Pattern.compile("rabbit(\\d+)@");

  /** Whether it has booted, how many nodes it was cut off from, and the nodes it works with. */
  private static final String VIEW =
      """
      Khepri = erlang:function_exported(rabbit_khepri, is_enabled, 0)
        andalso rabbit_khepri:is_enabled(),
      Running = case Khepri of
        true -> rabbit_nodes:list_running();
        false -> rabbit_mnesia:cluster_nodes(running) % whom Mnesia left is none of them
      end,
      CutOff = case erlang:function_exported(rabbit_node_monitor, partitions, 0) of
        true -> length(rabbit_node_monitor:partitions());
        false -> 0 % 4.3 does not count them: with Khepri alone no node goes on without the others
      end,
      lists:flatten(io_lib:format("~w|~w|~w", [rabbit:is_booted(), CutOff, Running])).
      """;

  /**
   * Ends the half second, or up to a whole one, in which a node has not yet written down that it
   * has a replica of a new quorum queue. Killed before that, it comes back with an empty replica,
   * whatever was in it and confirmed, and gets its messages again only with the next one sent. Also
   * ends the two seconds in which RabbitMQ 4.0 has not yet written down that there is a queue, or
   * is none any more: killed before that, all nodes come back without it, or with an empty one that
   * never has a leader.
   */
  private static final String WRITE_NAMES =
      """
      lists:foreach(fun(Table) -> dets:sync(Table) end, dets:all()),
      catch mnesia:sync_log(), % there is none with Khepri
      "done".
      """;

  /**
   * The queues of which a replica lacks something. A quorum queue's leader is asked first how far
   * it has come, and every replica then.
   */
  private static final String NOT_IN_SYNC =
      """
      Last = fun(S) ->
        proplists:get_value(<<"Log Index">>, S, proplists:get_value(<<"Last Log Index">>, S))
      end,
      Quorum = fun({resource, Host, queue, Name}) ->
        Status = fun() -> rabbit_quorum_queue:status(Host, Name) end,
        Commits = [proplists:get_value(<<"Commit Index">>, S)
          || S <- Status(), proplists:get_value(<<"Raft State">>, S) =:= leader],
        case Commits of
          [Commit] when is_integer(Commit) ->
            lists:all(
              fun(S) ->
                lists:member(proplists:get_value(<<"Raft State">>, S), [leader, follower])
                  andalso is_integer(Last(S)) andalso Last(S) >= Commit
              end,
              Status());
          _ -> false
        end
      end,
      Mirrored = fun(Q) ->
        case amqqueue:get_policy(Q) of
          undefined -> false;
          Policy -> proplists:get_value(name, Policy) =:= <<"mirrored">>
        end
      end,
      Classic = fun(Q) ->
        Pid = amqqueue:get_pid(Q),
        is_pid(Pid) andalso erpc:call(node(Pid), erlang, is_process_alive, [Pid], 3000)
          andalso (not Mirrored(Q) orelse length(amqqueue:get_sync_slave_pids(Q)) =:= %d)
      end,
      InSync = fun(Q) ->
        case amqqueue:get_type(Q) of
          rabbit_quorum_queue -> Quorum(amqqueue:get_name(Q));
          rabbit_classic_queue -> Classic(Q);
          _ -> true
        end
      end,
      Behind = [element(4, amqqueue:get_name(Q)) || Q <- rabbit_amqqueue:list(), not InSync(Q)],
      lists:flatten(["behind", [[32 | [C || C <- binary_to_list(Name), C > 34, C < 127]]
        || Name <- Behind]]).
      """
          .formatted(RabbitNodes.COUNT - 1);

  /** The leader of the first queue there is of some; by what this node has last heard. */
  private static final String LEADER =
      """
      Lookup = fun(Name) -> rabbit_amqqueue:lookup(rabbit_misc:r(<<"%s">>, queue, Name)) end,
      Leader = case [Q || {ok, Q} <- [Lookup(Name) || Name <- [%s]]] of
        [] -> "there is no such queue";
        [Queue | _] ->
          Pid = amqqueue:get_pid(Queue),
          case amqqueue:get_type(Queue) of
            rabbit_quorum_queue -> ra_leaderboard:lookup_leader(element(1, Pid));
            _ -> node(Pid)
          end
      end,
      lists:flatten(io_lib:format("~w", [Leader])).
      """;

  /**
   * {@code rabbit:start()} says ok and does nothing while the mark of an earlier boot is still
   * there, which may be some time after that boot's end.
   */
  private static final String START =
      """
      ok = (fun Start(0) -> not_started;
                Start(Left) ->
                  ok = rabbit:start(),
                  case rabbit:is_running() of
                    true -> ok;
                    false -> timer:sleep(100), Start(Left - 1)
                  end
            end)(100),
      "done".
      """;

  /**
   * A node serves clients before its boot has ended, and dies of a stop in between: the boot finds
   * it stopped then.
   */
  private static final String STOP =
      """
      ok = (fun Booting(0) -> still_booting;
                Booting(Left) ->
                  case whereis(rabbit_boot) of
                    undefined -> ok;
                    _ -> timer:sleep(100), Booting(Left - 1)
                  end
            end)(100),
      ok = rabbit:stop(),
      """;

  private static final String JOIN =
      STOP
          + """
      ok = case erlang:function_exported(rabbit_db_cluster, join, 2) of
        true -> rabbit_db_cluster:join('%1$s', disc); %% RabbitMQ 4
        false -> rabbit_mnesia:join_cluster('%1$s', disc)
      end,
      "done".
      """;

  private static final String RESTART = STOP + START;

  private static final String RUNNING = "atom_to_list(rabbit:is_running()).";

  private final ClusterHome home;
  private final ErlCall erlang;
  private final String firstNode;
  private final String password;

  /**
   * Asks nothing yet.
   *
   * @param erlang reaches every node
   * @param firstNode the name of node 1, which the others join
   */
  RabbitProbe(ClusterHome home, ErlCall erlang, String firstNode, String password) {
    this.home = home;
    this.erlang = erlang;
    this.firstNode = firstNode;
    this.password = password;
  }

  /**
   * What a node makes of its cluster.
   *
   * @param booted whether it serves clients
   * @param cutOff whether it knows nodes that went on without it, or it without them
   * @param running the nodes it works with, itself included
   */
  private record View(boolean booted, boolean cutOff, Set<Integer> running) {}

  private View view(int node) throws IOException, InterruptedException, TimeoutException {
    String[] parts = ask(node, VIEW).split("\\|", -1);
    return new View(parts[0].equals("true"), !parts[1].equals("0"), nodesIn(parts[2]));
  }

  private static Set<Integer> nodesIn(String text) {
    return NODE.matcher(text)
        .results()
        .map(match -> Integer.valueOf(match.group(1)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private String ask(int node, String expression)
      throws IOException, InterruptedException, TimeoutException {
    return erlang.string(node, expression, SECONDS_TO_ANSWER);
  }

  /**
   * Whether every node has booted, joined to others or not.
   *
   * @return what is not as it should be; empty if all have
   */
  List<String> notBooted() throws InterruptedException {
    return notAsItShouldBe(View::booted);
  }

  private interface Condition {
    boolean holds(View view);
  }

  private List<String> notAsItShouldBe(Condition condition) throws InterruptedException {
    List<String> problems = new ArrayList<>();
    for (int node = 1; node <= RabbitNodes.COUNT; node++) {
      try {
        View view = view(node);
        if (!condition.holds(view)) {
          problems.add("node %d: %s".formatted(node, view));
        }
      } catch (IOException | TimeoutException e) {
        problems.add("node %d: %s".formatted(node, e));
      }
    }
    return problems;
  }

  /**
   * Makes one cluster of nodes that have booted each on its own. Takes up to 180 s for each.
   *
   * @throws IOException what a node said against it
   * @throws TimeoutException if one said nothing
   */
  void join() throws IOException, InterruptedException, TimeoutException {
    for (int node = 2; node <= RabbitNodes.COUNT; node++) {
      erlang.string(node, JOIN.formatted(firstNode), SECONDS_TO_RESTART);
      start(node);
    }
  }

  /**
   * Starts RabbitMQ on a node that has joined. On a starved machine the nodes may lose each other
   * meanwhile; then the one in the minority stops as it starts, and can be started a moment later.
   */
  private void start(int node) throws IOException, InterruptedException, TimeoutException {
    long begin = System.nanoTime();
    while (true) {
      try {
        erlang.string(node, START, SECONDS_TO_RESTART);
        return;
      } catch (IOException e) {
        if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(SECONDS_TO_RESTART)) {
          throw e;
        }
        Thread.sleep(START_AGAIN_MILLIS);
      }
    }
  }

  /**
   * Looks whether every node works with every other, publishes to a quorum queue through each and
   * awaits the confirms, then looks whether every replica of every queue is in sync and none would
   * be forgotten by a node that dies now.
   *
   * @return what is not as it should be; empty if the cluster is ready
   */
  List<String> notReady() throws InterruptedException {
    List<String> problems =
        notAsItShouldBe(
            view -> view.booted() && !view.cutOff() && view.running().size() == RabbitNodes.COUNT);
    if (!problems.isEmpty()) {
      return problems;
    }
    try {
      for (int node = 1; node <= RabbitNodes.COUNT; node++) {
        publish(node);
        ask(node, WRITE_NAMES);
      }
      String behind = ask(1, NOT_IN_SYNC);
      return behind.equals("behind") ? List.of() : List.of(behind);
    } catch (IOException | ShutdownSignalException | TimeoutException e) {
      return List.of(e.toString());
    }
  }

  private void publish(int node) throws IOException, InterruptedException, TimeoutException {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost(home.host(node));
    factory.setPort(RabbitNodes.port(home, node));
    factory.setUsername(RabbitNodes.USER);
    factory.setPassword(password);
    factory.setVirtualHost(RabbitNodes.VIRTUAL_HOST);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(CONNECT_MILLIS);
    factory.setHandshakeTimeout(CONNECT_MILLIS);
    factory.setChannelRpcTimeout(CONFIRM_MILLIS);
    try (Connection connection = factory.newConnection("mqproof-ready");
        Channel channel = connection.createChannel()) {
      Map<String, Object> arguments = new HashMap<>();
      arguments.put("x-queue-type", "quorum");
      arguments.put("x-max-length", 1); // nobody receives them
      channel.queueDeclare(QUEUE, true, false, false, arguments);
      channel.confirmSelect();
      channel.basicPublish("", QUEUE, true, MessageProperties.PERSISTENT_BASIC, new byte[0]);
      channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
    }
  }

  /**
   * The node that leads a queue, by what most of the nodes say that can answer.
   *
   * @param queue its name, or its name without the prefix of mirrored queues
   * @param canAnswer whether a node is worth asking
   * @throws TimeoutException if none knows
   */
  int leader(String queue, IntPredicate canAnswer) throws InterruptedException, TimeoutException {
    String expression =
        LEADER.formatted(
            RabbitNodes.VIRTUAL_HOST,
            binary(queue) + ", " + binary(RabbitNodes.MIRRORED_PREFIX + queue));
    Map<Integer, Integer> votes = new TreeMap<>();
    List<String> unknown = new ArrayList<>();
    for (int node = 1; node <= RabbitNodes.COUNT; node++) {
      if (canAnswer.test(node)) {
        try {
          String answer = ask(node, expression);
          Set<Integer> leader = nodesIn(answer);
          leader.forEach(named -> votes.merge(named, 1, Integer::sum));
          if (leader.isEmpty()) {
            unknown.add("node %d: %s".formatted(node, answer));
          }
        } catch (IOException | TimeoutException e) {
          unknown.add("node %d: %s".formatted(node, e));
        }
      }
    }
    return votes.entrySet().stream()
        .max(
            Map.Entry.<Integer, Integer>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
        .orElseThrow(() -> new TimeoutException("no node knows: " + unknown))
        .getKey();
  }

  /** An Erlang term that no character of the name can break out of. */
  private static String binary(String name) {
    List<String> bytes = new ArrayList<>();
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      bytes.add(Integer.toString(b & 0xff));
    }
    return "<<" + String.join(",", bytes) + ">>";
  }

  /** The nodes that answer, and in which RabbitMQ does not run. */
  Set<Integer> stopped() throws InterruptedException {
    Set<Integer> stopped =
        IntStream.rangeClosed(1, RabbitNodes.COUNT)
            .boxed()
            .collect(Collectors.toCollection(TreeSet::new));
    for (int node = 1; node <= RabbitNodes.COUNT; node++) {
      try {
        if (ask(node, RUNNING).equals("true")) {
          stopped.remove(node);
        }
      } catch (IOException | TimeoutException e) {
        stopped.remove(node); // it is dead, paused or busy, which is another matter
      }
    }
    return stopped;
  }

  /**
   * Brings back nodes that went on without the majority. A node that was stopped for longer than
   * the tick time does not know it: it sees its connections end and come back at once, so that it
   * never counts as the minority that has to pause, and the partition stays until somebody starts
   * RabbitMQ anew on that node, which is what RabbitMQ's documentation asks of its operators. The
   * node may even see no partition itself, where the others see one and it sees only itself. Takes
   * up to 60 s for each.
   */
  void restartCutOff() throws InterruptedException {
    Map<Integer, View> views = new TreeMap<>();
    for (int node = 1; node <= RabbitNodes.COUNT; node++) {
      try {
        views.put(node, view(node));
      } catch (IOException | TimeoutException e) {
        return; // it starts or stops; this can be judged when all can say what they see
      }
    }
    if (views.values().stream().noneMatch(View::cutOff)) {
      return; // who works with few others is about to join them
    }
    List<Integer> minority =
        views.entrySet().stream()
            .filter(entry -> entry.getValue().booted())
            .filter(entry -> entry.getValue().running().size() * 2 <= RabbitNodes.COUNT)
            .map(Map.Entry::getKey)
            .toList();
    // Where each is alone the first one stays, for the others to come back to.
    int spared = minority.size() == RabbitNodes.COUNT ? 1 : 0;
    for (int node : minority.subList(spared, minority.size())) {
      try {
        erlang.string(node, RESTART, SECONDS_TO_RESTART);
      } catch (IOException | TimeoutException e) {
        throw new ClusterException(
            "node %d of RabbitMQ was cut off and does not come back".formatted(node), e);
      }
    }
  }
}
