package org.mqproof.crash;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;

/** What the main classes of child JVMs share. Thread-safe. */
final class Child {

  private Child() {}

  /** Connects to the system named first, with the settings that follow from {@code from} on. */
  static Mq connect(String[] args, int from) {
    Map<String, String> settings = new HashMap<>();
    for (String setting : List.of(args).subList(from, args.length)) {
      int equals = setting.indexOf('=');
      settings.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return MqProvider.named(args[0]).connect(settings);
  }

  /** Tells the parent something, in one write. */
  static void tell(String line) {
    synchronized (System.out) {
      System.out.println(line + ChildJvm.END);
      System.out.flush();
    }
  }

  /** For a future whose end tells itself. */
  static void unawaited(CompletableFuture<?> future) {
    if (future.isCancelled()) {
      throw new IllegalStateException("nobody cancels it");
    }
  }
}
