package org.mqproof.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.function.Executable;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/** Interrupts and closing: ALO-13, ALO-14. One thread at a time. */
abstract class CallRules extends AckRules {

  /** Between two looks at the JVM's threads and sockets, which cost about a millisecond each. */
  private static final long LOOK_AGAIN_NANOS = 10_000_000;

  // --- ALO-13 ---

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 a waiting receive is interrupted soon, and the receiver works on")
  void alo13_aWaitingReceiveIsInterrupted() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver receiver = mq.receiver(queue);
    warmUp(receiver);
    BoundedCall<List<Delivery>> waiting =
        BoundedCall.start("receive", () -> receive(receiver, 10, patience().multipliedBy(2)));
    awaitBlocked(waiting);
    waiting.interrupt();
    requireInterrupted(waiting, "receive");
    List<Message> sent = messages("m", few(5));
    mq.sender(queue).send(sent);
    requireAllThere(idsOf(sent), receiver);
  }

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 a receive that finds messages is interrupted too, and they are kept")
  void alo13_aReceiveThatFindsMessagesIsInterrupted() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> sent = messages("m", few(5));
    mq.sender(queue).send(sent);
    Receiver receiver = mq.receiver(queue);
    BoundedCall<List<Delivery>> call =
        BoundedCall.start(
            "receive",
            () -> {
              Thread.currentThread().interrupt();
              return receive(receiver, 10, patience().multipliedBy(2));
            });
    requireInterrupted(call, "receive with the interrupt already set");
    receiver.close();
    requireAllThere(idsOf(sent), mq.receiver(queue));
  }

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 a send is interrupted soon; what was confirmed before is kept")
  void alo13_aSendIsInterrupted() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Set<String> confirmed = new LinkedHashSet<>();
    BoundedCall<@Nullable Void> sending =
        BoundedCall.start(
            "send",
            () -> {
              for (int i = 0; i < 20; i++) {
                List<Message> batch = messages("batch" + i + "-", 3);
                sender.send(batch);
                confirmed.addAll(idsOf(batch));
              }
              Thread.currentThread().interrupt();
              sender.send(messages("interrupted", 3));
              return null;
            });
    requireInterrupted(sending, "send");
    Set<String> missing = new LinkedHashSet<>(confirmed);
    drain(mq.receiver(queue), confirmed).forEach(missing::remove);
    if (!missing.isEmpty()) {
      throw breach("%s were confirmed before an interrupt, and lost", some(missing));
    }
  }

  private void requireInterrupted(BoundedCall<?> call, String what) throws InterruptedException {
    if (!call.endsWithin(patience())) {
      throw breach("%s went on for %s after the interrupt%s", what, patience(), call.stack());
    }
    Throwable failure = call.failure();
    if (!(failure instanceof InterruptedException)) {
      throw breach(
          failure,
          "an interrupted %s %s",
          what,
          failure == null ? "returned as if nothing had happened" : "threw " + failure);
    }
  }

  private void requireAllThere(Collection<String> sent, Receiver receiver)
      throws InterruptedException {
    Set<String> missing = missingFrom(receiver, sent);
    if (!missing.isEmpty()) {
      throw breach("%s were lost by an interrupt", some(missing));
    }
  }

  // --- ALO-14 ---

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 close can be called again")
  void alo14_closeIsIdempotent() throws Exception {
    Mq mq = connect();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    Map<String, Executable> closes = new LinkedHashMap<>();
    closes.put("Sender.close", sender::close);
    closes.put("Receiver.close", receiver::close);
    closes.put("Mq.close", mq::close);
    for (Map.Entry<String, Executable> close : closes.entrySet()) {
      runClose(close.getKey(), close.getValue());
      runClose("a second " + close.getKey(), close.getValue());
    }
    for (Map.Entry<String, Executable> close : closes.entrySet()) {
      runClose(close.getKey() + " after all was closed", close.getValue());
    }
  }

  private void runClose(String what, Executable close) {
    try {
      close.execute();
    } catch (Throwable e) {
      throw breach(e, "%s threw %s", what, e);
    }
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 calls on a closed sender or receiver throw IllegalStateException")
  void alo14_aClosedSenderOrReceiverRefusesCalls() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", 1));
    Receiver receiver = mq.receiver(queue);
    List<Delivery> held = List.copyOf(collect(receiver, 1).values());
    sender.close();
    receiver.close();
    requireRefusal("after Sender.close, send", () -> sender.send(messages("late", 1)));
    requireRefusal("after Sender.close, sendAsync", () -> sender.sendAsync(messages("late", 1)));
    requireRefusal("after Receiver.close, receive", () -> receiver.receive(1, Duration.ZERO));
    requireRefusal("after Receiver.close, ack", () -> receiver.ack(held));
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 closing the connection closes what was made from it")
  void alo14_aClosedConnectionRefusesCalls() throws Exception {
    Mq mq = connect();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    mq.close();
    requireRefusal("after Mq.close, createQueue", () -> mq.createQueue(queue));
    requireRefusal("after Mq.close, deleteQueue", () -> mq.deleteQueue(queue));
    requireRefusal("after Mq.close, sender", () -> mq.sender(queue));
    requireRefusal("after Mq.close, receiver", () -> mq.receiver(queue));
    requireRefusal("after Mq.close, send", () -> sender.send(messages("late", 1)));
    requireRefusal("after Mq.close, sendAsync", () -> sender.sendAsync(messages("late", 1)));
    requireRefusal("after Mq.close, receive", () -> receiver.receive(1, Duration.ZERO));
    requireRefusal("after Mq.close, ack", () -> receiver.ack(List.of()));
    if (!mq.traits().toString().equals(traits().toString())) {
      throw breach("after Mq.close, traits() was %s", mq.traits());
    }
  }

  private void requireRefusal(String what, Executable call) {
    try {
      call.execute();
    } catch (IllegalStateException e) {
      return;
    } catch (Throwable e) {
      throw breach(e, "%s threw no IllegalStateException but %s", what, e);
    }
    throw breach("%s threw no IllegalStateException, and returned", what);
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 no thread and no connection is left")
  void alo14_nothingIsLeft() throws Exception {
    Leftovers before = Leftovers.now();
    Mq mq = connect();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(5)));
    Receiver receiver = mq.receiver(queue);
    ackAndWait(receiver, collect(receiver, few(5)).values());
    mq.deleteQueue(queue);
    mq.close();
    requireNothingLeft(before, "a connection that was used and closed");
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 no thread and no connection is left by a connection that failed")
  void alo14_nothingIsLeftByAFailedConnection() throws Exception {
    endpoints(); // not a leftover
    Leftovers before = Leftovers.now();
    BoundedCall<Mq> connect = BoundedCall.start("connect to dead", this::connectToDead);
    if (!connect.endsWithin(traits().callBound().plus(slack()))) {
      inconclusive("connect hangs, which breaks ALO-18");
    }
    if (connect.failure() == null) {
      BoundedCall<@Nullable Void> close =
          BoundedCall.start(
              "close",
              () -> {
                connect.value().close();
                return null;
              });
      if (!close.endsWithin(traits().callBound().plus(slack()))) {
        inconclusive("close hangs, which breaks ALO-18");
      }
    }
    requireNothingLeft(before, "a connection to an endpoint that refuses it");
  }

  private void requireNothingLeft(Leftovers before, String by) {
    long start = System.nanoTime();
    Leftovers left = Leftovers.now().without(before);
    while (!left.isEmpty() && !hasPassed(patience(), start)) {
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
      left = Leftovers.now().without(before);
    }
    if (!left.isEmpty()) {
      throw breach("%s left %s after %s", by, left, patience());
    }
  }

  /** Threads and sockets of this JVM. Immutable. */
  private record Leftovers(Set<Thread> threads, Set<String> sockets) {

    /** Shared by the whole JVM and never ended, whoever was the first to need them. */
    private static final Set<String> OF_THE_JVM =
        Set.of("CompletableFutureDelayScheduler", "process reaper", "Attach Listener");

    static Leftovers now() {
      Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
      threads.removeIf(
          thread ->
              OF_THE_JVM.contains(thread.getName())
                  || thread.getName().startsWith("ForkJoinPool.commonPool-worker-")
                  || thread.getName().startsWith("mq-conformance ")
                  || thread.getThreadGroup() == null
                  || thread.getThreadGroup().getName().equals("system"));
      return new Leftovers(threads, openSockets());
    }

    /** Open sockets by their inode; none where the operating system does not list them. */
    private static Set<String> openSockets() {
      Set<String> sockets = new HashSet<>();
      Path descriptors = Path.of("/proc/self/fd");
      if (Files.isDirectory(descriptors)) {
        try (Stream<Path> open = Files.list(descriptors)) {
          for (Path descriptor : open.toList()) {
            String target = targetOf(descriptor);
            if (target.startsWith("socket:")) {
              sockets.add(target);
            }
          }
        } catch (IOException e) {
          throw new IllegalStateException("cannot list this process's open files", e);
        }
      }
      return sockets;
    }

    private static String targetOf(Path descriptor) {
      try {
        return Files.readSymbolicLink(descriptor).toString();
      } catch (IOException e) {
        return ""; // closed since it was listed
      }
    }

    Leftovers without(Leftovers before) {
      Set<Thread> newThreads = new HashSet<>(threads);
      newThreads.removeAll(before.threads);
      Set<String> newSockets = new HashSet<>(sockets);
      newSockets.removeAll(before.sockets);
      return new Leftovers(newThreads, newSockets);
    }

    boolean isEmpty() {
      return threads.isEmpty() && sockets.isEmpty();
    }

    @Override
    public String toString() {
      List<String> text = new ArrayList<>();
      threads.forEach(
          thread -> {
            StackTraceElement[] stack = thread.getStackTrace();
            text.add(
                "thread '%s'%s"
                    .formatted(thread.getName(), stack.length == 0 ? "" : " at " + stack[0]));
          });
      sockets.forEach(socket -> text.add("connection " + socket));
      return text.toString();
    }
  }
}
