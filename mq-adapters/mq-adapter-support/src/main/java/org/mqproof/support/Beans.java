package org.mqproof.support;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Options that a client has as setters. No state. */
public final class Beans {

  private Beans() {}

  /**
   * The options that a class has as setters of text, numbers and booleans.
   *
   * @param bean the class
   * @return whether the value may be shown, by option: a number or a boolean is no secret
   */
  public static Map<String, Boolean> options(Class<?> bean) {
    Map<String, Boolean> options = new TreeMap<>();
    for (Method method : bean.getMethods()) {
      if (isSetter(method)) {
        options.merge(name(method), type(method) != String.class, Boolean::logicalAnd);
      }
    }
    return options;
  }

  /**
   * Sets one of {@link #options}.
   *
   * @param bean has the setter
   * @param option its name
   * @param text the value
   * @throws IllegalArgumentException if there is no such option or the text is not of its type
   */
  public static void set(Object bean, String option, String text) {
    Method setter = setter(bean.getClass(), option);
    try {
      Object unused = setter.invoke(bean, value(type(setter), text));
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalArgumentException("option " + option + " was not taken", e);
    }
  }

  /**
   * Checks a value of one of {@link #options}.
   *
   * @param bean has the setter
   * @param option its name
   * @param text the value
   * @throws IllegalArgumentException if there is no such option or the text is not of its type
   */
  public static void check(Class<?> bean, String option, String text) {
    Object unused = value(type(setter(bean, option)), text);
  }

  private static Method setter(Class<?> bean, String option) {
    return Arrays.stream(bean.getMethods())
        .filter(method -> isSetter(method) && name(method).equals(option))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no option " + option));
  }

  private static boolean isSetter(Method method) {
    return method.getName().matches("set[A-Z].*")
        && method.getParameterCount() == 1
        && (type(method).isPrimitive()
            || type(method) == String.class
            || type(method) == Boolean.class);
  }

  private static Class<?> type(Method setter) {
    return setter.getParameterTypes()[0];
  }

  private static String name(Method setter) {
    String name = setter.getName().substring("set".length());
    return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
  }

  private static Object value(Class<?> type, String text) {
    if (type == int.class) {
      return Integer.parseInt(text);
    } else if (type == long.class) {
      return Long.parseLong(text);
    } else if (type == double.class) {
      return Double.parseDouble(text);
    } else if (type == boolean.class || type == Boolean.class) {
      if (!text.equals("true") && !text.equals("false")) {
        throw new IllegalArgumentException("neither true nor false");
      }
      return Boolean.valueOf(text);
    }
    return text;
  }
}
