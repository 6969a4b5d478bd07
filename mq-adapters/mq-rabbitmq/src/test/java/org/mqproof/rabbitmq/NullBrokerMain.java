package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.LongStringHelper;
import com.rabbitmq.client.impl.Method;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * An AMQP 0-9-1 server that keeps nothing and confirms at once whatever is published, so that what
 * limits a client here is the client. It delivers nothing. Understands what this adapter and
 * PerfTest say when they send; anything else ends the connection.
 *
 * <p>One thread per connection. Prints its port, and ends when its standard input does.
 */
final class NullBrokerMain {

  private static final int FRAME_MAX = 128 << 10;
  private static final int CHANNEL_MAX = 2047;
  private static final int FRAME_START_BYTES = 7;
  private static final int BASIC_PUBLISH = 60 << 16 | 40;

  private NullBrokerMain() {}

  /** Serves until the standard input ends. */
  public static void main(String[] args) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      start(() -> accept(server));
      System.out.println(server.getLocalPort());
      while (System.in.read() >= 0) {
        // Only its end counts.
      }
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  private static void accept(ServerSocket server) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        start(() -> serve(socket));
      } catch (IOException e) {
        if (!server.isClosed()) {
          throw new IllegalStateException("cannot accept", e);
        }
      }
    }
  }

  private static void serve(Socket socket) {
    try (socket) {
      new Connection(socket).serve();
    } catch (EOFException e) {
      return; // the client is gone
    } catch (IOException e) {
      System.err.println("null broker: a connection ended: " + e);
    }
  }

  /** What one channel counts. */
  private static final class Channel {

    private boolean confirms;
    private long published;
    private long confirmed;
    private long bodyBytesLeft;
  }

  /** One connection; for its own thread. */
  private static final class Connection {

    private final InputStream in;
    private final DataOutputStream out;
    private final Map<Integer, Channel> channels = new HashMap<>();
    private byte[] buffer = new byte[1 << 18];
    private int end;

    Connection(Socket socket) throws IOException {
      in = socket.getInputStream();
      out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    void serve() throws IOException {
      if (in.readNBytes(8).length < 8) { // the version of the protocol
        throw new EOFException();
      }
      Map<String, Object> capabilities = Map.of("publisher_confirms", true, "basic.nack", true);
      answer(
          0,
          new AMQImpl.Connection.Start(
              0,
              9,
              Map.of("product", "null", "version", "0.0", "capabilities", capabilities),
              LongStringHelper.asLongString("PLAIN"),
              LongStringHelper.asLongString("en_US")));
      out.flush();
      while (true) {
        int read = in.read(buffer, end, buffer.length - end);
        if (read < 0) {
          throw new EOFException();
        }
        end += read;
        int used = frames();
        System.arraycopy(buffer, used, buffer, 0, end - used);
        end -= used;
        if (end == buffer.length) {
          buffer = Arrays.copyOf(buffer, end * 2);
        }
        for (Map.Entry<Integer, Channel> channel : channels.entrySet()) {
          confirm(channel.getKey(), channel.getValue());
        }
        out.flush();
      }
    }

    /** All that came with one read takes one confirm. */
    private void confirm(int number, Channel channel) throws IOException {
      if (channel.confirms && channel.confirmed < channel.published) {
        channel.confirmed = channel.published;
        answer(number, new AMQImpl.Basic.Ack(channel.confirmed, true));
      }
    }

    /** Handles the whole frames in the buffer; returns how far they reach. */
    private int frames() throws IOException {
      ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, end);
      int at = 0;
      while (end - at >= FRAME_START_BYTES) {
        int size = bytes.getInt(at + 3);
        if (end - at <= FRAME_START_BYTES + size) {
          break;
        }
        frame(bytes, buffer[at], bytes.getShort(at + 1), at + FRAME_START_BYTES, size);
        at += FRAME_START_BYTES + size + 1;
      }
      return at;
    }

    private void frame(ByteBuffer bytes, int type, int number, int at, int size)
        throws IOException {
      switch (type) {
        case AMQP.FRAME_METHOD -> {
          if (bytes.getInt(at) != BASIC_PUBLISH) {
            method(
                number,
                AMQImpl.readMethodFrom(
                    new DataInputStream(new ByteArrayInputStream(buffer, at, size))));
          }
        }
        case AMQP.FRAME_HEADER -> bodyLeft(channel(number), bytes.getLong(at + 4));
        case AMQP.FRAME_BODY -> {
          Channel channel = channel(number);
          bodyLeft(channel, channel.bodyBytesLeft - size);
        }
        case AMQP.FRAME_HEARTBEAT -> new Frame(AMQP.FRAME_HEARTBEAT, 0).writeTo(out);
        default -> throw new IOException("a frame of type " + type);
      }
    }

    private Channel channel(int number) {
      return channels.computeIfAbsent(number, unused -> new Channel());
    }

    private static void bodyLeft(Channel channel, long bytes) {
      channel.bodyBytesLeft = bytes;
      if (bytes == 0) {
        channel.published++;
      }
    }

    private void method(int number, Method method) throws IOException {
      if (method instanceof AMQP.Connection.StartOk) {
        answer(0, new AMQImpl.Connection.Tune(CHANNEL_MAX, FRAME_MAX, 0));
      } else if (method instanceof AMQP.Connection.Open) {
        answer(0, new AMQImpl.Connection.OpenOk(""));
      } else if (method instanceof AMQP.Connection.Close) {
        answer(0, new AMQImpl.Connection.CloseOk());
      } else if (method instanceof AMQP.Channel.Open) {
        answer(number, new AMQImpl.Channel.OpenOk(LongStringHelper.asLongString("")));
      } else if (method instanceof AMQP.Channel.Close) {
        channels.remove(number);
        answer(number, new AMQImpl.Channel.CloseOk());
      } else if (method instanceof AMQP.Confirm.Select) {
        channel(number).confirms = true;
        answer(number, new AMQImpl.Confirm.SelectOk());
      } else if (method instanceof AMQP.Queue.Declare declare) {
        answer(number, new AMQImpl.Queue.DeclareOk(declare.getQueue(), 0, 0));
      } else if (!(method instanceof AMQP.Connection.TuneOk)) {
        throw new IOException("not understood: " + method.protocolMethodName());
      }
    }

    private void answer(int number, Method method) throws IOException {
      method.toFrame(number).writeTo(out);
    }
  }
}
