package org.mqproof.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.mqproof.conformance.Step.Batch;
import org.mqproof.conformance.Step.Kind;
import org.mqproof.conformance.Step.Pick;

/**
 * A sequence of legal calls, which {@link ProgramRun} executes and judges.
 *
 * @param queues how many queues; their names are nearly equal
 * @param senders the connection and the queue of each sender
 * @param receivers the connection and the queue of each receiver
 * @param steps in their order
 */
record Program(int queues, List<Home> senders, List<Home> receivers, List<Step> steps) {

  /**
   * Where a sender or receiver belongs.
   *
   * @param connection the number of its connection
   * @param queue the number of its queue
   */
  record Home(int connection, int queue) {}

  Program with(List<Step> others) {
    return new Program(queues, senders, receivers, List.copyOf(others));
  }

  int connections() {
    int most = 0;
    for (Home home : senders) {
      most = Math.max(most, home.connection());
    }
    for (Home home : receivers) {
      most = Math.max(most, home.connection());
    }
    return most + 1;
  }

  /** The program as Java, for a failure's text. */
  String java() {
    return new Printer().print();
  }

  /** Writes what a program does as Java: opening is written where it first happens. */
  private final class Printer {
    private final List<String> lines = new ArrayList<>();
    private final Set<String> open = new TreeSet<>();
    private final Set<String> declared = new TreeSet<>();

    String print() {
      print(steps, "");
      return String.join("\n", lines);
    }

    private void print(List<Step> some, String indent) {
      for (Step step : some) {
        print(step, indent);
      }
    }

    private void print(Step step, String indent) {
      if (step instanceof Step.Send send) {
        openSender(send.sender(), indent);
        add(
            indent,
            "s%d.%s(%s);",
            send.sender(),
            send.async() ? "sendAsync" : "send",
            text(send.batch()));
      } else if (step instanceof Step.Receive receive) {
        openReceiver(receive.receiver(), indent);
        add(
            indent,
            "held%d.addAll(r%d.receive(%d, Duration.ofMillis(%d)));",
            receive.receiver(),
            receive.receiver(),
            receive.max(),
            receive.timeoutMillis());
      } else if (step instanceof Step.Collect collect) {
        openReceiver(collect.receiver(), indent);
        add(
            indent,
            "held%d.addAll(collect(r%d, %d));",
            collect.receiver(),
            collect.receiver(),
            collect.count());
      } else if (step instanceof Step.Ack ack) {
        add(
            indent,
            "r%d.ack(%s)%s;",
            ack.receiver(),
            text("held" + ack.receiver(), ack.pick()),
            ack.awaited() ? ".get()" : "");
      } else if (step instanceof Step.AckAgain again) {
        add(
            indent,
            "r%d.ack(%s).get(); // again, with one that is held",
            again.receiver(),
            text("acked" + again.receiver(), again.pick()));
      } else if (step instanceof Step.Release release) {
        add(
            indent,
            "r%d.release(%s).get();",
            release.receiver(),
            text("held" + release.receiver(), release.pick()));
      } else if (step instanceof Step.Extend extend) {
        add(
            indent,
            "r%d.extend(%s).get();",
            extend.receiver(),
            text("held" + extend.receiver(), extend.pick()));
      } else if (step instanceof Step.AckOthers others) {
        openReceiver(others.receiver(), indent);
        add(indent, "r%d.ack(held%1$d and held%d); // refused", others.receiver(), others.holder());
      } else if (step instanceof Step.Open opened) {
        open(opened.kind(), opened.index(), indent);
      } else if (step instanceof Step.Close closed) {
        close(closed.kind(), closed.index(), indent);
      } else if (step instanceof Step.Elapse elapse) {
        add(indent, "elapse(%d %% of the claim period);", elapse.percent());
      } else if (step instanceof Step.Recreate recreate) {
        if (!recreate.inUse()) {
          closeUsersOf(recreate.queue(), indent);
        }
        openConnection(0, indent);
        add(indent, "mq0.deleteQueue(q%d); mq0.createQueue(q%1$d);", recreate.queue());
        closeUsersOf(recreate.queue(), indent);
      } else if (step instanceof Step.InterruptReceive interrupted) {
        openReceiver(interrupted.receiver(), indent);
        openSender(interrupted.sender(), indent);
        add(
            indent,
            "repeat(%d, () -> { r%d.receive(10, patience) in a thread; s%d.send(batch(1, 8));"
                + " interrupt the thread; });",
            interrupted.tries(),
            interrupted.receiver(),
            interrupted.sender());
      } else if (step instanceof Step.InterruptSend interrupted) {
        openSender(interrupted.sender(), indent);
        add(
            indent,
            "s%d.send(%s) in a thread, which is interrupted;",
            interrupted.sender(),
            text(interrupted.batch()));
      } else if (step instanceof Step.BreakConnections) {
        add(indent, "breakConnections();");
      } else if (step instanceof Step.Repeat repeat) {
        add(indent, "for (int i = 0; i < %d; i++) {", repeat.times());
        print(repeat.steps(), indent + "  ");
        add(indent, "}");
      } else if (step instanceof Step.Parallel parallel) {
        add(indent, "inParallel(");
        for (List<Step> track : parallel.tracks()) {
          add(indent, "  () -> {");
          print(track, indent + "    ");
          add(indent, "  },");
        }
        add(indent, ");");
      }
    }

