package org.mqproof.sqs;

import com.amazonaws.AmazonServiceException;
import com.amazonaws.AmazonWebServiceRequest;
import com.amazonaws.ClientConfiguration;
import com.amazonaws.auth.AWSStaticCredentialsProvider;
import com.amazonaws.auth.AnonymousAWSCredentials;
import com.amazonaws.auth.DefaultAWSCredentialsProviderChain;
import com.amazonaws.client.builder.AwsClientBuilder.EndpointConfiguration;
import com.amazonaws.handlers.AsyncHandler;
import com.amazonaws.regions.DefaultAwsRegionProviderChain;
import com.amazonaws.retry.PredefinedRetryPolicies;
import com.amazonaws.retry.RetryPolicy;
import com.amazonaws.retry.RetryUtils;
import com.amazonaws.services.sqs.AmazonSQSAsync;
import com.amazonaws.services.sqs.AmazonSQSAsyncClientBuilder;
import com.amazonaws.services.sqs.model.BatchResultErrorEntry;
import com.amazonaws.services.sqs.model.ChangeMessageVisibilityBatchRequest;
import com.amazonaws.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import com.amazonaws.services.sqs.model.ChangeMessageVisibilityBatchResult;
import com.amazonaws.services.sqs.model.CreateQueueRequest;
import com.amazonaws.services.sqs.model.CreateQueueResult;
import com.amazonaws.services.sqs.model.DeleteMessageBatchRequest;
import com.amazonaws.services.sqs.model.DeleteMessageBatchRequestEntry;
import com.amazonaws.services.sqs.model.DeleteMessageBatchResult;
import com.amazonaws.services.sqs.model.DeleteQueueRequest;
import com.amazonaws.services.sqs.model.DeleteQueueResult;
import com.amazonaws.services.sqs.model.GetQueueAttributesRequest;
import com.amazonaws.services.sqs.model.GetQueueAttributesResult;
import com.amazonaws.services.sqs.model.GetQueueUrlRequest;
import com.amazonaws.services.sqs.model.GetQueueUrlResult;
import com.amazonaws.services.sqs.model.MessageAttributeValue;
import com.amazonaws.services.sqs.model.ReceiveMessageRequest;
import com.amazonaws.services.sqs.model.ReceiveMessageResult;
import com.amazonaws.services.sqs.model.SendMessageBatchRequest;
import com.amazonaws.services.sqs.model.SendMessageBatchRequestEntry;
import com.amazonaws.services.sqs.model.SendMessageBatchResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Version 1 of the AWS SDK, a thread per request. Thread-safe.
 *
 * <p>At its first use this version prints, once per JVM and with a stack trace, that its support
 * has ended. The setting sdk=v1 says that whoever chose it knows; so that one announcement is held
 * back, by the property that the SDK has for this, which is taken away again.
 */
final class V1Transport implements Transport {

  private static final String NO_ANNOUNCEMENT = "aws.java.v1.disableDeprecationAnnouncement";

  private static final long IDLE_SECONDS = 10;

  private final SqsSettings settings;
  private final ExecutorService threads;
  private final AmazonSQSAsync client;

