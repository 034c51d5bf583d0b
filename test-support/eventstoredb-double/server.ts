import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  status,
} from '@grpc/grpc-js'
import anyMessages from 'google-protobuf/google/protobuf/any_pb.js'
import emptyMessages from 'google-protobuf/google/protobuf/empty_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import statusMessages from '@eventstore/db-client/generated/status_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { createCallLimit } from './call-limit.ts'
import { type EventLog, type Expected, LARGEST_APPEND, type Outcome, type ProposedEvent } from './log.ts'
import { identifier, nameOf, uuid } from './messages.ts'
import { Failed, read, type ReadCall, streamDeleted, subscribe } from './reading.ts'

type AppendCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>

/** A call of a client. */
export interface Call {
  readonly kind: 'read' | 'append'
  /** '$all' for the whole log. */
  readonly stream: string
}

/** What a test sees and changes of a server. */
export interface Controls {
  /** Every read and append so far, without subscriptions. */
  readonly calls: Call[]
  /** The next requests for the server's features that fail. */
  featuresToFail: number
  /** The next appends that are stored and never answered. */
  answersToLose: number
}

/**
 * Serves the log over the protocol of EventStoreDB on the loopback, on a free port by default.
 *
 * @param advertised The port that the gossip names to a client with several hosts; its own by default.
 */
export async function serve(
  log: EventLog,
  controls: Controls = { calls: [], featuresToFail: 0, answersToLose: 0 },
  wantedPort = 0,
  advertised?: number,
) {
  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 })
  const admit = createCallLimit()
  const open = new Set<ReadCall | AppendCall>()
  const subscriptions = new Set<ReadCall>()
  const track = (call: ReadCall | AppendCall): void => {
    open.add(call)
    for (const ending of ['close', 'cancelled']) call.once(ending, () => open.delete(call))
  }

  server.addService(streamsService.StreamsService, {
    read(call: ReadCall) {
      track(call)
      admit(call, () => {
        const options = call.request.getOptions()
        if (!options) return void call.emit('error', new Failed(status.INVALID_ARGUMENT, 'No options'))
        if (options.hasSubscription()) subscriptions.add(call)
        else
          controls.calls.push({
            kind: 'read',
            stream: options.hasStream() ? nameOf(options.getStream()?.getStreamIdentifier()) : '$all',
          })
        const answered = options.hasSubscription()
          ? subscribe(call, log, options).finally(() => subscriptions.delete(call))
          : read(call, log, options)
        answered.catch((error: unknown) => call.emit('error', error))
      })
    },
    delete(call: ServerUnaryCall<streams.DeleteReq, streams.DeleteResp>, answer: sendUnaryData<streams.DeleteResp>) {
      const stream = nameOf(call.request.getOptions()?.getStreamIdentifier())
      if (log.shown(stream) === 'deleted') return answer(streamDeleted(stream))
      log.softDelete(stream)
      answer(null, new streams.DeleteResp())
    },
    tombstone(
      call: ServerUnaryCall<streams.TombstoneReq, streams.TombstoneResp>,
      answer: sendUnaryData<streams.TombstoneResp>,
    ) {
      log.tombstone(nameOf(call.request.getOptions()?.getStreamIdentifier()))
      answer(null, new streams.TombstoneResp())
    },
    batchAppend(call: AppendCall) {
      track(call)
      admit(call, () => batchAppend(call, log, controls))
    },
  })
  server.addService(featuresService.ServerFeaturesService, {
    getSupportedMethods(_call: unknown, answer: sendUnaryData<features.SupportedMethods>) {
      if (controls.featuresToFail-- > 0) answer(new Failed(status.INTERNAL, 'Not now'))
      else answer(null, supportedMethods())
    },
  })
  server.addService(gossipService.GossipService, {
    read(_call: unknown, answer: sendUnaryData<gossip.ClusterInfo>) {
      answer(null, clusterOfOne(advertised ?? port))
    },
  })

  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${wantedPort}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return {
    port,
    /** Ends every call with an error, as a server does on SIGTERM. */
    breakCalls() {
      for (const call of [...open]) call.emit('error', new Failed(status.INTERNAL, 'The server is stopping'))
    },
    /** Ends every subscription without an error. */
    endSubscriptions() {
      for (const call of [...subscriptions]) call.end()
    },
    close: () => server.forceShutdown(),
  }
}