    private void add(String indent, String format, Object... args) {
      lines.add(indent + String.format(Locale.ROOT, format, args));
    }

    private void open(Kind kind, int index, String indent) {
      switch (kind) {
        case SENDER -> openSender(index, indent);
        case RECEIVER -> openReceiver(index, indent);
        case CONNECTION -> openConnection(index, indent);
      }
    }

    private void openConnection(int index, String indent) {
      if (open.add("mq" + index)) {
        add(indent, "%smq%d = connect();", declared.add("mq" + index) ? "Mq " : "", index);
      }
    }

    private void openSender(int index, String indent) {
      Home home = senders.get(index);
      openConnection(home.connection(), indent);
      if (open.add("s" + index)) {
        add(
            indent,
            "%ss%d = mq%d.sender(q%d);",
            declared.add("s" + index) ? "Sender " : "",
            index,
            home.connection(),
            home.queue());
      }
    }

    private void openReceiver(int index, String indent) {
      Home home = receivers.get(index);
      openConnection(home.connection(), indent);
      if (open.add("r" + index)) {
        add(
            indent,
            "%sr%d = mq%d.receiver(q%d);",
            declared.add("r" + index) ? "Receiver " : "",
            index,
            home.connection(),
            home.queue());
      }
    }

    private void close(Kind kind, int index, String indent) {
      if (open.remove(kind.prefix + index)) {
        add(indent, "%s%d.close();", kind.prefix, index);
      }
      if (kind == Kind.CONNECTION) {
        for (int i = 0; i < senders.size(); i++) {
          if (senders.get(i).connection() == index) {
            open.remove("s" + i);
          }
        }
        for (int i = 0; i < receivers.size(); i++) {
          if (receivers.get(i).connection() == index) {
            open.remove("r" + i);
          }
        }
      }
    }

    private void closeUsersOf(int queue, String indent) {
      for (int i = 0; i < senders.size(); i++) {
        if (senders.get(i).queue() == queue) {
          close(Kind.SENDER, i, indent);
        }
      }
      for (int i = 0; i < receivers.size(); i++) {
        if (receivers.get(i).queue() == queue) {
          close(Kind.RECEIVER, i, indent);
        }
      }
    }

    private String text(Batch batch) {
      return "batch(%d, %s%s%s%s)"
          .formatted(
              batch.count(),
              batch.minBytes() == batch.maxBytes()
                  ? batch.minBytes() + " bytes"
                  : batch.minBytes() + " to " + batch.maxBytes() + " bytes",
              batch.equal() ? ", all equal" : "",
              batch.headers() == 0 ? "" : ", 0 to " + batch.headers() + " headers",
              batch.tooLarge() == 0 ? "" : ", " + batch.tooLarge() + " of them too large");
    }

    private String text(String list, Pick pick) {
      if (pick.percent() == 100 && pick.order() == Step.Order.FORWARD) {
        return list;
      }
      return "%s of %s, %s"
          .formatted(
              pick.percent() == 100 ? "all" : pick.percent() + " %",
              list,
              pick.order().name().toLowerCase(Locale.ROOT));
    }
  }
}
