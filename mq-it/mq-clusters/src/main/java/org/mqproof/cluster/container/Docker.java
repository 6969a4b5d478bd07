package org.mqproof.cluster.container;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The {@code docker} command of this machine. Immutable.
 *
 * @param environment what it runs in: it is where {@code DOCKER_HOST} may be
 */
public record Docker(Map<String, String> environment) {

  private static final int SECONDS_TO_ANSWER = 10;
  private static final String CONTAINER_CLASS = "org.testcontainers.containers.GenericContainer";

  /** What keeps Testcontainers from images of its own, at which it pulls for minutes. */
  static final Map<String, String> SWITCHES =
      Map.of(
          "TESTCONTAINERS_CHECKS_DISABLE", "true",
          "TESTCONTAINERS_HOST_OVERRIDE", "localhost",
          "TESTCONTAINERS_RYUK_DISABLED", "true");

  /**
   * Why no container of an image can be started here. Nothing is ever pulled; an image that {@code
   * mq-it/images/build} is making at this moment is awaited.
   *
   * @param image with its tag
   * @param help what to do where the image is not there
   * @return empty if one can; else one sentence
   */
  public Optional<String> whyUnavailable(String image, String help) {
    return whyNoTestcontainers().or(this::whyNoEngine).or(() -> whyNoImage(image, help));
  }

  private Optional<String> whyNoTestcontainers() {
    try {
      Class.forName(CONTAINER_CLASS, false, Docker.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      return Optional.of(
          "Testcontainers is not on the class path: add org.testcontainers:testcontainers");
    }
    return environment.entrySet().containsAll(SWITCHES.entrySet())
        ? Optional.empty()
        : Optional.of(
            "Testcontainers would pull images of its own, which no cluster needs: set %s in the"
                    .formatted(new TreeMap<>(SWITCHES))
                + " environment");
  }

  private Optional<String> whyNoEngine() {
    try {
      String kernel = output("info", "--format", "{{.KernelVersion}}");
      return kernel.equals(System.getProperty("os.version"))
          ? Optional.empty()
          : Optional.of(
              "the Docker engine is in another machine or a virtual one, with kernel %s: let"
                      .formatted(kernel)
                  + " DOCKER_HOST name an engine of this machine itself");
    } catch (IOException e) {
      return Optional.of(
          "no Docker engine answers (%s): install one, on Debian with 'apt-get install docker.io',"
                  .formatted(e.getMessage())
              + " and start dockerd");
    }
  }

  private Optional<String> whyNoImage(String image, String help) {
    if (isThere(image)) {
      return Optional.empty();
    }
    if (image.startsWith(Image.LOCAL_PREFIX)) {
      ImageBuild.OF_THIS_MACHINE.awaitEnd();
      if (isThere(image)) {
        return Optional.empty();
      }
    }
    return Optional.of("there is no image %s here: %s".formatted(image, help));
  }

  private boolean isThere(String image) {
    try {
      output("image", "inspect", "--format", "{{.Id}}", image);
      return true;
    } catch (IOException e) {
      return false; // the engine itself answered just now
    }
  }

  /**
   * A command line of the docker program.
   *
   * @param arguments what comes after the name
   * @return a list that can be added to
   */
  public static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add("docker");
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * What docker answers, in one line.
   *
   * @param arguments what comes after the name
   * @return its output
   * @throws IOException with what it says instead, or that it says nothing for 10 s
   */
  public String output(String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command(arguments)).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(SECONDS_TO_ANSWER, TimeUnit.SECONDS)) {
        throw new IOException("no answer in %d s".formatted(SECONDS_TO_ANSWER));
      }
      String said = String.join(" ", process.inputReader().lines().toList()).strip();
      if (process.exitValue() != 0) {
        throw new IOException(said);
      }
      return said;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }
}
