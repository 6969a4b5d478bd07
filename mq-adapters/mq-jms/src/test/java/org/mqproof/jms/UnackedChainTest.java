package org.mqproof.jms;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;

class UnackedChainTest {

  private final UnackedChain chain = new UnackedChain();
  private final List<JmsDelivery> held = new ArrayList<>();

  @BeforeEach
  void tenArrived() {
    for (int i = 0; i < 10; i++) {
      JmsDelivery delivery = delivery(i);
      held.add(delivery);
      chain.add(delivery);
    }
  }

  @SuppressWarnings("NullAway") // whose delivery it is does not matter here
  private static JmsDelivery delivery(int number) {
    return new JmsDelivery(null, number, new Message(new byte[0]), number);
  }

  private List<JmsSubscription.Run> runs(int... numbers) {
    return chain.runs(new ArrayList<>(IntStream.of(numbers).mapToObj(held::get).toList()));
  }

  private void settle(int... numbers) {
    IntStream.of(numbers).mapToObj(held::get).forEach(chain::remove);
  }

  private static JmsSubscription.Run run(boolean fromFirst, Object... handles) {
    return new JmsSubscription.Run(List.of(handles), fromFirst);
  }

  @Test
  void theWholePrefixIsOneRunFromTheFirst() {
    assertThat(runs(0, 1, 2)).containsExactly(run(true, 0, 1, 2));
  }

  @Test
  void aRunInTheMiddleIsNotFromTheFirst() {
    assertThat(runs(3, 4)).containsExactly(run(false, 3, 4));
  }

  @Test
  void aGapDividesAndTheOrderOfTheCallDoesNotMatter() {
    assertThat(runs(9, 1, 0, 7, 3))
        .containsExactly(run(true, 0, 1), run(false, 3), run(false, 7), run(false, 9));
  }

  @Test
  void whatWasSettledIsNoGap() {
    settle(0, 1, 4, 9);
    assertThat(runs(3, 5, 2)).containsExactly(run(true, 2, 3, 5));
    assertThat(runs(6, 8)).containsExactly(run(false, 6), run(false, 8));
    assertThat(chain.size()).isEqualTo(6);
  }

  @Test
  void anEmptyChainStartsAnew() {
    settle(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    JmsDelivery next = delivery(10);
    chain.add(next);
    assertThat(chain.runs(new ArrayList<>(List.of(next)))).containsExactly(run(true, 10));
  }

  @Test
  void whatIsReplacedKeepsItsPlace() {
    for (int i : new int[] {0, 5, 9}) {
      JmsDelivery again = held.get(i).again();
      chain.replace(held.get(i), again);
      held.set(i, again);
    }
    assertThat(runs(0, 1)).containsExactly(run(true, 0, 1));
    assertThat(runs(4, 5, 6)).containsExactly(run(false, 4, 5, 6));
    assertThat(runs(8, 9)).containsExactly(run(false, 8, 9));
    JmsDelivery next = delivery(10);
    chain.add(next);
    held.add(next);
    assertThat(runs(9, 10)).containsExactly(run(false, 9, 10));
    settle(1, 4, 6, 8);
    assertThat(runs(0, 2, 3, 5, 7, 9)).containsExactly(run(true, 0, 2, 3, 5, 7, 9));
    assertThat(chain.size()).isEqualTo(7);
  }
}
