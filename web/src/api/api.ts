import type { z } from 'zod'
import {
  IDEMPOTENCY_HEADER,
  LINK_HEADER,
  nextCursor,
  SHA256_HEADER,
  SHOWN_HEADER,
  TOTAL_HEADER,
  TOTAL_RELATION_HEADER,
} from '#services/framework/api/headers.ts'
import type { Route } from '#services/framework/api/route.ts'
import { takesIdempotencyKey } from '#services/framework/api/takes-idempotency-key.ts'
import { ApiError, refusal } from './api-error.ts'
import { requestConfirmation } from './confirmation.ts'
import { intentionOf } from './intention.ts'
import { parseLeniently } from './lenient.ts'
import { reportNoAnswer } from './reachability.ts'
import { readServerClock } from './server-clock.ts'
import { sessionOf } from './session.ts'
import { recordVisiblePosition } from './shown.ts'

/**
 * All calls to the server, by their routes: these know the address, what is sent and what is answered. Answers are
 * parsed leniently.
 */

/** A call that answers JSON. */
export type Answering<Answer> = { readonly answer: { readonly schema: z.ZodType<Answer> } }

type QueryValues<Name extends PropertyKey = string> = { readonly [Each in Name]?: string | number | undefined }

/** The parameters of a call's query, as they are written in an address. */
export type QueryOf<R extends Route> = R extends { readonly query: infer Schema extends z.ZodObject }
  ? QueryValues<keyof z.input<Schema>>
  : undefined

/** An address needs this besides its route. */
export type Target<R extends Route> = { readonly query?: QueryOf<R> } & (R extends {
  readonly params: infer Schema extends z.ZodObject
}
  ? { readonly params: Readonly<z.input<Schema>> }
  : { readonly params?: undefined })

type BodyOf<R extends Route> = R extends { readonly body: infer Schema extends z.ZodType }
  ? { readonly body: z.input<Schema> }
  : { readonly body?: undefined }

/** A read needs this besides its route. */
export type Question<R extends Route> = Target<R> & BodyOf<R>

/** A change needs this besides its route. */
type Content<R extends Route> = Target<R> &
  BodyOf<R> & { readonly headers?: { readonly [Name in keyof R['headers']]?: string } }

/** May be left out where all of it may. */
type Given<Needed> = object extends Needed ? [given?: Needed] : [given: Needed]

interface AnyContent {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: QueryValues | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: unknown
  readonly form?: FormData
  readonly signal?: AbortSignal | undefined
}

/** A page of a list, with the list's total. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
  /** False when the server stopped counting at `total`. */
  readonly totalIsExact: boolean
  /** Cursor of the next page. */
  readonly next: string | undefined
}

/** Reads one thing, or a list without its total. @throws {ApiError} */
export async function get<R extends Route, Answer>(
  route: R & Answering<Answer>,
  { params, query, body }: Question<R>,
  signal?: AbortSignal,
): Promise<Answer> {
  return (await answerOf(route, { params, query, body, signal })).answer
}

/** Reads a page of a list. @throws {ApiError} */
export async function getPage<R extends Route, Item>(
  route: R & Answering<Item[]>,
  { params, query }: Target<R>,
  signal: AbortSignal,
): Promise<Page<Item>> {
  const { response, answer: items } = await answerOf(route, { params, query, signal })
  return {
    items,
    total: Number(response.headers.get(TOTAL_HEADER) ?? items.length) || items.length,
    totalIsExact: response.headers.get(TOTAL_RELATION_HEADER) !== 'at-least',
    next: nextCursor(response.headers.get(LINK_HEADER)),
  }
}

/** A file that is shown on a page, with its hash. */
export interface ShownFile {
  readonly text: string
  /** SHA-256, lower-case hex, as the server says it. */
  readonly sha256: string
}

/** Reads a file as text. @throws {ApiError} */
export async function getFile<R extends Route>(
  route: R,
  { params, query }: Target<R>,
  signal: AbortSignal,
): Promise<ShownFile> {
  const response = await ask(route, { params, query, signal })
  return { text: await response.text(), sha256: response.headers.get(SHA256_HEADER) ?? '' }
}

/** Sends a change and ignores the body of the answer. @throws {ApiError} */
export async function send<R extends Route>(route: R, ...[given]: Given<Content<R>>): Promise<void> {
  await ask(route, given)
}

/** Sends a change and reads the answer. @throws {ApiError} */
export async function sendAndParse<R extends Route, Answer>(
  route: R & Answering<Answer>,
  ...[given]: Given<Content<R>>
): Promise<Answer> {
  return (await answerOf(route, given)).answer
}

