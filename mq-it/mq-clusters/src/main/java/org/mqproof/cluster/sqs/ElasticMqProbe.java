package org.mqproof.cluster.sqs;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks an ElasticMQ node to do real work, in the JSON protocol of Amazon SQS and without a client
 * library. Thread-safe: no state but the address.
 */
final class ElasticMqProbe {

  private static final String QUEUE = "mqproof-ready";
  private static final int CALL_MILLIS = 3_000;
  private static final int WAIT_SECONDS = 1;
  private static final Pattern HANDLE = Pattern.compile("\"ReceiptHandle\"\\s*:\\s*\"([^\"]+)\"");

  private final String endpoint;

  ElasticMqProbe(String endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Stores a message on disk and takes it out again.
   *
   * @throws IOException if that fails; each of four steps is bounded by 3 s, or 6 s if the node
   *     neither refuses connections nor answers
   */
  void sendAndReceive() throws IOException {
    String queue = "\"QueueUrl\":\"%s/000000000000/%s\"".formatted(endpoint, QUEUE);
    call("CreateQueue", "{\"QueueName\":\"%s\"}".formatted(QUEUE));
    call("SendMessage", "{%s,\"MessageBody\":\"ready\"}".formatted(queue));
    String received =
        call("ReceiveMessage", "{%s,\"WaitTimeSeconds\":%d}".formatted(queue, WAIT_SECONDS));
    Matcher handle = HANDLE.matcher(received);
    if (!handle.find()) {
      throw new IOException("a message that was confirmed is not delivered by " + endpoint);
    }
    call("DeleteMessage", "{%s,\"ReceiptHandle\":\"%s\"}".formatted(queue, handle.group(1)));
  }

  private String call(String action, String json) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(endpoint).toURL().openConnection();
    try {
      connection.setConnectTimeout(CALL_MILLIS);
      connection.setReadTimeout(CALL_MILLIS);
      connection.setDoOutput(true);
      connection.setRequestMethod("POST");
      connection.setRequestProperty("Content-Type", "application/x-amz-json-1.0");
      connection.setRequestProperty("X-Amz-Target", "AmazonSQS." + action);
      connection.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8));
      try (InputStream answer = connection.getInputStream()) {
        return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      throw new IOException("%s at %s: %s".formatted(action, endpoint, e.getMessage()), e);
    } finally {
      connection.disconnect();
    }
  }
}
