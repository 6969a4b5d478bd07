package org.mqproof.interleavings;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;

/**
 * Threads that call methods of one object at the same time.
 *
 * <p>The object's class is public, has a public constructor without parameters, which sets up, and
 * public methods without parameters: those that race, and one marked {@link Validate} that judges
 * the object after each run. What the others return or throw is not looked at.
 *
 * @param operations the object's class
 * @param threads for each thread the names of the methods that it calls, separated by blanks
 */
public record Race(Class<?> operations, List<String> threads) {

  /** Runs of one race, each mutant is found in far fewer. */
  private static final int INTERLEAVINGS = 300;

  private static final String FAILED = "The race failed: ";

  /** Lincheck gives up on one interleaving after 30 s. */
  private static final long JVM_SECONDS = 120;

  /**
   * Makes a race.
   *
   * @param operations the object's class
   * @param threads for each thread the names of the methods that it calls, separated by blanks
   * @return the race
   */
  public static Race of(Class<?> operations, String... threads) {
    return new Race(operations, List.of(threads));
  }

  /**
   * Runs the race in many interleavings.
   *
   * @throws AssertionError with the interleaving that does not pass the validation, or ends with
   *     threads that wait for ever
   */
  public void check() {
    new ModelCheckingOptions()
        .iterations(0)
        .invocationsPerIteration(INTERLEAVINGS)
        .minimizeFailedScenario(false)
        .addCustomScenario(scenario())
        // The default calls one method after the other, and waits for ever if the first one waits.
        .verifier(EpsilonVerifier.class)
        .check(operations);
  }

  /**
   * Runs the race with a mutant in place of the class under test, in a JVM of its own: Lincheck
   * keeps what it made of a class by the class's name.
   *
   * @param mutant of any class under test
   * @param symptom part of the failure's text
   * @throws AssertionError if the race does not fail, or fails with another text
   */
  public void mustFail(Mutant mutant, String symptom) {
    try {
      Path directory = Files.createTempDirectory("mutant");
      try {
        mutant.compileInto(directory);
        String output = runInJvm(directory);
        if (!output.contains(FAILED) || !output.contains(symptom)) {
          throw new AssertionError(
              "the race did not fail with \"%s\": %s".formatted(symptom, output));
        }
      } finally {
        delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String runInJvm(Path firstOfClassPath) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("-")) { // surefire's own have been read
        command.add(argument);
      }
    }
    command.add("-cp");
    command.add(firstOfClassPath + File.pathSeparator + System.getProperty("java.class.path"));
    command.add(Race.class.getName());
    command.add(operations.getName());
    command.addAll(threads);
    Path output = firstOfClassPath.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(JVM_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("no end after " + JVM_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /**
   * Runs a race and prints how it fails.
   *
   * @param args the object's class, then the threads
   * @throws ClassNotFoundException if there is no such class
   */
  public static void main(String[] args) throws ClassNotFoundException {
    List<String> arguments = List.of(args);
    try {
      new Race(Class.forName(args[0]), arguments.subList(1, args.length)).check();
    } catch (LincheckAssertionError e) {
      System.out.println(FAILED + e.getMessage());
    }
    System.exit(0); // threads that wait for ever are not daemons
  }

  private ExecutionScenario scenario() {
    List<List<Actor>> actors = threads.stream().map(this::actors).toList();
    return new ExecutionScenario(List.of(), actors, List.of(), validation());
  }

  private List<Actor> actors(String names) {
    return Stream.of(names.split(" ", -1))
        .map(
            name -> {
              try {
                return new Actor(operations.getMethod(name), List.of());
              } catch (NoSuchMethodException e) {
                throw new IllegalArgumentException(operations + " has no method " + name, e);
              }
            })
        .toList();
  }

  private Actor validation() {
    for (Method method : operations.getMethods()) {
      if (method.isAnnotationPresent(Validate.class)) {
        return new Actor(method, List.of());
      }
    }
    throw new IllegalArgumentException(operations + " has no method marked @Validate");
  }
}