/** Sends a form with a file and reads the answer. @throws {ApiError} */
export async function sendForm<R extends Route, Answer>(
  route: R & Answering<Answer>,
  form: FormData,
  params: AnyContent['params'] = {},
): Promise<Answer> {
  return (await answerOf(route, { form, params })).answer
}

async function answerOf<Answer>(route: Route & Answering<Answer>, given?: AnyContent) {
  const response = await ask(route, given)
  return { response, answer: parseLeniently(route.answer.schema, await response.json()) }
}

/** Sends a form with a file and reports progress from 0 to 1. @throws {ApiError} */
export function upload(route: Route, form: FormData, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // fetch does not report upload progress.
    const request = new XMLHttpRequest()
    request.open(route.method.toUpperCase(), route.path)
    request.setRequestHeader('Accept', 'application/json')
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
    const intention = takesIdempotencyKey(route)
      ? intentionOf(`${route.method} ${route.path}`, undefined, form)
      : undefined
    if (intention) request.setRequestHeader(IDEMPOTENCY_HEADER, intention.key)
    request.addEventListener('load', () => {
      if (isKnown(request.status)) intention?.answered()
      else intention?.unanswered()
      if (request.status < 400) resolve()
      else reject(refusal(request.status, request.statusText, request.responseText))
    })
    const lost = () => {
      intention?.unanswered()
      reject(lostOnTheWay(route))
    }
    request.addEventListener('error', lost)
    request.addEventListener('abort', lost)
    if (!navigator.onLine) reject(offline(route))
    else request.send(form)
  })
}

async function ask(route: Route, given: AnyContent = {}): Promise<Response> {
  const { params, query, headers, body, form, signal } = given
  const address = addressWith(pathWith(route.path, params), query)
  const intention = takesIdempotencyKey(route) ? intentionOf(`${route.method} ${address}`, body, form) : undefined
  const init: RequestInit = {
    method: route.method.toUpperCase(),
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(intention && { [IDEMPOTENCY_HEADER]: intention.key }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form && { body: form }),
    ...(signal && { signal }),
  }
  // Before, and not after a failure: what was sent may have arrived although the connection is gone now.
  if (!navigator.onLine && route.method !== 'get') throw offline(route)
  const response = await fetch(address, init).catch((error: unknown) => {
    if (signal?.aborted) throw error
    intention?.unanswered()
    reportNoAnswer()
    throw lostOnTheWay(route)
  })
  if (isKnown(response.status)) intention?.answered()
  else intention?.unanswered()
  readServerClock(response.headers.get('Date'))
  if (!response.ok) {
    const error = refusal(response.status, response.statusText, await response.text())
    const session = sessionOf(route)
    if (error.code === 'confirmation-required' && session !== 'none' && (await requestConfirmation(session)))
      return ask(route, given)
    throw error
  }
  recordVisiblePosition(response.headers.get(SHOWN_HEADER))
  return response
}

/** After a fault of the server, or of a proxy before it, a change may have taken effect. */
const isKnown = (status: number) => status < 500

/** The browser knows that it has no connection: nothing leaves. */
function offline({ method }: Route): ApiError {
  reportNoAnswer()
  return new ApiError(
    0,
    method === 'get'
      ? 'You are offline. Please try again when the connection is back.'
      : 'You are offline. Nothing was sent. Please try again when the connection is back.',
  )
}

/** The request left, and no answer came. */
function lostOnTheWay(route: Route): ApiError {
  if (route.method === 'get' || route.reads)
    return navigator.onLine
      ? new ApiError(0, 'The server could not be reached. Please check your connection and try again.')
      : offline(route)
  return new ApiError(
    0,
    takesIdempotencyKey(route) || route.headers?.[IDEMPOTENCY_HEADER]
      ? 'The connection broke, and it is not known whether this arrived. Try it again: it takes effect only once.'
      : 'The connection broke, and it is not known whether this arrived. Please try again.',
  )
}

/** The address of a call, for links to files and for streams. */
export function addressOf<R extends Route>(route: R, ...[given]: Given<Target<R>>): string {
  const { params, query }: AnyContent = given ?? {}
  return addressWith(pathWith(route.path, params), query)
}

/** A path with its parameters, encoded. */
export function pathWith(path: string, params: AnyContent['params'] = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

/** An address with its query, without empty values. */
export function addressWith(path: string, query: QueryValues = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}