/** The client uses the batch append only if it is listed, in lower case. It looks for nothing else. */
function supportedMethods(): features.SupportedMethods {
  const batchAppend = new features.SupportedMethod()
  batchAppend.setServiceName('event_store.client.streams.streams')
  batchAppend.setMethodName('batchappend')
  const supported = new features.SupportedMethods()
  supported.setEventStoreServerVersion('24.10.4')
  supported.addMethods(batchAppend)
  return supported
}

/** What a client with several hosts in its URL asks each of them: who is the leader. */
function clusterOfOne(port: number): gossip.ClusterInfo {
  const address = new gossip.EndPoint()
  address.setAddress('127.0.0.1')
  address.setPort(port)
  const member = new gossip.MemberInfo()
  member.setInstanceId(uuid('00000000-0000-4000-8000-000000000001'))
  member.setState(gossip.MemberInfo.VNodeState.LEADER)
  member.setIsAlive(true)
  member.setHttpEndPoint(address)
  const cluster = new gossip.ClusterInfo()
  cluster.addMembers(member)
  return cluster
}

/** Serves all appends of a client: each has its own id and may come in several messages. */
function batchAppend(call: AppendCall, log: EventLog, controls: Controls): void {
  const incomplete = new Map<
    string,
    { readonly options: streams.BatchAppendReq.Options; readonly events: ProposedEvent[] }
  >()
  call.on('data', (message: streams.BatchAppendReq) => {
    const id = message.getCorrelationId()?.getString() ?? ''
    const options = message.getOptions()
    if (options) incomplete.set(id, { options, events: [] })
    const append = incomplete.get(id)
    if (!append) return
    append.events.push(...message.getProposedMessagesList().map(proposedOf))
    if (!message.getIsFinal()) return
    incomplete.delete(id)
    const stream = nameOf(append.options.getStreamIdentifier())
    controls.calls.push({ kind: 'append', stream })
    const { options: wanted } = append
    const expected = wanted.hasStreamPosition()
      ? Number(wanted.getStreamPosition())
      : wanted.hasNoStream()
        ? 'no_stream'
        : 'any'
    const response = new streams.BatchAppendResp()
    response.setCorrelationId(uuid(id))
    response.setStreamIdentifier(identifier(stream))
    setOutcome(response, expected, log.append(stream, expected, append.events))
    if (controls.answersToLose > 0) controls.answersToLose--
    else if (!call.cancelled && !call.destroyed) call.write(response)
  })
  call.on('error', () => {})
  call.on('end', () => call.end())
}

function proposedOf(message: streams.BatchAppendReq.ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap()
  return {
    id: message.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  }
}

function setOutcome(response: streams.BatchAppendResp, expected: Expected, outcome: Outcome): void {
  if (!('wrong' in outcome)) {
    const position = new shared.AllStreamPosition()
    position.setCommitPosition(String(outcome.position))
    position.setPreparePosition(String(outcome.position))
    const success = new streams.BatchAppendResp.Success()
    success.setCurrentRevision(String(outcome.revision))
    success.setPosition(position)
    response.setSuccess(success)
  } else if (outcome.wrong === 'size') {
    const details = new shared.MaximumAppendSizeExceeded()
    details.setMaxappendsize(LARGEST_APPEND)
    response.setError(failure(status.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', details))
  } else if (outcome.wrong === 'deleted') {
    const details = new shared.StreamDeleted()
    details.setStreamIdentifier(response.getStreamIdentifier())
    response.setError(failure(status.FAILED_PRECONDITION, 'StreamDeleted', details))
  } else {
    const details = new shared.WrongExpectedVersion()
    if (outcome.actual === 'no_stream') details.setCurrentNoStream(new emptyMessages.Empty())
    else details.setCurrentStreamRevision(String(outcome.actual))
    if (typeof expected === 'number') details.setExpectedStreamPosition(String(expected))
    else details.setExpectedNoStream(new emptyMessages.Empty())
    response.setError(failure(status.FAILED_PRECONDITION, 'WrongExpectedVersion', details))
  }
}

function failure(code: number, name: string, details: { serializeBinary(): Uint8Array }): statusMessages.Status {
  const packed = new anyMessages.Any()
  packed.pack(details.serializeBinary(), `event_store.client.${name}`)
  const failed = new statusMessages.Status()
  failed.setCode(code)
  failed.setMessage(name)
  failed.setDetails(packed)
  return failed
}
