package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import org.roaringbitmap.IntConsumer;
import org.roaringbitmap.RoaringBitmap;

/** Both sets against a plain one, around the edges of words, pages and blocks. */
class DenseSetPropertyTest {

  record Range(long from, long to) {}

  @Provide
  Arbitrary<List<Range>> ranges() {
    Arbitrary<Long> edges =
        Arbitraries.of(64L, 65_536L, 131_072L, 1L << 32, (1L << 32) + 65_536, SparseSet.LIMIT);
    Arbitrary<Integer> sizes =
        Arbitraries.frequencyOf(
            Tuple.of(29, Arbitraries.integers().between(0, 140)),
            Tuple.of(1, Arbitraries.of(65_536, 65_600)));
    return Combinators.combine(edges, Arbitraries.integers().between(1, 140), sizes)
        .as((edge, before, size) -> range(edge - Math.min(edge, before), size))
        .list()
        .ofMaxSize(20);
  }

  private static Range range(long from, int size) {
    return new Range(from, Math.min(SparseSet.LIMIT, from + size));
  }

  @Property(tries = 200)
  void bothSetsHoldWhatAPlainOneHolds(
      @ForAll("ranges") List<Range> ranges, @ForAll @IntRange(min = 1, max = 3) int openPages) {
    DenseSet dense = new DenseSet(openPages);
    SparseSet sparse = new SparseSet();
    SparseSet again = new SparseSet();
    TreeSet<Long> plain = new TreeSet<>();
    TreeSet<Long> plainAgain = new TreeSet<>();
    for (Range range : ranges) {
      long present = plain.subSet(range.from(), range.to()).size();
      assertThat(dense.count(range.from(), range.to())).isEqualTo(present);
      assertThat(sparse.count(range.from(), range.to())).isEqualTo(present);
      long added = 0;
      for (long number = range.from(); number < range.to(); number++) {
        if (plain.add(number)) {
          added++;
        } else {
          plainAgain.add(number);
        }
      }
      assertThat(dense.add(range.from(), range.to(), again)).isEqualTo(added);
      sparse.add(range.from(), range.to());
      assertThat(dense.size()).isEqualTo(plain.size());
    }
    // Not AssertJ's comparison of sets, which takes minutes for whole pages.
    assertThat(numbers(dense.blocks(), dense::copyOf).equals(plain)).isTrue();
    assertThat(numbers(sparse.blocks(), sparse::copyOf).equals(plain)).isTrue();
    assertThat(numbers(again.blocks(), again::copyOf).equals(plainAgain)).isTrue();
  }

  private static Set<Long> numbers(Set<Integer> blocks, IntFunction<RoaringBitmap> copyOf) {
    Set<Long> numbers = new HashSet<>();
    for (int block : blocks) {
      IntConsumer add = low -> numbers.add(((long) block << 32) + Integer.toUnsignedLong(low));
      copyOf.apply(block).forEach(add);
    }
    return numbers;
  }
}
