package org.mqproof.eventstore;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the server or the client says, for our sentences and decisions. Stateless. */
final class Errors {

  private static final Metadata.Key<String> EXCEPTION = key("exception");
  private static final Metadata.Key<String> LEADER_HOST = key("leader-endpoint-host");
  private static final Metadata.Key<String> LEADER_PORT = key("leader-endpoint-port");

  private Errors() {}

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  static Status.Code code(Throwable failure) {
    return Status.fromThrowable(failure).getCode();
  }

  /** The server's own name of an error, for example {@code "stream-deleted"}; empty if none. */
  static String name(Throwable failure) {
    return trailer(failure, EXCEPTION);
  }

  /** The node that leads, if the failure is that another one was asked. */
  static Optional<InetSocketAddress> leader(Throwable failure) {
    String host = trailer(failure, LEADER_HOST);
    String port = trailer(failure, LEADER_PORT);
    if (host.isEmpty() || !port.matches("\\d{1,5}")) {
      return Optional.empty();
    }
    return Optional.of(new InetSocketAddress(host, Integer.parseInt(port)));
  }

  private static String trailer(Throwable failure, Metadata.Key<String> key) {
    Metadata trailers = null;
    if (failure instanceof StatusRuntimeException e) {
      trailers = e.getTrailers();
    } else if (failure instanceof StatusException e) {
      trailers = e.getTrailers();
    }
    String value = trailers == null ? null : trailers.get(key);
    return value == null ? "" : value;
  }

  /** Whether a queue's stream or group is not there. */
  static boolean isMissing(Throwable failure) {
    return code(failure) == Status.Code.NOT_FOUND && leader(failure).isEmpty();
  }

  /** Whether another node, or the same one a little later, may do what was asked for. */
  static boolean isPassing(Throwable failure) {
    return code(failure) == Status.Code.UNAVAILABLE || leader(failure).isPresent();
  }

  /** Whether the server has certainly not done what was asked for. */
  static boolean isRefusal(Throwable failure) {
    if (leader(failure).isPresent()) {
      return true;
    }
    return switch (code(failure)) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          FAILED_PRECONDITION,
          PERMISSION_DENIED,
          UNAUTHENTICATED,
          UNIMPLEMENTED ->
          true;
      default -> false;
    };
  }

  /** One phrase. */
  static String reason(Throwable failure) {
    if (failure instanceof StatusRuntimeException || failure instanceof StatusException) {
      Optional<InetSocketAddress> leader = leader(failure);
      if (leader.isPresent()) {
        return "this node does not lead, but " + text(leader.get()) + " does";
      }
      Status status = Status.fromThrowable(failure);
      Throwable cause = status.getCause();
      String phrase = status.getCode() + ": " + status.getDescription();
      if (status.getDescription() == null) {
        phrase = status.getCode().toString();
      }
      return cause == null || isBlank(cause.getMessage())
          ? phrase
          : phrase + ": " + cause.getMessage();
    }
    return isBlank(failure.getMessage())
        ? failure.getClass().getSimpleName()
        : String.valueOf(failure.getMessage());
  }

  static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  private static boolean isBlank(@Nullable String message) {
    return message == null || message.isBlank();
  }
}
