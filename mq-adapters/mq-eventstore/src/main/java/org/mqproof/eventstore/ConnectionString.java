package org.mqproof.eventstore;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What EventStoreDB's own clients take in one text: nodes, user and TLS. Never printed. Immutable.
 *
 * @param addresses host:port, separated by commas
 * @param user who connects
 * @param tls whether connections are encrypted
 * @param caFile a PEM file of who is trusted; empty for the JVM's
 */
record ConnectionString(
    String addresses, Optional<Credentials> user, boolean tls, Optional<String> caFile) {

  private static final Pattern FORM =
      Pattern.compile(
          "(?:esdb|kurrentdb|kurrent|kdb)://(?:([^:@/?]+):([^:@/?]+)@)?([^@/?\\s]+)/?(?:\\?(.*))?");
  private static final Pattern HOST = Pattern.compile("[^\\s,:]+(?::\\d{1,5})?");
  private static final String PORT = ":2113";

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException with one sentence that shows no part of it but an option's
   *     name
   */
  static ConnectionString parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()
        || !Arrays.stream(form.group(3).split(",", -1))
            .allMatch(host -> HOST.matcher(host).matches())) {
      throw new IllegalArgumentException(
          "eventstore: setting connection.string cannot be what it is: it takes"
              + " esdb://USER:PASSWORD@HOST:PORT,HOST:PORT?tls=true&tlsCaFile=PATH, of which only a"
              + " host is needed");
    }
    boolean tls = true;
    String caFile = null;
    String options = form.group(4) == null ? "" : form.group(4);
    for (String option : options.split("&", -1)) {
      int equals = Math.max(0, option.indexOf('='));
      String value = option.substring(Math.min(option.length(), equals + 1));
      switch (option.substring(0, equals)) {
        case "tls" -> tls = !value.equals("false");
        case "tlsCaFile" -> caFile = decoded(value);
        default -> {
          if (!option.isEmpty()) {
            throw new IllegalArgumentException(
                "eventstore: setting connection.string has the option '%s', and only tls and tlsCaFile are taken here"
                    .formatted(option.substring(0, equals)));
          }
        }
      }
    }
    return new ConnectionString(
        Arrays.stream(form.group(3).split(",", -1))
            .map(host -> host.contains(":") ? host : host + PORT)
            .collect(Collectors.joining(",")),
        Optional.ofNullable(form.group(1))
            .map(name -> Credentials.of(decoded(name), decoded(form.group(2)))),
        tls,
        Optional.ofNullable(caFile));
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }
}
