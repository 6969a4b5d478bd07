package org.mqproof.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A headless Chromium with one page, told what to do over its standard input. It ends when that
 * closes, so also when this JVM is killed. For one thread; every wait is bounded.
 */
final class Chromium implements AutoCloseable {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final long BOUND_SECONDS = 60;

  /** The protocol's pipe is file descriptors 3 and 4; what Chromium prints is of no interest. */
  private static final String PIPE = "exec \"$@\" 3<&0 4>&1 1>&2";

  private final Process process;
  private final OutputStream in;
  private final BlockingQueue<JsonNode> incoming = new LinkedBlockingQueue<>();
  private final List<JsonNode> events = new ArrayList<>();
  private final String session;
  private int lastId;

  static Optional<Path> onPath() {
    return Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(System.getenv().getOrDefault("PATH", ""))
        .map(directory -> Path.of(directory, "chromium"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts it.
   *
   * @param profile an empty directory
   */
  Chromium(Path chromium, Path profile) throws IOException, InterruptedException {
    process =
        new ProcessBuilder(
                "sh",
                "-c",
                PIPE,
                "sh",
                chromium.toString(),
                "--headless",
                "--no-sandbox", // cannot be had as root, and the page is our own
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-quic",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--user-data-dir=" + profile,
                "--remote-debugging-pipe")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    in = process.getOutputStream();
    Thread reader = new Thread(this::read, "chromium");
    reader.setDaemon(true);
    reader.start();
    String target =
        call("", "Target.createTarget", Map.of("url", "about:blank")).path("targetId").asText();
    session =
        call("", "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
            .path("sessionId")
            .asText();
    for (String domain : List.of("Page", "Network", "Runtime", "Log")) {
      var unused = call(domain + ".enable", Map.of());
    }
  }

  private void read() {
    try (InputStream out = process.getInputStream()) {
      while (true) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        for (int b = out.read(); b != 0; b = out.read()) {
          if (b < 0) {
            throw new EOFException("chromium ended");
          }
          message.write(b);
        }
        incoming.add(MAPPER.readTree(message.toString(StandardCharsets.UTF_8)));
      }
    } catch (IOException e) {
      incoming.add(MAPPER.createObjectNode().put("end", String.valueOf(e.getMessage())));
    }
  }

  /** Asks the page, and waits for the answer. */
  JsonNode call(String method, Map<String, Object> params)
      throws IOException, InterruptedException {
    return call(session, method, params);
  }

  private JsonNode call(String session, String method, Map<String, Object> params)
      throws IOException, InterruptedException {
    ObjectNode request = MAPPER.createObjectNode().put("id", ++lastId).put("method", method);
    request.set("params", MAPPER.valueToTree(params));
    if (!session.isEmpty()) {
      request.put("sessionId", session);
    }
    in.write(MAPPER.writeValueAsBytes(request));
    in.write(0);
    in.flush();
    while (true) {
      JsonNode message = next(method);
      if (message.path("id").asInt() == lastId) {
        if (message.has("error")) {
          throw new IOException(method + ": " + message.get("error"));
        }
        return message.path("result");
      }
      events.add(message);
    }
  }

  private JsonNode next(String what) throws IOException, InterruptedException {
    JsonNode message = incoming.poll(BOUND_SECONDS, TimeUnit.SECONDS);
    if (message == null || message.has("end")) {
      throw new IOException("chromium did not answer: " + what);
    }
    return message;
  }

  /** Opens a page, and waits until everything that it asks for is there or refused. */
  void open(Path page) throws IOException, InterruptedException {
    events.clear();
    JsonNode answer = call("Page.navigate", Map.of("url", page.toUri().toString()));
    if (answer.has("errorText")) {
      throw new IOException(page + ": " + answer.path("errorText").asText());
    }
    while (of("Page.loadEventFired").isEmpty()) {
      events.add(next("load " + page));
    }
  }

  /** As wide as a screen, light or dark, or as on paper. */
  void look(int width, int height, String colours, String medium)
      throws IOException, InterruptedException {
    var unused =
        call(
            "Emulation.setDeviceMetricsOverride",
            Map.of(
                "width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    var unusedToo =
        call(
            "Emulation.setEmulatedMedia",
            Map.of(
                "media",
                medium,
                "features",
                List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
  }

  /** What an expression of JavaScript gives in the page. */
  JsonNode value(String expression) throws IOException, InterruptedException {
    return call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true))
        .path("result")
        .path("value");
  }

  /** A picture of what the screen shows, or of the whole page. */
  byte[] picture(boolean whole) throws IOException, InterruptedException {
    return Base64.getDecoder()
        .decode(
            call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", whole))
                .path("data")
                .asText());
  }

  /** Whole page, as it is printed. */
  byte[] pdf() throws IOException, InterruptedException {
    return Base64.getDecoder()
        .decode(
            call("Page.printToPDF", Map.of("preferCSSPageSize", true, "printBackground", false))
                .path("data")
                .asText());
  }

  /** Addresses that the page asked for, but for what is inside it. */
  List<String> requests() {
    return of("Network.requestWillBeSent").stream()
        .map(event -> event.path("request").path("url").asText())
        .filter(url -> !url.startsWith("data:"))
        .toList();
  }

  /** What the browser's console has, errors of scripts and refused requests included. */
  List<String> complaints() {
    List<String> complaints = new ArrayList<>();
    of("Runtime.consoleAPICalled").forEach(event -> complaints.add(event.toString()));
    of("Runtime.exceptionThrown").forEach(event -> complaints.add(event.toString()));
    of("Log.entryAdded").forEach(event -> complaints.add(event.toString()));
    return complaints;
  }

  private List<JsonNode> of(String method) {
    return events.stream()
        .filter(event -> event.path("method").asText().equals(method))
        .map(event -> event.path("params"))
        .toList();
  }

  @Override
  public void close() {
    List<ProcessHandle> children = process.descendants().toList();
    try {
      in.close(); // Chromium ends when its pipe does
    } catch (IOException e) {
      // it has ended already
    }
    try {
      boolean unused = process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
  }
}
