package org.mqproof.jmh.systems;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.spi.MqProvider;

class OutsideAdaptersTest {

  @SuppressWarnings("NullAway.Init") // by JUnit
  @TempDir
  Path directory;

  @Test
  void anAdapterOfAJarIsFoundByItsRegistration() throws Exception {
    jar("a.jar", "Outside", AdapterJar.provider("Outside", "outside"));
    jar("b.jar", "Other", AdapterJar.provider("Other", "other"));

    assertThat(ServiceLoader.load(MqProvider.class, OutsideAdapters.in(directory).loader()))
        .extracting(MqProvider::name)
        .contains("outside", "other", "memory");
  }

  @Test
  void thereMustBeADirectoryAJarAndAnAdapter() throws Exception {
    refused(directory.resolve("none"), "there is no directory " + directory.resolve("none"));
    refused(directory, "there is no jar in " + directory);

    Path jar = directory.resolve("a.jar");
    AdapterJar.write(jar, "Outside", AdapterJar.provider("Outside", "outside"), "");
    refused(
        directory, "no jar in " + directory + " has META-INF/services/org.mqproof.spi.MqProvider");

    Files.writeString(jar, "no jar");
    refused(directory, jar + " cannot be read: ");
  }

  @Test
  void aNameIsThatOfOneAdapter() throws Exception {
    jar("a.jar", "Outside", AdapterJar.provider("Outside", "memory"));
    refused(directory, "adapter 'memory' of " + directory.resolve("a.jar") + " exists already");

    jar("a.jar", "Outside", AdapterJar.provider("Outside", "outside"));
    jar("b.jar", "Other", AdapterJar.provider("Other", "outside"));
    refused(directory, "adapter 'outside' of " + directory.resolve("b.jar") + " exists already");
  }

  /** The class of benchmarks.jar would be taken instead, without a word. */
  @Test
  void anAdapterThatIsThereIsNotReplaced() throws Exception {
    AdapterJar.write(
        directory.resolve("a.jar"),
        "Outside",
        AdapterJar.provider("Outside", "outside"),
        MqProvider.named("memory").getClass().getName() + "\n");

    refused(directory, "adapter 'memory' of " + directory.resolve("a.jar") + " exists already");
  }

  @Test
  void whatIsRegisteredMustBeAnAdapter() throws Exception {
    Path jar = directory.resolve("a.jar");
    AdapterJar.write(
        jar, "Outside", AdapterJar.provider("Outside", "outside"), "# a comment\ncom.example.None");
    refused(
        directory,
        "com.example.None of "
            + jar
            + " does not fit this version of MqProof, or classes that it needs are missing:"
            + " java.lang.ClassNotFoundException: com.example.None");
  }

  @Test
  void aProviderThatCannotBeMadeSaysWhy() throws Exception {
    String source =
        AdapterJar.provider("Outside", "outside")
            .replace("MqProvider {", "MqProvider { final int n = Integer.parseInt(\"n\");");
    jar("a.jar", "Outside", source);
    refused(directory, "are missing: java.lang.NumberFormatException: For input string: \"n\"");
  }

  /** A provider that was compiled against a contract without {@code settings()}. */
  @Test
  void anAdapterForAnotherVersionIsRefused() throws Exception {
    Path other = Files.createDirectories(directory.resolve("other"));
    Path contract =
        Files.writeString(
            other.resolve("MqProvider.java"),
            """
            package org.mqproof.spi;
            public interface MqProvider {
              String name();
              org.mqproof.Mq connect(java.util.Map<String, String> settings);
              static MqProvider named(String name) { return null; }
            }
            """);
    AdapterJar.compile(other, contract);
    String source =
        AdapterJar.provider("Outside", "outside").replaceAll("(?m)^.*settings\\(\\) \\{.*\n", "");
    AdapterJar.write(directory.resolve("a.jar"), "Outside", source, "com.example.Outside", other);

    refused(
        directory,
        "com.example.Outside of "
            + directory.resolve("a.jar")
            + " does not fit this version of MqProof, or classes that it needs are missing:"
            + " java.lang.AbstractMethodError: ");
  }

  /** The provider is whole, and what it connects with is not. */
  @Test
  void aSenderForAnotherVersionIsRefused() throws Exception {
    Path other = Files.createDirectories(directory.resolve("other"));
    Path contract =
        Files.writeString(
            other.resolve("Sender.java"),
            "package org.mqproof; public interface Sender extends AutoCloseable { void close(); }");
    AdapterJar.compile(other, contract);
    String source =
        AdapterJar.provider("Outside", "outside")
            .replaceFirst(
                "}\\s*$",
                """
                  public static final class OldSender implements org.mqproof.Sender {
                    @Override public void close() {}
                  }
                }
                """);
    AdapterJar.write(directory.resolve("a.jar"), "Outside", source, "com.example.Outside", other);

    refused(directory, "java.lang.AbstractMethodError: com.example.Outside$OldSender lacks ");
  }

  private void jar(String name, String className, String source) throws Exception {
    AdapterJar.write(directory.resolve(name), className, source, "com.example." + className);
  }

  private static void refused(Path directory, String sentence) {
    assertThatThrownBy(() -> OutsideAdapters.in(directory))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("-Dmqproof.adapters: ")
        .hasMessageContaining(sentence);
  }
}
