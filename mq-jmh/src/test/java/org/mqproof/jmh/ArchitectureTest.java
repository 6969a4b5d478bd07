package org.mqproof.jmh;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The arrows between the modules. This module is the only one that sees all the others, so the
 * rules stand here. Each rule is run twice: on the product, which must pass, and together with a
 * class planted to break it, which must fail.
 */
class ArchitectureTest {

  /**
   * Packages of one system each, and the meters, which know none of them; {@code jms} is what two
   * of them share.
   */
  private static final List<String> SYSTEMS =
      List.of(
          "memory",
          "kafka",
          "rabbitmq",
          "artemis",
          "activemq",
          "mongodb",
          "nats",
          "postgresql",
          "rocketmq",
          "valkey",
          "sqs",
          "eventstore",
          "pulsar",
          "micrometer");

  private static final String[] ADAPTERS =
      Stream.concat(SYSTEMS.stream(), Stream.of("jms", "support"))
          .map(name -> "org.mqproof." + name + "..")
          .toArray(String[]::new);

  private static final ArchRule THE_CONTRACT_NEEDS_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAnyPackage("org.mqproof", "org.mqproof.spi..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "org.jspecify..", "org.mqproof", "org.mqproof.spi..");

  private static final ArchRule THE_LEDGER_KNOWS_THE_CONTRACT_ALONE =
      noClasses()
          .that()
          .resideInAPackage("org.mqproof.ledger..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              and(
                  ADAPTERS,
                  "org.mqproof.conformance..",
                  "org.mqproof.cluster..",
                  "org.mqproof.report..",
                  "org.mqproof.jmh..",
                  "org.junit.."));

  private static final ArchRule THE_KIT_KNOWS_CONTRACT_AND_LEDGER_ALONE =
      noClasses()
          .that()
          .resideInAPackage("org.mqproof.conformance..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              and(ADAPTERS, "org.mqproof.cluster..", "org.mqproof.report..", "org.mqproof.jmh.."));

  private static final ArchRule THE_REPORT_KNOWS_CONTRACT_AND_LEDGER_ALONE =
      noClasses()
          .that()
          .resideInAPackage("org.mqproof.report..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              and(
                  ADAPTERS,
                  "org.mqproof.conformance..",
                  "org.mqproof.cluster..",
                  "org.mqproof.jmh..",
                  "org.openjdk.jmh.."));

  private static final ArchRule AN_ADAPTER_KNOWS_THE_CONTRACT_ALONE =
      noClasses()
          .that()
          .resideInAnyPackage(ADAPTERS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.mqproof.ledger..",
              "org.mqproof.conformance..",
              "org.mqproof.cluster..",
              "org.mqproof.report..",
              "org.mqproof.jmh..");

  private static final ArchRule NO_ADAPTER_KNOWS_ANOTHER =
      SlicesRuleDefinition.slices()
          .matching("org.mqproof.(" + String.join("|", SYSTEMS) + ")..")
          .should()
          .notDependOnEachOther();

