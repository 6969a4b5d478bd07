package org.mqproof.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;

/** Headers, which arrive as bodies do: ALO-04. One thread at a time. */
abstract class HeaderRules extends SendRules {

  /** More headers of one message are declared for nobody: the kit does not send them. */
  private static final int MOST_CHECKED = 1_000;

  private static final int LONGEST_NAME = 100;

  /**
   * What is changed by those who normalize, trim, fold, escape, unescape or guess a type, and the
   * first and last characters of the ranges that are allowed.
   */
  static final List<String> VALUES =
      List.of(
          "e\u0301 \u00e9 A\u030a \u212b",
          "\u1112\u1161\u11ab \ud55c",
          "a\u0323\u0307 a\u0307\u0323",
          "\ufb01 \uff41 \u2460 \u00b2 \u2126",
          "\u0130 \u0131 \u00df \u1e9e \u01c5",
          "\u00a0no break\u3000",
          "\ufeffmark first",
          "\u200bzero\u200d\u00ad\u2060",
          "\u202ertl \u05d0\u05d1\u200f",
          "\u2028\u2029",
          "\ud7ff\ue000\uf8ff\ufffd",
          "\ud800\udc00\ud83f\udfff\udbff\udfff",
          "\ud83d\udc68\u200d\ud83d\udc67\ufe0f",
          " ",
          "\t",
          "\n",
          "\r\n",
          "   \n \t",
          "007",
          "-0.0",
          "1e5",
          "9223372036854775808",
          "true",
          "NaN",
          "{}",
          "[1]",
          "\"quoted\"",
          "'",
          "\\",
          "\\u0041\\n",
          "%41%",
          "+ &amp; &#65; <b>",
          "=?utf-8?q?=41?=",
          "a=b; c=\"d, e\"",
          "v",
          "0",
          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
          "application/json; charset=\"utf-8\"",
          " spaces at both ends ",
          "a\ttab, a\nline, a\r\nline of Windows",
          "\u00fcml\u00e4ut \u0434\u0430 \u4e2d\u6587",
          "\ud83d\ude80",
          "null",
          "%00 \\0 ${x} {y} <z/> 'a' \"b\", c=d;e");

  /** Names that are changed by those who escape them, and names that systems use themselves. */
  private static final List<String> NAMES =
      List.of(
          "-",
          "_",
          "7",
          "a_b",
          "a-b",
          "a.b",
          "a_2e_b",
          "null",
          "AND",
          "x-death",
          "x-delay",
          "X-Request-Id",
          "content-type",
          "Content-Type",
          "contentType",
          "Content-Length",
          "content-encoding",
          "message-id",
          "messageId",
          "correlation-id",
          "reply-to",
          "timestamp",
          "type",
          "id",
          "priority",
          "expiration",
          "body",
          "JMSType",
          "JMSXGroupID",
          "JMSXDeliveryCount",
          "Nats-Msg-Id",
          "Status",
          "AWS.name",
          "KEYS",
          "TAGS",
          "UNIQ_KEY",
          "traceparent",
          "__key");

