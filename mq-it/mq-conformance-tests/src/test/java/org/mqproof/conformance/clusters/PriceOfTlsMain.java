package org.mqproof.conformance.clusters;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mqproof.cluster.Access;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.MqClient;
import org.mqproof.comparison.QueueClient;
import org.mqproof.comparison.QueueLoad;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;

/**
 * An adapter through TLS and with a password beside the same without TLS, on one cluster, in pairs.
 * Run by hand; {@code docs/comparisons.md} has the command and what it printed.
 */
final class PriceOfTlsMain {

  /** Which adapter a side connects; no setting of any adapter. */
  private static final String SYSTEM = "price.of.tls.system";

  private static final int BODY_BYTES = 1_000;
  private static final int BATCH = 100;
  private static final int OPEN_BATCHES = 4;

  private PriceOfTlsMain() {}

  /** Runs the workloads named behind the system, or all; {@code SYSTEM --help} lists them. */
  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      System.err.println("name a system, such as kafka");
      System.exit(2);
    }
    boolean side = args[0].startsWith("--");
    String system = side ? "" : args[0];
    List<Workload> workloads =
        List.of(
            workload("one-by-one", system, 1, 1),
            workload("flow-" + BATCH, system, BATCH, OPEN_BATCHES));
    int status =
        new Comparison(PriceOfTlsMain.class, system, workloads)
            .run(side ? args : Arrays.copyOfRange(args, 1, args.length));
    if (status != 0) {
      System.exit(status);
    }
  }

  /** Two senders and two receivers, on one {@code Mq}. */
  private static Workload workload(String name, String system, int batch, int openBatches) {
    QueueLoad load = new QueueLoad(batch, 2, 2);
    QueueClient.Factory client =
        given -> {
          Map<String, String> settings = new HashMap<>(given);
          MqProvider provider = MqProvider.named(settings.remove(SYSTEM));
          return new MqClient(
              provider.connect(settings), Load.messages(batch, BODY_BYTES), openBatches);
        };
    return Workload.of(name, load.flow(client), "the same without TLS", load.flow(client))
        .preparedBy(settings -> Map.of(SYSTEM, system))
        .by(Access.PASSWORD, Access.PLAIN);
  }
}
