import { Metadata, type sendUnaryData, Server, ServerCredentials, type ServerDuplexStream, type ServerReadableStream, status } from '@grpc/grpc-js'
import anyMessages from 'google-protobuf/google/protobuf/any_pb.js'
import emptyMessages from 'google-protobuf/google/protobuf/empty_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import statusMessages from '@eventstore/db-client/generated/status_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { type Expected, LARGEST_APPEND, type EventLog, type Outcome, type ProposedEvent } from './log.ts'
import { identifier, nameOf, uuid } from './messages.ts'
import { Failed, read, type ReadCall } from './reading.ts'
import { createCallLimit } from './call-limit.ts'
import { subscribe } from './subscribing.ts'

/** A message larger than this breaks the call it comes on. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024
/** After so many ms a batch append that was no good is answered once more. */
const SECOND_ANSWER = 2000

export interface GrpcServer {
  readonly port: number
  /** Ends every call with an error, as a server does that was asked to stop. */
  breakCalls(): void
  /** Ends every subscription without an error. */
  endSubscriptions(): void
  close(): void
}

interface Breakable {
  emit(event: 'error', error: Error): boolean
}

/** A call that a client made. */
export interface Call {
  readonly kind: 'read' | 'append'
  /** '$all' for the whole log. */
  readonly stream: string
}

export interface ServeOptions {
  /** A free port unless given. */
  readonly port?: number
  /** Hears of every read and append. */
  readonly count?: (call: Call) => void
}

/** What the server is made to do wrong. */
export interface Faults {
  /** So many questions for its features fail. */
  featuresToFail: number
}

