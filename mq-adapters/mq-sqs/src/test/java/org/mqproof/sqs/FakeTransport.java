package org.mqproof.sqs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Notes every request, and answers as the test says. For one thread. */
final class FakeTransport implements Transport {

  /** A request of several entries, to be answered by the test. */
  record Asked(List<?> entries, CompletableFuture<List<@Nullable RequestFailed>> answer) {

    void answerAll() {
      List<@Nullable RequestFailed> none = new ArrayList<>();
      entries.forEach(entry -> none.add(null));
      answer.complete(none);
    }

    /** Texts of messages, or handles. */
    List<String> texts() {
      return entries.stream()
          .map(
              entry ->
                  entry instanceof Outgoing message
                      ? message.text()
                      : entry instanceof Claim claim ? claim.handle() : (String) entry)
          .toList();
    }
  }

  final Queue<Asked> sends = new ConcurrentLinkedQueue<>();
  final Queue<Asked> deletes = new ConcurrentLinkedQueue<>();
  final Queue<Asked> releases = new ConcurrentLinkedQueue<>();
  boolean answersClaims = true;
  volatile boolean closed;
  final Deque<CompletableFuture<String>> urls = new ArrayDeque<>();
  final Deque<CompletableFuture<List<Taken>>> toReceive = new ArrayDeque<>();

  @Override
  public CompletableFuture<String> queueUrl(String name) {
    CompletableFuture<String> answer = urls.poll();
    return answer == null ? CompletableFuture.completedFuture("url of " + name) : answer;
  }

  @Override
  public CompletableFuture<?> createQueue(String name) {
    return CompletableFuture.completedFuture(name);
  }

  @Override
  public CompletableFuture<Map<String, String>> attributes(String url) {
    return CompletableFuture.completedFuture(Map.of());
  }

  @Override
  public CompletableFuture<?> deleteQueue(String url) {
    return CompletableFuture.completedFuture(url);
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> send(
      String url, List<Outgoing> messages) {
    return ask(sends, messages);
  }

  @Override
  public CompletableFuture<List<Taken>> receive(
      String url, int max, int waitSeconds, int claimSeconds) {
    CompletableFuture<List<Taken>> answer = toReceive.poll();
    return answer == null ? CompletableFuture.completedFuture(List.of()) : answer;
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> delete(String url, List<String> handles) {
    return ask(deletes, handles);
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> claim(String url, List<Claim> claims) {
    CompletableFuture<List<@Nullable RequestFailed>> answer = ask(releases, claims);
    if (answersClaims) {
      releases.forEach(Asked::answerAll);
    }
    return answer;
  }

  private static CompletableFuture<List<@Nullable RequestFailed>> ask(
      Queue<Asked> asked, List<?> entries) {
    CompletableFuture<List<@Nullable RequestFailed>> answer = new CompletableFuture<>();
    asked.add(new Asked(List.copyOf(entries), answer));
    return answer;
  }

  @Override
  public void close() {
    closed = true;
  }
}