  private V1Transport(SqsSettings settings) {
    this.settings = settings;
    threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "mqproof-sqs");
              thread.setDaemon(true);
              return thread;
            });
    int step = Math.toIntExact(settings.stepBound().toMillis());
    int wait = Math.toIntExact(Duration.ofSeconds(settings.longestWaitSeconds()).toMillis());
    ClientConfiguration configuration =
        new ClientConfiguration()
            .withRetryPolicy(
                new RetryPolicy(
                    (request, failure, retries) -> isOfTheService(failure),
                    PredefinedRetryPolicies.DEFAULT_BACKOFF_STRATEGY,
                    ATTEMPTS - 1,
                    false))
            .withMaxConnections(settings.get(SqsSettings.CONNECTIONS))
            .withConnectionTimeout(
                Math.toIntExact(settings.get(SqsSettings.CONNECT_BOUND).toMillis()))
            .withSocketTimeout(step + wait);
    settings
        .tls()
        .ifPresent(
            tls ->
                configuration
                    .getApacheHttpClientConfig()
                    .setSslSocketFactory(new SSLConnectionSocketFactory(tls.context())));
    AmazonSQSAsyncClientBuilder builder =
        AmazonSQSAsyncClientBuilder.standard()
            .withExecutorFactory(() -> threads)
            .withCredentials(
                settings.anonymous()
                    ? new AWSStaticCredentialsProvider(new AnonymousAWSCredentials())
                    : new DefaultAWSCredentialsProviderChain())
            .withClientConfiguration(configuration);
    if (settings.endpoint().isPresent()) {
      String region =
          settings.region().orElseGet(() -> new DefaultAwsRegionProviderChain().getRegion());
      builder.setEndpointConfiguration(
          new EndpointConfiguration(settings.endpoint().get().toString(), region));
    } else {
      settings.region().ifPresent(builder::setRegion);
    }
    client = builder.build();
  }

  static synchronized Transport open(SqsSettings settings) {
    if (System.getProperty(NO_ANNOUNCEMENT) != null) {
      return new V1Transport(settings); // somebody has decided that already
    }
    System.setProperty(NO_ANNOUNCEMENT, "true");
    try {
      return new V1Transport(settings);
    } finally {
      System.clearProperty(NO_ANNOUNCEMENT);
    }
  }

  private <Q extends AmazonWebServiceRequest, A> CompletableFuture<A> call(
      BiFunction<Q, AsyncHandler<Q, A>, Future<A>> call, Q request, int waitSeconds) {
    Duration bound = settings.stepBound().plusSeconds(waitSeconds);
    request.setSdkClientExecutionTimeout(Math.toIntExact(bound.toMillis()));
    CompletableFuture<A> answer = new CompletableFuture<>();
    Future<A> unused =
        call.apply(
            request,
            new AsyncHandler<Q, A>() {
              @Override
              public void onError(Exception e) {
                answer.completeExceptionally(translated(e));
              }

              @Override
              public void onSuccess(Q asked, A told) {
                answer.complete(told);
              }
            });
    return answer;
  }

  private static boolean isOfTheService(Exception failure) {
    return failure instanceof AmazonServiceException e
        && (e.getStatusCode() >= 500 || RetryUtils.isThrottlingException(e));
  }

  private static RequestFailed translated(Exception failure) {
    return failure instanceof AmazonServiceException e
        ? RequestFailed.answered(e.getStatusCode(), e.getErrorCode(), e.getErrorMessage(), e)
        : RequestFailed.of(failure);
  }

  @Override
  public CompletableFuture<String> queueUrl(String name) {
    return this.<GetQueueUrlRequest, GetQueueUrlResult>call(
            client::getQueueUrlAsync, new GetQueueUrlRequest(name), 0)
        .thenApply(GetQueueUrlResult::getQueueUrl);
  }

  @Override
  public CompletableFuture<?> createQueue(String name) {
    return this.<CreateQueueRequest, CreateQueueResult>call(
        client::createQueueAsync,
        new CreateQueueRequest(name)
            .addAttributesEntry(
                "MessageRetentionPeriod", Long.toString(LONGEST_RETENTION.toSeconds())),
        0);
  }

  @Override
  public CompletableFuture<Map<String, String>> attributes(String url) {
    return this.<GetQueueAttributesRequest, GetQueueAttributesResult>call(
            client::getQueueAttributesAsync, new GetQueueAttributesRequest(url, List.of("All")), 0)
        .thenApply(GetQueueAttributesResult::getAttributes);
  }

  @Override
  public CompletableFuture<?> deleteQueue(String url) {
    return this.<DeleteQueueRequest, DeleteQueueResult>call(
        client::deleteQueueAsync, new DeleteQueueRequest(url), 0);
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> send(
      String url, List<Outgoing> messages) {
    List<SendMessageBatchRequestEntry> entries = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      SendMessageBatchRequestEntry entry =
          new SendMessageBatchRequestEntry(Integer.toString(i), messages.get(i).text());
      messages.get(i).headers().forEach((name, value) -> add(entry, name, value));
      entries.add(entry);
    }
    return this.<SendMessageBatchRequest, SendMessageBatchResult>call(
            client::sendMessageBatchAsync, new SendMessageBatchRequest(url, entries), 0)
        .thenApply(
            answer -> {
              BatchAnswer read = new BatchAnswer(messages.size());
              answer.getSuccessful().forEach(entry -> read.done(entry.getId()));
              return failed(read, answer.getFailed());
            });
  }

  private static void add(SendMessageBatchRequestEntry entry, String name, String value) {
    SendMessageBatchRequestEntry unused =
        entry.addMessageAttributesEntry(
            name, new MessageAttributeValue().withDataType(Headers.TYPE).withStringValue(value));
  }

  @Override
  public CompletableFuture<List<Taken>> receive(
      String url, int max, int waitSeconds, int claimSeconds) {
    return this.<ReceiveMessageRequest, ReceiveMessageResult>call(
            client::receiveMessageAsync,
            new ReceiveMessageRequest(url)
                .withMaxNumberOfMessages(max)
                .withWaitTimeSeconds(waitSeconds)
                .withVisibilityTimeout(claimSeconds)
                .withMessageAttributeNames("All")
                .withMessageSystemAttributeNames(RECEIVE_COUNT),
            waitSeconds)
        .thenApply(
            answer ->
                answer.getMessages().stream()
                    .map(
                        m ->
                            new Taken(
                                m.getMessageId(),
                                m.getReceiptHandle(),
                                m.getBody(),
                                Headers.of(
                                    m.getMessageAttributes(),
                                    MessageAttributeValue::getDataType,
                                    MessageAttributeValue::getStringValue),
                                Taken.count(m.getAttributes())))
                    .toList());
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> delete(String url, List<String> handles) {
    List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>(handles.size());
    for (int i = 0; i < handles.size(); i++) {
      entries.add(new DeleteMessageBatchRequestEntry(Integer.toString(i), handles.get(i)));
    }
    return this.<DeleteMessageBatchRequest, DeleteMessageBatchResult>call(
            client::deleteMessageBatchAsync, new DeleteMessageBatchRequest(url, entries), 0)
        .thenApply(
            answer -> {
              BatchAnswer read = new BatchAnswer(handles.size());
              answer.getSuccessful().forEach(entry -> read.done(entry.getId()));
              return failed(read, answer.getFailed());
            });
  }

  @Override
  public CompletableFuture<List<@Nullable RequestFailed>> claim(String url, List<Claim> claims) {
    List<ChangeMessageVisibilityBatchRequestEntry> entries = new ArrayList<>(claims.size());
    for (int i = 0; i < claims.size(); i++) {
      entries.add(
          new ChangeMessageVisibilityBatchRequestEntry(Integer.toString(i), claims.get(i).handle())
              .withVisibilityTimeout(claims.get(i).seconds()));
    }
    return this.<ChangeMessageVisibilityBatchRequest, ChangeMessageVisibilityBatchResult>call(
            client::changeMessageVisibilityBatchAsync,
            new ChangeMessageVisibilityBatchRequest(url, entries),
            0)
        .thenApply(
            answer -> {
              BatchAnswer read = new BatchAnswer(claims.size());
              answer.getSuccessful().forEach(entry -> read.done(entry.getId()));
              return failed(read, answer.getFailed());
            });
  }

  private static List<@Nullable RequestFailed> failed(
      BatchAnswer answer, List<BatchResultErrorEntry> failed) {
    failed.forEach(e -> answer.failed(e.getId(), e.getSenderFault(), e.getCode(), e.getMessage()));
    return answer.entries();
  }

  @Override
  public void close() {
    client.shutdown(); // and the threads: the client takes the pool for its own
    List<Runnable> unused = threads.shutdownNow();
  }
}