  private static final ArchRule CLUSTERS_KNOW_NO_ADAPTER_AND_NO_HARNESS =
      noClasses()
          .that()
          .resideInAPackage("org.mqproof.cluster..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              and(
                  ADAPTERS,
                  "org.mqproof.ledger..",
                  "org.mqproof.conformance..",
                  "org.mqproof.report..",
                  "org.mqproof.jmh.."));

  private static final ArchRule THE_BENCHMARKS_NAME_NO_ADAPTER =
      noClasses()
          .that()
          .resideInAPackage("org.mqproof.jmh..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(and(ADAPTERS, "org.mqproof.conformance.."));

  /** Each package may use those in the list, and those may not use it. */
  private static final ArchRule NO_ARROW_OF_THE_BENCHMARKS_RUNS_BACK_UP =
      Architectures.layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true) // the planted class stands alone
          .layer("benchmarks")
          .definedBy("org.mqproof.jmh", "org.mqproof.jmh.jmh_generated")
          .layer("trial")
          .definedBy("org.mqproof.jmh.trial")
          .layer("nodes")
          .definedBy("org.mqproof.jmh.nodes")
          .layer("systems")
          .definedBy("org.mqproof.jmh.systems")
          .layer("load")
          .definedBy("org.mqproof.jmh.load")
          .layer("measure")
          .definedBy("org.mqproof.jmh.measure")
          .layer("scenario")
          .definedBy("org.mqproof.jmh.scenario")
          .layer("sustain")
          .definedBy("org.mqproof.jmh.sustain")
          .whereLayer("trial")
          .mayOnlyAccessLayers("systems", "load", "measure")
          .whereLayer("nodes")
          .mayOnlyAccessLayers("systems", "load", "measure")
          .whereLayer("systems")
          .mayOnlyAccessLayers("load")
          .whereLayer("load")
          .mayOnlyAccessLayers("measure")
          .whereLayer("measure")
          .mayNotAccessAnyLayer()
          .whereLayer("scenario")
          .mayNotAccessAnyLayer()
          .whereLayer("sustain")
          .mayNotAccessAnyLayer();

  /** The other packages measure without it, so that nodes of a cluster can use them too. */
  private static final ArchRule THE_BENCHMARKS_ALONE_USE_JMH =
      noClasses()
          .that()
          .resideInAnyPackage("org.mqproof.jmh.*")
          .and()
          .resideOutsideOfPackage("org.mqproof.jmh.jmh_generated")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.openjdk.jmh..");

  private static final ArchRule THE_REPORT_KNOWS_NONE_OF_ITS_COMMANDS =
      noClasses()
          .that()
          .resideInAPackage("org.mqproof.report")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.mqproof.report.compare..",
              "org.mqproof.report.lint..",
              "org.mqproof.report.verdict..");

  private static final ArchRule WHAT_ADAPTERS_SHARE_KNOWS_NONE_OF_THEM =
      noClasses()
          .that()
          .resideInAnyPackage("org.mqproof.jms..", "org.mqproof.support..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              SYSTEMS.stream().map(name -> "org.mqproof." + name + "..").toArray(String[]::new));

  private static JavaClasses product;

  private static String[] and(String[] some, String... others) {
    return Stream.concat(Stream.of(some), Stream.of(others)).toArray(String[]::new);
  }

  @BeforeAll
  static void importProduct() {
    product =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.mqproof");
    assertThat(
            product.stream()
                .map(c -> c.getPackageName().replaceAll("^(org\\.mqproof\\.[a-z]+).*", "$1"))
                .distinct())
        .as("every module is on this class path, or its rule would hold of nothing")
        .contains(
            "org.mqproof",
            "org.mqproof.spi",
            "org.mqproof.ledger",
            "org.mqproof.conformance",
            "org.mqproof.cluster",
            "org.mqproof.report",
            "org.mqproof.jmh",
            "org.mqproof.jms",
            "org.mqproof.support")
        .containsAll(SYSTEMS.stream().map(name -> "org.mqproof." + name).toList());
    assertThat(product.stream().map(JavaClass::getPackageName).distinct())
        .contains(
            "org.mqproof.jmh.load",
            "org.mqproof.jmh.measure",
            "org.mqproof.jmh.nodes",
            "org.mqproof.jmh.scenario",
            "org.mqproof.jmh.sustain",
            "org.mqproof.jmh.systems",
            "org.mqproof.jmh.trial",
            "org.mqproof.report.compare",
            "org.mqproof.report.lint",
            "org.mqproof.report.verdict");
  }

  static Stream<Arguments> rules() {
    return Stream.of(
        Arguments.of(THE_CONTRACT_NEEDS_THE_JDK_ALONE, org.mqproof.spi.PlantedInContract.class),
        Arguments.of(THE_LEDGER_KNOWS_THE_CONTRACT_ALONE, org.mqproof.ledger.PlantedInLedger.class),
        Arguments.of(
            THE_KIT_KNOWS_CONTRACT_AND_LEDGER_ALONE, org.mqproof.conformance.PlantedInKit.class),
        Arguments.of(
            THE_REPORT_KNOWS_CONTRACT_AND_LEDGER_ALONE, org.mqproof.report.PlantedInReport.class),
        Arguments.of(AN_ADAPTER_KNOWS_THE_CONTRACT_ALONE, org.mqproof.memory.PlantedInMemory.class),
        Arguments.of(WHAT_ADAPTERS_SHARE_KNOWS_NONE_OF_THEM, org.mqproof.jms.PlantedInJms.class),
        Arguments.of(NO_ADAPTER_KNOWS_ANOTHER, org.mqproof.kafka.PlantedInKafka.class),
        Arguments.of(
            CLUSTERS_KNOW_NO_ADAPTER_AND_NO_HARNESS, org.mqproof.cluster.PlantedInCluster.class),
        Arguments.of(
            THE_REPORT_KNOWS_NONE_OF_ITS_COMMANDS, org.mqproof.report.PlantedInReport.class),
        Arguments.of(
            NO_ARROW_OF_THE_BENCHMARKS_RUNS_BACK_UP,
            org.mqproof.jmh.measure.PlantedInMeasure.class),
        Arguments.of(THE_BENCHMARKS_ALONE_USE_JMH, org.mqproof.jmh.measure.PlantedInMeasure.class),
        Arguments.of(THE_BENCHMARKS_NAME_NO_ADAPTER, PlantedInBenchmarks.class));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theProductKeepsTheRule(ArchRule rule, Class<?> planted) {
    rule.check(product);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theRuleBitesOnAPlantedViolation(ArchRule rule, Class<?> planted) {
    JavaClasses violation =
        new ClassFileImporter().importClasses(planted, org.mqproof.memory.MemoryMqProvider.class);

    assertThat(rule.evaluate(violation).getFailureReport().getDetails())
        .isNotEmpty()
        .allMatch(detail -> detail.contains(planted.getSimpleName()));
  }
}
