package org.mqproof.sqs;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.client.config.SdkAdvancedAsyncClientOption;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.SqsAsyncClientBuilder;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/**
 * Version 2 of the AWS SDK, over sockets that wait for nobody. Its threads are made here and not by
 * the SDK, whose own take seconds to end. Thread-safe.
 */
final class V2Transport implements Transport {

  private static final int MOST_THREADS = 2;

  /** Sockets that close tell the threads of others; without this the last of it is an error. */
  private static final Duration QUIET = Duration.ofMillis(50);

  private final SqsSettings settings;
  private final EventLoopGroup threads;
  private final ScheduledThreadPoolExecutor timeouts;
  private final SdkAsyncHttpClient http;
  private final SqsAsyncClient client;

  private V2Transport(SqsSettings settings) {
    this.settings = settings;
    DefaultThreadFactory daemons = new DefaultThreadFactory("mqproof-sqs", true);
    threads =
        new NioEventLoopGroup(
            Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors()), daemons);
    timeouts = new ScheduledThreadPoolExecutor(1, daemons);
    timeouts.setRemoveOnCancelPolicy(true);
    int connections = settings.get(SqsSettings.CONNECTIONS);
    NettyNioAsyncHttpClient.Builder sockets =
        NettyNioAsyncHttpClient.builder()
            .eventLoopGroup(SdkEventLoopGroup.create(threads, NioSocketChannel::new))
            .maxConcurrency(connections)
            .maxPendingConnectionAcquires(Integer.MAX_VALUE)
            .connectionAcquisitionTimeout(settings.stepBound())
            .connectionTimeout(settings.get(SqsSettings.CONNECT_BOUND))
            .readTimeout(settings.stepBound().plusSeconds(settings.longestWaitSeconds()))
            .writeTimeout(settings.stepBound());
    settings
        .tls()
        .ifPresent(
            tls ->
                sockets
                    .tlsTrustManagersProvider(tls::trustManagers)
                    .tlsKeyManagersProvider(tls::keyManagers));
    http = sockets.build();
    SqsAsyncClientBuilder builder =
        SqsAsyncClient.builder()
            .httpClient(http)
            .credentialsProvider(
                settings.anonymous()
                    ? AnonymousCredentialsProvider.create()
                    : DefaultCredentialsProvider.builder().build())
            .overrideConfiguration(
                c ->
                    c.retryStrategy(
                            DefaultRetryStrategy.standardStrategyBuilder()
                                .useClientDefaults(false)
                                .circuitBreakerEnabled(false)
                                .maxAttempts(ATTEMPTS)
                                .retryOnException(V2Transport::isOfTheService)
                                .build())
                        .scheduledExecutorService(timeouts))
            .asyncConfiguration(
                c ->
                    c.advancedOption(
                        SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR,
                        (Executor) Runnable::run));
    settings.endpoint().ifPresent(builder::endpointOverride);
    settings.region().map(Region::of).ifPresent(builder::region);
    client = builder.build();
  }

  static Transport open(SqsSettings settings) {
    return new V2Transport(settings);
  }

  private Consumer<AwsRequestOverrideConfiguration.Builder> bound(int waitSeconds) {
    Duration bound = settings.stepBound().plusSeconds(waitSeconds);
    return c -> c.apiCallTimeout(bound);
  }

  private static <A> CompletableFuture<A> told(CompletableFuture<A> answer) {
    return answer.exceptionally(
        failure -> {
          throw translated(Errors.unwrap(failure));
        });
  }

  /**
   * The SDK looks at the interrupt while it prepares a request, and fails it. What does no harm
   * when it is done twice is prepared again, so that who is interrupted can still ack and close.
   */
  private static <A> CompletableFuture<A> inSpiteOfInterrupts(
      Supplier<CompletableFuture<A>> request) {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        CompletableFuture<A> answer = request.get();
        if (!Errors.isOfAnInterrupt(answer)) {
          return answer;
        }
        interrupted = true;
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static boolean isOfTheService(Throwable failure) {
    return failure instanceof SdkServiceException e
        && (e.statusCode() >= 500 || e.isThrottlingException());
  }

  private static RequestFailed translated(Throwable failure) {
    if (failure instanceof AwsServiceException e) {
      @Nullable AwsErrorDetails details = e.awsErrorDetails();
      return RequestFailed.answered(
          e.statusCode(),
          details == null ? e.getClass().getSimpleName() : details.errorCode(),
          details == null ? e.getMessage() : details.errorMessage(),
          e);
    }
    return RequestFailed.of(failure);
  }

  @Override
  public CompletableFuture<String> queueUrl(String name) {
    return told(client.getQueueUrl(r -> r.queueName(name).overrideConfiguration(bound(0))))
        .thenApply(answer -> answer.queueUrl());
  }

  @Override
  public CompletableFuture<?> createQueue(String name) {
    return told(
        client.createQueue(
            r ->
                r.queueName(name)
                    .attributes(
                        Map.of(
                            QueueAttributeName.MESSAGE_RETENTION_PERIOD,
                            Long.toString(LONGEST_RETENTION.toSeconds())))
                    .overrideConfiguration(bound(0))));
  }

  @Override
  public CompletableFuture<Map<String, String>> attributes(String url) {
    return told(client.getQueueAttributes(
            r ->
                r.queueUrl(url)
                    .attributeNames(QueueAttributeName.ALL)
                    .overrideConfiguration(bound(0))))
        .thenApply(answer -> answer.attributesAsStrings());
  }

  @Override
  public CompletableFuture<?> deleteQueue(String url) {
    return told(client.deleteQueue(r -> r.queueUrl(url).overrideConfiguration(bound(0))));
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> send(
      String url, List<Outgoing> messages) {
    List<SendMessageBatchRequestEntry> entries = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      SendMessageBatchRequestEntry.Builder entry =
          SendMessageBatchRequestEntry.builder()
              .id(Integer.toString(i))
              .messageBody(messages.get(i).text());
      if (!messages.get(i).headers().isEmpty()) {
        entry.messageAttributes(attributes(messages.get(i).headers()));
      }
      entries.add(entry.build());
    }
    return told(client.sendMessageBatch(
            r -> r.queueUrl(url).entries(entries).overrideConfiguration(bound(0))))
        .thenApply(
            answer -> {
              BatchAnswer read = new BatchAnswer(messages.size());
              answer.successful().forEach(entry -> read.done(entry.id()));
              return failed(read, answer.failed());
            });
  }

  private static Map<String, MessageAttributeValue> attributes(Map<String, String> headers) {
    Map<String, MessageAttributeValue> attributes = new HashMap<>();
    headers.forEach(
        (name, value) ->
            attributes.put(
                name,
                MessageAttributeValue.builder().dataType(Headers.TYPE).stringValue(value).build()));
    return attributes;
  }

  @Override
  public CompletableFuture<List<Taken>> receive(
      String url, int max, int waitSeconds, int claimSeconds) {
    return told(client.receiveMessage(
            r ->
                r.queueUrl(url)
                    .maxNumberOfMessages(max)
                    .waitTimeSeconds(waitSeconds)
                    .visibilityTimeout(claimSeconds)
                    .messageAttributeNames("All")
                    .messageSystemAttributeNames(
                        MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT)
                    .overrideConfiguration(bound(waitSeconds))))
        .thenApply(
            answer ->
                answer.messages().stream()
                    .map(
                        m ->
                            new Taken(
                                m.messageId(),
                                m.receiptHandle(),
                                m.body(),
                                Headers.of(
                                    m.messageAttributes(),
                                    MessageAttributeValue::dataType,
                                    MessageAttributeValue::stringValue),
                                Taken.count(m.attributesAsStrings())))
                    .toList());
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> delete(String url, List<String> handles) {
    List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>(handles.size());
    for (int i = 0; i < handles.size(); i++) {
      entries.add(
          DeleteMessageBatchRequestEntry.builder()
              .id(Integer.toString(i))
              .receiptHandle(handles.get(i))
              .build());
    }
    return told(inSpiteOfInterrupts(
            () ->
                client.deleteMessageBatch(
                    r -> r.queueUrl(url).entries(entries).overrideConfiguration(bound(0)))))
        .thenApply(
            answer -> {
              BatchAnswer read = new BatchAnswer(handles.size());
              answer.successful().forEach(entry -> read.done(entry.id()));
              return failed(read, answer.failed());
            });
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> claim(String url, List<Claim> claims) {
    List<ChangeMessageVisibilityBatchRequestEntry> entries = new ArrayList<>(claims.size());
    for (int i = 0; i < claims.size(); i++) {
      entries.add(
          ChangeMessageVisibilityBatchRequestEntry.builder()
              .id(Integer.toString(i))
              .receiptHandle(claims.get(i).handle())
              .visibilityTimeout(claims.get(i).seconds())
              .build());
    }
    return told(inSpiteOfInterrupts(
            () ->
                client.changeMessageVisibilityBatch(
                    r -> r.queueUrl(url).entries(entries).overrideConfiguration(bound(0)))))
        .thenApply(
            answer -> {
              BatchAnswer read = new BatchAnswer(claims.size());
              answer.successful().forEach(entry -> read.done(entry.id()));
              return failed(read, answer.failed());
            });
  }

  private static List<@Nullable RequestFailed> failed(
      BatchAnswer answer, List<BatchResultErrorEntry> failed) {
    failed.forEach(e -> answer.failed(e.id(), e.senderFault(), e.code(), e.message()));
    return answer.entries();
  }

  @Override
  public void close() {
    client.close();
    http.close();
    List<Runnable> unused = timeouts.shutdownNow();
    boolean unusedInTime =
        threads
            .shutdownGracefully(
                QUIET.toMillis(), settings.stepBound().toMillis(), TimeUnit.MILLISECONDS)
            .awaitUninterruptibly(settings.stepBound().toMillis());
  }
}
