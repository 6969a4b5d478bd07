package org.mqproof.cluster.container;

/**
 * The image of a system's containers. Thread-safe: no state.
 *
 * <p>It is the official one, unless a system property {@code mqproof.SYSTEM.image} names another
 * one, or {@value #PROPERTY} is {@value #LOCAL}: then it is the one that {@code mq-it/images/build}
 * makes.
 */
public final class Image {

  /** The system property that asks for the images that this project builds. */
  static final String PROPERTY = "mqproof.images";

  static final String LOCAL = "local";

  /** With which the names of those images begin. */
  static final String LOCAL_PREFIX = "mqproof/";

  private Image() {}

  /**
   * The image to be used.
   *
   * @param system for example {@code "kafka"}
   * @param official with its tag
   * @param local the tag of the local one
   */
  static String of(String system, String official, String local) {
    String usual =
        System.getProperty(PROPERTY, "").equals(LOCAL)
            ? LOCAL_PREFIX + system + ":" + local
            : official;
    return System.getProperty("mqproof.%s.image".formatted(system), usual);
  }

  /**
   * What comes after the name.
   *
   * @param image with its tag
   * @return for example {@code "4.4.0"}
   */
  public static String tag(String image) {
    return image.substring(image.lastIndexOf(':') + 1);
  }

  /** What to do where an image is not there. */
  static String help(String system, String image) {
    return "'docker pull %s', or 'mq-it/images/build %s' and -D%s=%s"
        .formatted(image, system, PROPERTY, LOCAL);
  }
}
