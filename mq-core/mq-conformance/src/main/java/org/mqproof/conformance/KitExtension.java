package org.mqproof.conformance;

import java.lang.reflect.Method;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Runs each test of the kit in a thread of its own and within a bound, gives failures the help text
 * of their rule, and closes what the test opened. Thread-safe: tests may run at the same time.
 */
final class KitExtension implements InvocationInterceptor {

  /** Repeats what a failed run drew. */
  static final String SEED_PROPERTY = "mqproof.kit.seed";

  /** A test that gets on ends too: a queue that hands out the same again and again is broken. */
  private static final int MOST_LIMITS = 2;

  private static final Random SEEDS = new Random();

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    KitFixture kit = (KitFixture) context.getRequiredTestInstance();
    Checks checks = method.getExecutable().getAnnotation(Checks.class);
    if (method.getExecutable().getDeclaringClass().getPackage() != KitFixture.class.getPackage()) {
      invocation.proceed(); // a test that the adapter added
      return;
    }
    AloRule rule = checks == null ? null : checks.value();
    kit.rule = rule;
    kit.probes = ofTheClass(context, "probes", ConcurrentHashMap::new);
    kit.traits = ofTheClass(context, "traits", AtomicReference::new);
    kit.seed = Long.getLong(SEED_PROPERTY, SEEDS.nextLong());
    kit.random = new Random(kit.seed);
    kit.progressNanos = System.nanoTime();
    String reason = rule == null ? null : kit.notCheckable().get(rule);
    if (rule != null && reason != null) {
      invocation.skip();
      Assumptions.abort(rule.id() + " is not checkable here: " + reason);
    }
    Throwable failure = run(kit, method.getExecutable().getName(), invocation);
    Throwable notClosed = close(kit);
    if (failure == null) {
      failure = notClosed;
    } else if (notClosed != null) {
      failure.addSuppressed(notClosed);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** One for all tests of a class, and for one run of it. */
  @SuppressWarnings("unchecked") // put here under this key and nowhere else
  private static <T> T ofTheClass(ExtensionContext context, String key, Supplier<T> maker) {
    ExtensionContext ofClass = context.getParent().orElse(context);
    return (T)
        ofClass
            .getStore(ExtensionContext.Namespace.create(KitExtension.class))
            .getOrComputeIfAbsent(key, k -> maker.get());
  }

  private static @Nullable Throwable run(KitFixture kit, String test, Invocation<Void> invocation)
      throws InterruptedException {
    BoundedCall<@Nullable Void> call =
        BoundedCall.start(
            test,
            () -> {
              try {
                return invocation.proceed();
              } catch (Exception | Error e) {
                throw e;
              } catch (Throwable e) {
                throw new IllegalStateException(e);
              }
            });
    while (!call.endsWithinAnother(kit.untilHang())) {
      boolean tooLong = call.hasRunFor(kit.testLimit().multipliedBy(MOST_LIMITS));
      if (tooLong || kit.untilHang().isNegative()) {
        String stack = call.stack();
        call.interrupt();
        return kit.breach(
            "the test still hangs after %s, at%s",
            kit.testLimit().multipliedBy(tooLong ? MOST_LIMITS : 1), stack);
      }
    }
    Throwable failure = call.thrown();
    Error ofTheTest = BoundedCall.errorOfTheTest(failure);
    if (ofTheTest != null) {
      return ofTheTest;
    }
    if (failure == null
        || failure instanceof AssertionError
        || failure instanceof TestAbortedException) {
      return failure;
    }
    return kit.breach(failure, "what this test checks could not be shown: %s", failure);
  }

  private static @Nullable Throwable close(KitFixture kit) throws InterruptedException {
    BoundedCall<@Nullable Void> call =
        BoundedCall.start(
            "clean up",
            () -> {
              kit.closeAll();
              return null;
            });
    if (!call.endsWithin(kit.testLimit())) {
      String stack = call.stack();
      call.interrupt();
      return kit.breach("closing what the test had opened hangs, at%s", stack);
    }
    Throwable failure = call.thrown();
    return failure == null || BoundedCall.errorOfTheTest(failure) != null
        ? failure
        : kit.breach(failure, "closing what the test had opened failed: %s", failure);
  }
}
