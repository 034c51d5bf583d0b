import type { z } from 'zod'
import { LINK_HEADER, nextCursor, SHOWN_HEADER, TOTAL_HEADER, TOTAL_RELATION_HEADER } from '#services/api/headers.ts'
import { ApiError, refusal } from './api-error.ts'
import { reportNoAnswer } from './reachability.ts'
import { requestConfirmation } from './confirmation.ts'
import { parseLeniently } from './lenient.ts'
import { recordVisiblePosition } from './shown.ts'

/**
 * All calls to the server. The API's schemas parse the answers, leniently.
 */

/** The schema of an answer, from `services/api`. */
export type Schema<Answer> = z.ZodType<Answer>

/** A page of a list, with the list's total. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
  /** False when the server stopped counting at `total`. */
  readonly totalIsExact: boolean
  /** Cursor of the next page. */
  readonly next: string | undefined
}

export type Query = Readonly<Record<string, string | number | undefined>>

/** Reads one thing. @throws {ApiError} */
export async function get<Answer>(path: string, schema: Schema<Answer>, signal?: AbortSignal): Promise<Answer> {
  return (await read(ask('GET', path, { signal }), schema)).answer
}

/** Reads a page of a list; `schema` is the schema of the whole list. @throws {ApiError} */
export async function getPage<Item>(path: string, schema: Schema<Item[]>, query: Query, signal?: AbortSignal): Promise<Page<Item>> {
  const { response, answer: items } = await read(ask('GET', addressWith(path, query), { signal }), schema)
  return {
    items,
    total: Number(response.headers.get(TOTAL_HEADER) ?? items.length) || items.length,
    totalIsExact: response.headers.get(TOTAL_RELATION_HEADER) !== 'at-least',
    next: nextCursor(response.headers.get(LINK_HEADER)),
  }
}

type Headers = Readonly<Record<string, string>>

/** Sends a change and ignores the body of the answer. @throws {ApiError} */
export async function send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, headers?: Headers): Promise<void> {
  await ask(method, path, { body, headers })
}

/** Sends a change and reads the answer. @throws {ApiError} */
export async function sendAndParse<Answer>(method: 'POST' | 'PATCH', path: string, body: unknown, schema: Schema<Answer>, headers?: Headers): Promise<Answer> {
  return (await read(ask(method, path, { body, headers }), schema)).answer
}

async function read<Answer>(request: Promise<Response>, schema: Schema<Answer>) {
  const response = await request
  return { response, answer: parseLeniently(schema, await response.json()) }
}

/** Sends a form with a file and reports progress from 0 to 1. @throws {ApiError} */
export function upload(path: string, form: FormData, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // fetch does not report upload progress.
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('Accept', 'application/json')
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
    request.addEventListener('load', () => (request.status < 400 ? resolve() : reject(refusal(request.status, request.statusText, request.responseText))))
    request.addEventListener('error', () => reject(unreachable()))
    request.addEventListener('abort', () => reject(unreachable()))
    request.send(form)
  })
}

interface AskOptions {
  readonly body?: unknown
  readonly headers?: Headers | undefined
  readonly signal?: AbortSignal | undefined
}

async function ask(method: string, path: string, { body, headers, signal }: AskOptions): Promise<Response> {
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    headers: { Accept: 'application/json', ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  const response = await fetch(path, init).catch((error: unknown) => {
    if (signal?.aborted) throw error
    reportNoAnswer()
    throw unreachable()
  })
  if (!response.ok) {
    const error = refusal(response.status, response.statusText, await response.text())
    if (error.code === 'confirmation-required' && (await requestConfirmation(path))) return ask(method, path, { body, headers, signal })
    throw error
  }
  recordVisiblePosition(response.headers.get(SHOWN_HEADER))
  return response
}

function unreachable(): ApiError {
  if (!navigator.onLine) return new ApiError(0, 'You are offline. Nothing was sent. Please try again when the connection is back.')
  return new ApiError(0, 'The server could not be reached. Please check your connection and try again.')
}

/** An address with its query, without empty values. */
export function addressWith(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') parameters.set(name, String(value))
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}
