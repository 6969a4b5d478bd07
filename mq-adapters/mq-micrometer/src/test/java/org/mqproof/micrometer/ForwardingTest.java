package org.mqproof.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;

/**
 * Every method of the contract, those with a default too, reaches the connection inside with the
 * same arguments and comes back with the same result or failure.
 */
class ForwardingTest {

  private static final Message MESSAGE = new Message(new byte[1]);
  private static final Delivery DELIVERY = () -> MESSAGE;
  private static final Traits TRAITS = Traits.mode("stub").build();

  /** What reached the inside: the method's name, then its arguments. */
  private final List<@Nullable Object> calls = new ArrayList<>();

  /** Thrown by every method inside but those that only open something. */
  private @Nullable Throwable failure;

  private CompletableFuture<Void> future = CompletableFuture.completedFuture(null);

  private final Mq inside = stub(Mq.class);
  private final Mq metered = MqMetrics.monitor(new SimpleMeterRegistry(), inside, "stub");

  static Stream<Arguments> methods() {
    return Stream.of(Mq.class, Sender.class, Receiver.class)
        .flatMap(
            type ->
                Arrays.stream(type.getMethods())
                    .filter(method -> !Modifier.isStatic(method.getModifiers()))
                    .map(method -> Arguments.of(type, method)));
  }

  static Stream<Arguments> futures() {
    return methods()
        .filter(args -> ((Method) args.get()[1]).getReturnType() == CompletableFuture.class);
  }

  @ParameterizedTest
  @MethodSource("methods")
  void aMethodReachesTheInside(Class<?> type, Method method) throws Exception {
    Object target = target(type);
    @Nullable Object[] arguments = arguments(method);
    calls.clear();

    Object result = method.invoke(target, arguments);

    List<@Nullable Object> expected = new ArrayList<>(List.of(method.getName()));
    expected.addAll(Arrays.asList(arguments));
    assertThat(calls.subList(0, expected.size())).isEqualTo(expected);
    if (result instanceof Sender || result instanceof Receiver) {
      assertThat(result.getClass().getSimpleName()).startsWith("Metered");
    } else {
      assertThat(result).isEqualTo(result(method));
    }
  }

  @ParameterizedTest
  @MethodSource("methods")
  void anExceptionComesBackAsItIs(Class<?> type, Method method) {
    Object target = target(type);
    for (Throwable thrown :
        List.of(
            new MqException("stub"),
            new IllegalStateException("closed"),
            new UnsupportedOperationException("stub"))) {
      failure = thrown;

      Throwable caught = catchThrowable(() -> method.invoke(target, arguments(method)));

      assertThat(caught).isInstanceOf(InvocationTargetException.class);
      assertThat(caught.getCause()).isSameAs(thrown);
    }
  }

  @ParameterizedTest
  @MethodSource("futures")
  void aFutureCompletesAsTheOneInside(Class<?> type, Method method) throws Exception {
    for (boolean late : new boolean[] {false, true}) {
      for (Throwable thrown :
          new Throwable[] {
            null,
            new MqException("stub"),
            new CompletionException(new MqException("stub")),
            new AckFailedException("stub", List.of(Outcome.REJECTED), null)
          }) {
        future = new CompletableFuture<>();
        if (!late) {
          complete(thrown);
        }
        CompletableFuture<?> result =
            (CompletableFuture<?>) method.invoke(target(type), arguments(method));
        assertThat(result.isDone()).isEqualTo(!late);
        complete(thrown);

        assertThat(result).isDone();
        Throwable[] seen = new Throwable[1];
        var unused = result.whenComplete((nothing, e) -> seen[0] = e);
        assertThat(seen[0]).isSameAs(thrown);
      }
    }
  }

  private void complete(@Nullable Throwable thrown) {
    if (thrown == null) {
      future.complete(null);
    } else {
      future.completeExceptionally(thrown);
    }
  }

  private Object target(Class<?> type) {
    return type == Mq.class
        ? metered
        : type == Sender.class ? metered.sender("q") : metered.receiver("q");
  }

  private static @Nullable Object[] arguments(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(
            type ->
                type == String.class
                    ? "q"
                    : type == int.class
                        ? (Object) 7
                        : type == Duration.class
                            ? Duration.ofMillis(3)
                            : type == List.class ? List.of(MESSAGE) : List.of(DELIVERY))
        .toArray();
  }

  private <T> T stub(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              calls.add(method.getName());
              calls.addAll(args == null ? List.of() : Arrays.asList(args));
              if (failure != null) {
                throw failure;
              }
              return result(method);
            }));
  }

  private @Nullable Object result(Method method) {
    Class<?> type = method.getReturnType();
    if (type == Sender.class || type == Receiver.class) {
      return stub(type);
    }
    if (type == Traits.class) {
      return TRAITS;
    }
    if (type == List.class) {
      return List.of(DELIVERY);
    }
    return type == CompletableFuture.class ? future : null;
  }
}
