package org.mqproof.jmh.systems;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.mqproof.spi.MqProvider;

/**
 * Adapters from outside of benchmarks.jar: the jars of a directory, behind its own classes on the
 * class path. For one thread, before anybody looks for an adapter.
 */
public final class OutsideAdapters {

  private static final String PROPERTY = "mqproof.adapters";
  private static final String CLASS_PATH = "java.class.path";
  private static final String REGISTRATION = "META-INF/services/" + MqProvider.class.getName();
  private static final String CLASS_SUFFIX = ".class";

  private final Path directory;
  private final List<Path> jars;
  private final URLClassLoader loader;

  private OutsideAdapters(Path directory, List<Path> jars) throws MalformedURLException {
    this.directory = directory;
    this.jars = jars;
    URL[] urls = new URL[jars.size()];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = jars.get(i).toUri().toURL();
    }
    loader = new URLClassLoader("adapters", urls, OutsideAdapters.class.getClassLoader());
  }

  /**
   * Lets this thread, those that it will start, and JMH's forks find the adapters of {@code
   * -Dmqproof.adapters=DIR}. Does nothing if the property is not set.
   *
   * @throws UsageException with one sentence if there is none, or one that cannot be used
   */
  public static void load() throws UsageException, IOException {
    String asked = System.getProperty(PROPERTY);
    if (asked != null) {
      OutsideAdapters adapters = in(Path.of(asked));
      Thread.currentThread().setContextClassLoader(adapters.loader);
      // JMH starts its forks with the class path that this says.
      System.setProperty(
          CLASS_PATH,
          Stream.concat(Stream.of(System.getProperty(CLASS_PATH)), adapters.jars.stream())
              .map(String::valueOf)
              .collect(Collectors.joining(File.pathSeparator)));
    }
  }

  /** The adapters of a directory, each of which was made once. */
  static OutsideAdapters in(Path given) throws UsageException, IOException {
    Path directory = given.toAbsolutePath();
    if (!Files.isDirectory(directory)) {
      throw wrong("there is no directory " + directory, null);
    }
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.jar")) {
      files.forEach(jars::add);
    }
    if (jars.isEmpty()) {
      throw wrong("there is no jar in " + directory, null);
    }
    jars.sort(null);
    OutsideAdapters adapters = new OutsideAdapters(directory, jars);
    adapters.check();
    return adapters;
  }

  ClassLoader loader() {
    return loader;
  }

  private void check() throws UsageException {
    Set<String> names = new HashSet<>();
    for (MqProvider own : ServiceLoader.load(MqProvider.class, loader.getParent())) {
      names.add(own.name());
    }
    boolean none = true;
    for (Path jar : jars) {
      try (JarFile file = new JarFile(jar.toFile())) {
        for (String className : registered(file)) {
          MqProvider provider = provider(className, file);
          if (!names.add(provider.name())) {
            throw wrong("adapter '%s' of %s exists already".formatted(provider.name(), jar), null);
          }
          none = false;
        }
      } catch (IOException e) {
        throw wrong(jar + " cannot be read: " + e.getMessage(), e);
      }
    }
    if (none) {
      throw wrong("no jar in %s has %s".formatted(directory, REGISTRATION), null);
    }
  }

  private static List<String> registered(JarFile jar) throws IOException {
    ZipEntry registration = jar.getEntry(REGISTRATION);
    if (registration == null) {
      return List.of();
    }
    try (InputStream text = jar.getInputStream(registration)) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.replaceFirst("#.*", "").strip())
          .filter(line -> !line.isEmpty())
          .toList();
    }
  }

  private MqProvider provider(String className, JarFile jar) throws UsageException {
    try {
      Class<?> type = loader.loadClass(className);
      MqProvider provider =
          type.asSubclass(MqProvider.class).getDeclaredConstructor().newInstance();
      if (type.getClassLoader() == loader) {
        var unused = provider.settings();
        requireWhole(type.getPackageName(), jar);
      }
      return provider;
    } catch (InvocationTargetException e) {
      throw wrong(misfit(className + " of " + jar.getName(), e.getTargetException()), e);
    } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
      throw wrong(misfit(className + " of " + jar.getName(), e), e);
    }
  }

  /** A method that came into the contract later would be missed in the middle of a run only. */
  private void requireWhole(String packageName, JarFile jar) throws ReflectiveOperationException {
    String prefix = packageName.replace('.', '/') + "/";
    List<String> classNames =
        jar.stream()
            .map(ZipEntry::getName)
            .filter(name -> name.startsWith(prefix) && name.endsWith(CLASS_SUFFIX))
            .map(name -> name.substring(0, name.length() - CLASS_SUFFIX.length()))
            .map(name -> name.replace('/', '.'))
            .toList();
    for (String className : classNames) {
      try {
        requireWhole(loader.loadClass(className));
      } catch (NoClassDefFoundError e) {
        // An optional part, whose library is not in the directory: an error when it is used.
      }
    }
  }

  private static void requireWhole(Class<?> type) {
    if (!Modifier.isAbstract(type.getModifiers())) {
      for (Method method : type.getMethods()) {
        if (Modifier.isAbstract(method.getModifiers())) {
          throw new AbstractMethodError(type.getName() + " lacks " + method);
        }
      }
    }
  }

  /** A sentence about an adapter that does not fit what it was loaded into. */
  static String misfit(String adapter, Throwable cause) {
    return "%s does not fit this version of MqProof, or classes that it needs are missing: %s"
        .formatted(adapter, cause);
  }

  private static UsageException wrong(String sentence, @Nullable Throwable cause) {
    String message = "-D%s: %s".formatted(PROPERTY, sentence);
    return cause == null ? new UsageException(message) : new UsageException(message, cause);
  }
}