/** Serves the log over the protocol of EventStoreDB, on a port of this machine. */
export async function serve(log: EventLog, faults: Faults, { port: wantedPort = 0, count = () => {} }: ServeOptions = {}): Promise<GrpcServer> {
  const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES })
  const admit = createCallLimit()
  const open = new Set<Breakable>()
  const subscriptions = new Set<ReadCall>()
  const track = (call: ReadCall | ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>): void => {
    open.add(call)
    call.once('close', () => open.delete(call)).once('cancelled', () => open.delete(call))
  }

  server.addService(streamsService.StreamsService, {
    read(call: ReadCall) {
      track(call)
      admit(call, () => {
        const options = call.request.getOptions()
        if (!options) return void call.emit('error', new Failed(status.INVALID_ARGUMENT, 'No options'))
        if (options.hasSubscription()) subscriptions.add(call)
        else count({ kind: 'read', stream: options.hasStream() ? nameOf(options.getStream()?.getStreamIdentifier()) : '$all' })
        const answered = options.hasSubscription() ? subscribe(call, log, options).finally(() => subscriptions.delete(call)) : read(call, log, options)
        answered.catch((error: unknown) => call.emit('error', error))
      })
    },
    append(call: ServerReadableStream<streams.AppendReq, streams.AppendResp>, answer: sendUnaryData<streams.AppendResp>) {
      admit(call, (done) =>
        append(
          call,
          (...outcome) => {
            answer(...outcome)
            done()
          },
          log,
        ),
      )
    },
    batchAppend(call: ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>) {
      track(call)
      admit(call, () => batchAppend(call, log, count))
    },
    delete: (_call: unknown, answer: sendUnaryData<streams.DeleteResp>) => answer(new Failed(status.UNIMPLEMENTED, 'We never delete')),
    tombstone: (_call: unknown, answer: sendUnaryData<streams.TombstoneResp>) => answer(new Failed(status.UNIMPLEMENTED, 'We never delete')),
  })
  server.addService(featuresService.ServerFeaturesService, {
    getSupportedMethods(_call: unknown, answer: sendUnaryData<features.SupportedMethods>) {
      if (faults.featuresToFail-- > 0) answer(new Failed(status.INTERNAL, 'Not now'))
      else answer(null, supportedMethods())
    },
  })

  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${wantedPort}`, ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  return {
    port,
    breakCalls() {
      for (const call of [...open]) call.emit('error', new Failed(status.INTERNAL, 'The server is stopping'))
    },
    endSubscriptions() {
      for (const call of [...subscriptions]) call.end()
    },
    close: () => server.forceShutdown(),
  }
}

/** The client uses the batch append only where it is listed, in lower case. */
function supportedMethods(): features.SupportedMethods {
  const supported = new features.SupportedMethods()
  supported.setEventStoreServerVersion('24.10.4')
  const methods: Record<string, string[]> = { append: [], batchappend: ['deadline_duration'], delete: [], read: ['position', 'events'], tombstone: [] }
  for (const [name, list] of Object.entries(methods)) {
    const method = new features.SupportedMethod()
    method.setServiceName('event_store.client.streams.streams')
    method.setMethodName(name)
    method.setFeaturesList(list)
    supported.addMethods(method)
  }
  return supported
}

function proposedOf(message: streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap()
  return {
    id: message.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  }
}

function isValid({ id, type }: ProposedEvent): boolean {
  return type !== '' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
}

/** The append with a call of its own. */
function append(call: ServerReadableStream<streams.AppendReq, streams.AppendResp>, answer: sendUnaryData<streams.AppendResp>, log: EventLog): void {
  let options: streams.AppendReq.Options | undefined
  const events: ProposedEvent[] = []
  call.on('data', (message: streams.AppendReq) => {
    options ??= message.getOptions()
    const proposed = message.getProposedMessage()
    if (proposed) events.push(proposedOf(proposed))
  })
  call.on('error', () => {})
  call.on('end', () => {
    const stream = nameOf(options?.getStreamIdentifier())
    if (!options || stream === '' || !events.every(isValid)) return answer(new Failed(status.UNKNOWN, 'Not what can be appended'))
    const expected = options.hasRevision()
      ? Number(options.getRevision())
      : options.hasNoStream()
        ? 'no_stream'
        : options.hasStreamExists()
          ? 'stream_exists'
          : 'any'
    const outcome = log.append(stream, expected, events)
    if ('wrong' in outcome && outcome.wrong === 'size') return answer(tooLarge())
    const response = new streams.AppendResp()
    if ('wrong' in outcome) response.setWrongExpectedVersion(wrongVersion(expected, outcome.actual))
    else response.setSuccess(succeeded(outcome))
    answer(null, response)
  })
}

function succeeded({ revision, position }: { readonly revision: number; readonly position: number }): streams.AppendResp.Success {
  const at = new streams.AppendResp.Position()
  at.setCommitPosition(String(position))
  at.setPreparePosition(String(position))
  const success = new streams.AppendResp.Success()
  success.setCurrentRevision(String(revision))
  success.setPosition(at)
  return success
}

function wrongVersion(expected: Expected, actual: number | 'no_stream'): streams.AppendResp.WrongExpectedVersion {
  const wrong = new streams.AppendResp.WrongExpectedVersion()
  if (actual === 'no_stream') wrong.setCurrentNoStream(new shared.Empty())
  else wrong.setCurrentRevision(String(actual))
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty())
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new shared.Empty())
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new shared.Empty())
  else wrong.setExpectedRevision(String(expected))
  return wrong
}

function tooLarge(): Failed {
  const failed = new Failed(status.INVALID_ARGUMENT, 'Maximum append size exceeded')
  failed.metadata.merge(Metadata.fromHttp2Headers({ exception: 'maximum-append-size-exceeded', 'maximum-append-size': String(LARGEST_APPEND) }))
  return failed
}

/** All appends of a client on one call: each has an id of its own and may come in several messages. */
function batchAppend(call: ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>, log: EventLog, count: (call: Call) => void): void {
  const incomplete = new Map<string, { readonly options: streams.BatchAppendReq.Options; readonly events: ProposedEvent[] }>()
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
    const respond = (result: (response: streams.BatchAppendResp) => void): void => {
      const response = new streams.BatchAppendResp()
      response.setCorrelationId(uuid(id))
      response.setStreamIdentifier(identifier(stream))
      result(response)
      if (!call.cancelled && !call.destroyed) call.write(response)
    }
    count({ kind: 'append', stream })
    if (stream === '') return respond((response) => response.setError(badRequest()))
    if (!append.events.every(isValid)) {
      respond((response) => response.setError(badRequest()))
      // It has not been forgotten: the server's own time limit answers for it a second time.
      setTimeout(() => respond((response) => response.setError(failure(4, 'Timeout', new shared.Timeout()))), SECOND_ANSWER).unref()
      return
    }
    const { options: wanted } = append
    const expected = wanted.hasStreamPosition()
      ? Number(wanted.getStreamPosition())
      : wanted.hasNoStream()
        ? 'no_stream'
        : wanted.hasStreamExists()
          ? 'stream_exists'
          : 'any'
    const outcome = log.append(stream, expected, append.events)
    respond((response) => settle(response, expected, outcome))
  })
  call.on('error', () => {})
  call.on('end', () => call.end())
}

function settle(response: streams.BatchAppendResp, expected: Expected, outcome: Outcome): void {
  if (!('wrong' in outcome)) {
    const at = new shared.AllStreamPosition()
    at.setCommitPosition(String(outcome.position))
    at.setPreparePosition(String(outcome.position))
    const success = new streams.BatchAppendResp.Success()
    success.setCurrentRevision(String(outcome.revision))
    success.setPosition(at)
    response.setSuccess(success)
  } else if (outcome.wrong === 'size') {
    const details = new shared.MaximumAppendSizeExceeded()
    details.setMaxappendsize(LARGEST_APPEND)
    response.setError(failure(3, 'MaximumAppendSizeExceeded', details))
  } else {
    const details = new shared.WrongExpectedVersion()
    if (outcome.actual === 'no_stream') details.setCurrentNoStream(new emptyMessages.Empty())
    else details.setCurrentStreamRevision(String(outcome.actual))
    if (expected === 'any') details.setExpectedAny(new emptyMessages.Empty())
    else if (expected === 'no_stream') details.setExpectedNoStream(new emptyMessages.Empty())
    else if (expected === 'stream_exists') details.setExpectedStreamExists(new emptyMessages.Empty())
    else details.setExpectedStreamPosition(String(expected))
    response.setError(failure(9, 'WrongExpectedVersion', details))
  }
}

function badRequest(): statusMessages.Status {
  const details = new shared.BadRequest()
  details.setMessage('Not what can be appended')
  return failure(3, 'BadRequest', details)
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