  @Checks(AloRule.ALO_04)
  @DisplayName(
      "ALO-04 drawn headers, of some messages of a batch and not of others, arrive as sent")
  void alo04_headersArriveAsSent() throws Exception {
    requireHeaders();
    List<Message> sent = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      String id = "m" + i;
      int room = roomForHeaders(id.length());
      int most = Math.min(traits().mostHeaders(), i % 3 == 1 ? 4 : 20);
      sent.add(new Message(id.getBytes(UTF_8), i % 3 == 0 ? Map.of() : drawHeaders(most, room)));
    }
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    for (int from = 0, size = 1; from < sent.size(); from += size++) {
      sender.send(sent.subList(from, Math.min(sent.size(), from + size)));
    }
    requireArrival(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 every kind of value arrives as sent, beside empty, small and large bodies")
  void alo04_valuesOfEveryKindArriveBesideEveryBody() throws Exception {
    requireHeaders();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<Message> sent = new ArrayList<>();
    List<Message> batch = new ArrayList<>();
    List<String> values = new ArrayList<>(VALUES);
    for (int i = 0; i < 12; i++) {
      values.add(drawValue());
    }
    int next = 0;
    for (int round = 0; next < values.size() && round < 200; round++) {
      // In each batch, and alone.
      int bytes = new int[] {0, 1, 0, 9, 1_000, 0, 70_000}[round % 7];
      byte[] body = new byte[Math.min(bytes, traits().largestBodyBytes() / 2)];
      random.nextBytes(body);
      int room = roomForHeaders(body.length);
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("n", Integer.toString(round));
      room -= 1 + Integer.toString(round).length();
      for (int i = round % 4; i >= 0 && next < values.size(); i--) {
        String name = List.of("k-1", "K-1", "k.1", "k_1").get(i);
        String value = values.get(next++);
        int size = name.length() + value.getBytes(UTF_8).length;
        if (size <= room && headers.size() < traits().mostHeaders()) {
          headers.put(name, value);
          room -= size;
        }
      }
      if (room < 0) {
        break;
      }
      Message one = new Message(body, headers);
      sent.add(one);
      batch.add(one);
      switch (round % 5) {
        case 0 -> {
          sender.send(batch);
          batch = new ArrayList<>();
        }
        case 2 -> {
          sender.sendAsync(batch).get(patience().toMillis(), TimeUnit.MILLISECONDS);
          batch = new ArrayList<>();
        }
        default -> {} // with the next
      }
    }
    sender.send(batch);
    requireEach(mq.receiver(queue), sent);
  }

  /** Characters of each range that is allowed, combining marks in any order among them. */
  private String drawValue() {
    int[][] ranges = {
      {'!', '~'},
      {0xA0, 0xFF},
      {0x300, 0x36F},
      {0x1100, 0x11FF},
      {0x2000, 0x206F},
      {0xE000, 0xF8FF},
      {0xFB00, 0xFDCF},
      {0xFF00, 0xFFEF},
      {0x1F300, 0x1F6FF},
      {0xE0100, 0xE01EF},
      {'a', 'z'}
    };
    StringBuilder value = new StringBuilder();
    for (int i = draw(1, 24); i > 0; i--) {
      int[] range = ranges[random.nextInt(ranges.length)];
      value.appendCodePoint(draw(range[0], range[1]));
    }
    return value.toString();
  }

  /** A message by what it holds. */
  private record Content(int length, int hash, Map<String, String> headers) {
    static Content of(Message message) {
      return new Content(
          message.body().length,
          Arrays.hashCode(message.body()),
          Objects.requireNonNullElse(message.headers(), Map.of()));
    }

    List<Integer> body() {
      return List.of(length, hash);
    }
  }

  /** Each by its body and its headers, of which one is a number that is no other's. */
  private void requireEach(Receiver receiver, List<Message> sent) throws Exception {
    Map<Content, Message> missing = new LinkedHashMap<>();
    sent.forEach(message -> missing.put(Content.of(message), message));
    Set<Content> known = Set.copyOf(missing.keySet());
    Waiting waiting = new Waiting(patience());
    while (!missing.isEmpty() && !waiting.isOver()) {
      List<Delivery> got = receive(receiver, 50, oneWait());
      int before = missing.size();
      for (Delivery delivery : got) {
        Message one = delivery.message();
        if (!known.contains(Content.of(one))) {
          String number = Content.of(one).headers.get("n");
          for (Message other : sent) {
            if (Objects.equals(other.headers().get("n"), number)) {
              requireSameHeaders("number " + number, other, one);
            }
          }
          throw breach("%s came, with headers that no such body had been sent with", one);
        }
        missing.remove(Content.of(one));
      }
      waiting.progress(missing.size() < before);
      ackIfPossible(receiver, got);
    }
    Set<List<Integer>> bodies = new LinkedHashSet<>();
    known.stream().filter(one -> !missing.containsKey(one)).forEach(one -> bodies.add(one.body()));
    boolean equal = missing.keySet().removeIf(one -> bodies.contains(one.body()));
    if (!missing.isEmpty()) {
      throw breach("%s were not delivered", some(missing.values()));
    }
    if (equal) {
      inconclusive("of messages with equal bodies some are lost, which breaks ALO-01");
    }
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 as many and as large headers as declared arrive, with the largest body too")
  void alo04_theLargestHeadersArrive() throws Exception {
    requireHeaders();
    List<Message> sent = new ArrayList<>();
    int most = Math.min(traits().mostHeaders(), MOST_CHECKED);
    int bytes = largestHeaders(roomForHeaders("m0".length()));
    sent.add(new Message("m0".getBytes(UTF_8), filled(1, bytes)));
    sent.add(new Message("m1".getBytes(UTF_8), filled(most, bytes)));
    sent.add(new Message("m2".getBytes(UTF_8), filled(Math.max(1, most / 2), bytes)));
    if (traits().largestBodyBytes() <= LARGEST_CHECKED_BYTES) {
      byte[] body = new byte[traits().largestBodyBytes() - bytes];
      random.nextBytes(body);
      sent.add(new Message(body, filled(most, bytes)));
    }
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    for (Message message : sent) {
      sender.send(List.of(message));
    }
    requireArrival(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 headers of strange names arrive as sent, or are REJECTED as reserved")
  void alo04_strangeNamesArriveOrAreRejected() throws Exception {
    requireHeaders();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<Message> sent = new ArrayList<>();
    for (String name : NAMES) {
      if (name.length() + 1 > roomForHeaders(3)) {
        continue;
      }
      Message message = new Message(("m" + sent.size()).getBytes(UTF_8), Map.of(name, "v"));
      try {
        sender.send(List.of(message));
        sent.add(message);
      } catch (SendFailedException e) {
        if (!e.outcomes().equals(List.of(Outcome.REJECTED))) {
          throw breach(e, "a message with a header of the name '%s' was %s", name, e.outcomes());
        }
      }
    }
    requireArrival(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_04)
  @Order(Checks.LONG)
  @DisplayName(
      "ALO-04 headers come again with a redelivery, after a close, a release and an expiry")
  void alo04_headersComeAgain() throws Exception {
    requireHeaders();
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> sent =
        List.of(
                new Message("m".getBytes(UTF_8), drawHeaders(3, roomForHeaders(1))),
                new Message(new byte[0], Map.of("k", "v")))
            .subList(0, few(2));
    mq.sender(queue).send(sent);
    for (Mq next : List.of(mq, mq, open())) {
      try (Receiver receiver = next.receiver(queue)) {
        requireSameHeaders(sent, hold(receiver, sent.size()), "a close");
      }
    }
    Receiver last = mq.receiver(queue);
    if (canRelease(last)) {
      List<Delivery> held = hold(last, sent.size());
      requireSameHeaders(sent, held, "a close");
      if (settles(last.release(held))) {
        requireSameHeaders(sent, hold(last, sent.size()), "a release");
      }
    }
    if (traits().claimPeriod().isPresent()) {
      pass(traits().claimPeriod().orElseThrow().plusMillis(1));
      requireSameHeaders(sent, hold(open().receiver(queue), sent.size()), "an expiry");
    }
  }

  private void requireSameHeaders(List<Message> sent, List<Delivery> got, String after) {
    if (got.isEmpty()) {
      inconclusive("%s did not give the messages back, which breaks another rule", after);
    }
    for (Delivery delivery : got) {
      boolean empty = delivery.message().body().length == 0;
      requireSameHeaders(
          empty ? "an empty body" : "m", sent.get(empty ? 1 : 0), delivery.message());
    }
  }

  @Checks(AloRule.ALO_04)
  @DisplayName(
      "ALO-04 headers over a declared limit are REJECTED, and harm no other of their batch")
  void alo04_headersOverALimitAreRejected() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver receiver = mq.receiver(queue);
    if (traits().mostHeaders() == 0 && isOfAnEarlierContract(receiver)) {
      inconclusive("the receiver knows neither release nor extend: it is of a contract before 1.0");
    }
    Sender sender = mq.sender(queue);
    for (Map.Entry<String, Message> one : overTheLimits(0).entrySet()) {
      SendFailedException failure = failureOf(sender, List.of(one.getValue()), false);
      if (failure == null) {
        throw breach("a message %s was confirmed", one.getKey());
      }
      if (!failure.outcomes().equals(List.of(Outcome.REJECTED))) {
        throw breach(failure, "a message %s was %s", one.getKey(), failure.outcomes());
      }
    }
    List<Message> sent = new ArrayList<>();
    for (boolean async : new boolean[] {false, true}) {
      List<Message> batch = new ArrayList<>(overTheLimits(async ? 1 : 2).values());
      for (int i = 0, good = batch.size() + 1; i < good; i++) {
        byte[] id = ((async ? "a" : "m") + i).getBytes(UTF_8);
        boolean plain = i % 2 == 0 || traits().mostHeaders() == 0;
        Message one =
            new Message(id, plain ? Map.of() : drawHeaders(2, Math.min(9, roomForHeaders(2))));
        batch.add(2 * i, one);
        sent.add(one);
      }
      SendFailedException failure = failureOf(sender, batch, async);
      // What it says of the others is for ALO-03.
      for (int i = 1; failure != null && i < batch.size(); i += 2) {
        if (failure.outcomes().size() == batch.size()
            && failure.outcomes().get(i) == Outcome.UNKNOWN) {
          throw breach(
              failure, "message %d of %d is over a limit, and was UNKNOWN", i, batch.size());
        }
      }
    }
    requireArrival(receiver, sent);
  }

  /** Messages that cannot be sent, by what is wrong with them; their bodies are no others'. */
  private Map<String, Message> overTheLimits(int number) {
    byte[] body = ("x" + number).getBytes(UTF_8);
    byte[] another = ("y" + number).getBytes(UTF_8);
    Map<String, Message> over = new LinkedHashMap<>();
    int most = traits().mostHeaders();
    int bytes = traits().largestHeadersBytes();
    if (most < MOST_CHECKED) {
      over.put("with " + (most + 1) + " headers", new Message(body, filled(most + 1, 0)));
    }
    if (most > 0 && bytes < LARGEST_CHECKED_BYTES) {
      over.put(
          "with " + (bytes + 1) + " bytes of headers", new Message(another, filled(1, bytes + 1)));
    }
    int largest = traits().largestBodyBytes();
    if (most > 0 && largest < LARGEST_CHECKED_BYTES && roomForHeaders(0) >= 2) {
      byte[] almost = Arrays.copyOf(("z" + number).getBytes(UTF_8), largest - 1);
      over.put("of " + (largest + 1) + " bytes in all", new Message(almost, filled(1, 2)));
    }
    if (over.isEmpty()) {
      inconclusive("limits of %d headers, %d bytes: the kit sends no more", most, bytes);
    }
    return over;
  }

  private @Nullable SendFailedException failureOf(Sender sender, List<Message> batch, boolean async)
      throws Exception {
    try {
      if (async) {
        CompletableFuture<Void> sent = sender.sendAsync(batch);
        sent.get(patience().plus(traits().callBound()).toMillis(), TimeUnit.MILLISECONDS);
      } else {
        sender.send(batch);
      }
      return null;
    } catch (SendFailedException e) {
      return e;
    } catch (TimeoutException e) {
      throw breach(e, "the future of sendAsync did not complete");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SendFailedException failure) {
        return failure;
      }
      throw e;
    }
  }

  private void requireHeaders() {
    if (traits().mostHeaders() == 0 || roomForHeaders(3) < 2) {
      inconclusive("no headers are declared");
    }
  }

  /** How many bytes of headers a message with such a body can have. */
  private int roomForHeaders(int bodyBytes) {
    return Math.min(traits().largestHeadersBytes(), traits().largestBodyBytes() - bodyBytes);
  }

  private static int largestHeaders(int room) {
    return Math.min(room, LARGEST_CHECKED_BYTES);
  }

  /** Headers whose names have all that is allowed, and some that differ only in case. */
  private Map<String, String> drawHeaders(int most, int room) {
    Map<String, String> headers = new LinkedHashMap<>();
    int count = draw(1, Math.max(1, most));
    int left = room;
    for (int i = 0; headers.size() < count && i < 3 * count; i++) {
      String name =
          switch (i % 4) {
            case 0 -> "h" + (char) ('a' + random.nextInt(26));
            case 1 -> "Trace.State_of-" + random.nextInt(10);
            case 2 -> ("n" + "x.Y-z_9".repeat(15)).substring(0, draw(1, LONGEST_NAME - 1)) + "0";
            default -> "trace.state_OF-" + random.nextInt(10);
          };
      String value = VALUES.get(random.nextInt(VALUES.size()));
      if (random.nextInt(6) == 0) {
        value = value.repeat(draw(10, 300));
      }
      int bytes = name.length() + value.getBytes(UTF_8).length;
      if (bytes > left) {
        name = "k" + random.nextInt(10);
        value = "v";
        bytes = 3;
      }
      if (bytes <= left && headers.putIfAbsent(name, value) == null) {
        left -= bytes;
      }
    }
    return headers.isEmpty() && room >= 2 ? Map.of("k", "v") : headers;
  }

  /** So many headers, or as many as fit, of so many bytes in all, or as few as they need. */
  private static Map<String, String> filled(int count, int bytes) {
    Map<String, String> headers = new LinkedHashMap<>();
    int left = bytes;
    for (int i = 0; i < count; i++) {
      String name = "h" + Integer.toString(i, Character.MAX_RADIX);
      if (bytes > 0 && left - name.length() < 1) {
        break;
      }
      headers.put(name, "v");
      left -= name.length() + 1;
    }
    if (headers.isEmpty()) {
      headers.put("h", "v");
      left = bytes - 2;
    }
    if (left > 0) {
      String last = headers.keySet().iterator().next();
      // Two bytes each, so that bytes are counted and not characters.
      headers.put(last, "v" + "x".repeat(left % 2) + "\u00fc".repeat(left / 2));
    }
    return headers;
  }

  /** By their bodies, which are different. */
  private void requireArrival(Receiver receiver, List<Message> sent) throws Exception {
    Map<String, Message> missing = new LinkedHashMap<>();
    sent.forEach(message -> missing.put(key(message), message));
    Set<String> known = Set.copyOf(missing.keySet());
    Waiting waiting = new Waiting(patience());
    while (!missing.isEmpty() && !waiting.isOver()) {
      List<Delivery> got = receive(receiver, 50, oneWait());
      boolean progress = false;
      for (Delivery delivery : got) {
        String key = key(delivery.message());
        Message one = missing.remove(key);
        if (!known.contains(key)) {
          throw breach("%s was delivered, which was rejected or never sent", delivery.message());
        }
        if (one != null) {
          requireSameHeaders(key.length() > 20 ? "the largest" : key, one, delivery.message());
          progress = true;
        }
      }
      waiting.progress(progress);
      ackIfPossible(receiver, got);
    }
    if (!missing.isEmpty()) {
      Set<String> names = new LinkedHashSet<>();
      missing.forEach((key, one) -> names.add(key.length() > 20 ? "the largest" : key));
      throw breach("%s, sent beside messages with headers, were not delivered", some(names));
    }
  }

  private static String key(Message message) {
    return message.body().length <= 20
        ? id(message)
        : Arrays.hashCode(message.body()) + " is the hash of the body";
  }

  private void requireSameHeaders(String name, Message sent, Message got) {
    Map<String, String> expected = sent.headers();
    Map<String, String> seen = Objects.requireNonNullElse(got.headers(), Map.of());
    if (seen.equals(expected)) {
      return;
    }
    List<String> differences = new ArrayList<>();
    Set<String> names = new LinkedHashSet<>(expected.keySet());
    names.addAll(seen.keySet());
    for (String header : names) {
      String was = expected.get(header);
      String is = seen.get(header);
      if (!Objects.equals(was, is)) {
        differences.add("%s was %s and is %s".formatted(header, quoted(was), quoted(is)));
      }
    }
    throw breach(
        "%s was sent with %d headers, and arrived with %d: %s",
        name, expected.size(), seen.size(), some(differences));
  }

  private static String quoted(@Nullable String value) {
    if (value == null) {
      return "not there";
    }
    return value.length() <= 40
        ? "'" + value + "'"
        : "'%s...' of %d characters".formatted(value.substring(0, 40), value.length());
  }
}
