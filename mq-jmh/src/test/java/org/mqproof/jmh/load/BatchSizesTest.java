package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchSizesTest {

  @Test
  void aNumberIsAFixedSize() {
    assertThat(BatchSizes.parse("10").draw(0)).containsOnly(10);
  }

  @Test
  void aRangeIsDrawnFromUniformly() {
    int[] drawn = BatchSizes.parse("1..10").draw(7);

    assertThat(Integer.bitCount(drawn.length)).as("a power of two").isEqualTo(1);
    for (int size = 1; size <= 10; size++) {
      int wanted = size;
      long found = Arrays.stream(drawn).filter(d -> d == wanted).count();
      // 409.6 expected, standard deviation 19.2: five of them either way.
      assertThat(found).as("batches of %d", size).isBetween(314L, 505L);
    }
    assertThat(Arrays.stream(drawn).summaryStatistics())
        .matches(s -> s.getMin() == 1 && s.getMax() == 10);
  }

  @Test
  void theSameSeedDrawsTheSameSizes() {
    BatchSizes sizes = BatchSizes.parse("1..100");

    assertThat(sizes.draw(3)).isEqualTo(sizes.draw(3)).isNotEqualTo(sizes.draw(4));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "0", "0..5", "5..4", "-1", "1..", "1...3", "1,2", "9999999"})
  void whatIsNoSizeIsRefusedByName(String text) {
    assertThatThrownBy(() -> BatchSizes.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("batch cannot be '" + text + "'")
        .hasMessageContaining("1..10");
  }
}
