package org.mqproof.jmh.systems;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.SettingsText;
import org.mqproof.spi.ClientOptions;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/**
 * Keeps passwords out of everything that is printed, written or seen in a list of processes: each
 * is put into a file that only its owner reads, and {@code password=...} becomes {@code
 * password.file=...} before anybody else sees it. JMH prints parameters and options of its forks.
 *
 * <p>The files go with this JVM. For one thread.
 */
public final class Secrets {

  private final List<Setting<?>> known =
      ServiceLoader.load(MqProvider.class).stream()
          .<Setting<?>>flatMap(provider -> provider.get().settings().stream())
          .toList();

  /** By key and value: the same one has the same name in each run of an experiment. */
  private final Map<Map.Entry<String, String>, Path> files = new HashMap<>();

  private @Nullable Path directory;

  /** Hides what {@code -p settings=...} and {@code -p mode=...} hold. */
  public String[] hidden(String... args) {
    String[] hidden = args.clone();
    for (int i = 0; i < args.length; i++) {
      String arg = args[i];
      String prefix = arg.startsWith("-p") ? "-p" : "";
      int equals = arg.indexOf('=');
      boolean isParameter = !prefix.isEmpty() || (i > 0 && args[i - 1].equals("-p"));
      String name = equals > 0 ? arg.substring(prefix.length(), equals).strip() : "";
      if (isParameter && SettingsText.PARAMETERS.contains(name)) {
        hidden[i] =
            arg.substring(0, equals + 1)
                + SettingsText.values(name, arg.substring(equals + 1)).stream()
                    .map(this::hiddenText)
                    .collect(Collectors.joining(","));
      }
    }
    return hidden;
  }

  /** An option of a client is a secret unless some client knows it, and that it is harmless. */
  private boolean isSecret(String key) {
    List<Setting<?>> having = known.stream().filter(setting -> setting.takes(key)).toList();
    return key.startsWith(ClientOptions.PREFIX)
        ? having.stream().allMatch(setting -> setting.hides(key)) && !having.isEmpty()
        : having.stream().anyMatch(setting -> setting.hides(key));
  }

  /** What is malformed stays so, for whoever tells. */
  private String hiddenText(String text) {
    return Arrays.stream(text.split(";", -1))
        .map(
            part -> {
              int equals = part.indexOf('=');
              String key = equals < 0 ? "" : part.substring(0, equals).strip();
              return isSecret(key)
                  ? key + Setting.FILE + "=" + file(key, part.substring(equals + 1).strip())
                  : part;
            })
        .collect(Collectors.joining(";"));
  }

  /** Hides what settings hold. */
  public Map<String, String> hidden(Map<String, String> settings) {
    Map<String, String> hidden = new LinkedHashMap<>();
    settings.forEach(
        (key, value) -> {
          if (isSecret(key)) {
            hidden.put(key + Setting.FILE, file(key, value).toString());
          } else {
            hidden.put(key, value);
          }
        });
    return hidden;
  }

  private Path file(String key, String value) {
    return files.computeIfAbsent(Map.entry(key, value), secret -> write(key, value));
  }

  private Path write(String key, String value) {
    try {
      Path file = home().resolve(key + "-" + files.size());
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      return Files.writeString(file, value);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot hide the value of setting " + key, e);
    }
  }

  private Path home() throws IOException {
    Path home = directory;
    if (home == null) {
      home = Files.createTempDirectory("mqproof-secrets-"); // for its owner alone
      directory = home;
      Path made = home;
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(made)));
    }
    return home;
  }

  private void delete(Path home) {
    try {
      for (Path file : files.values()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(home);
    } catch (IOException e) {
      System.err.println("left behind, with passwords: " + home + ": " + e);
    }
  }
}
