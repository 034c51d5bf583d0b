import { parseSetCookie } from 'cookie'
import { conforms } from './api-conformance.ts'
import { PROXY } from './proxy.ts'

/** An answer of the portal. */
export interface Answer {
  readonly status: number
  /** Parsed JSON, or undefined for another type. */
  readonly body: unknown
  readonly text: string
  readonly bytes: Buffer
  readonly headers: Headers
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
}

/** A client with its own cookies, like a browser profile. Each answer must conform to the API. */
export interface Browser {
  readonly cookies: Map<string, string>
  get(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  delete(path: string, options?: RequestOptions): Promise<Answer>
  /** Sends any body: a form, or one that is not JSON. */
  send(method: string, path: string, body: RequestInit['body'], options?: RequestOptions): Promise<Answer>
}

/**
 * @param url the portal's address, or a function that returns it for each request (of a portal that moves or has
 * several)
 */
export function browser(url: string | ((method: string) => string)): Browser {
  const urlFor = typeof url === 'string' ? () => url : url
  const cookies = new Map<string, string>()

  const send: Browser['send'] = async (method, path, body, { headers = {} } = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const init: RequestInit = { method, headers: { ...(cookie && { cookie }), ...headers }, redirect: 'manual' }
    const response = await fetch(new URL(path, urlFor(method)), body === undefined ? init : { ...init, body })
    for (const header of response.headers.getSetCookie()) {
      const { name, value, maxAge, expires } = parseSetCookie(header)
      if (!value || maxAge === 0 || (expires && expires.getTime() <= Date.now())) cookies.delete(name)
      else cookies.set(name, value)
    }
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const bytes = isStream ? await beginningOf(response) : Buffer.from(await response.arrayBuffer())
    const text = bytes.toString('utf8')
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const parsed: unknown = isJson ? JSON.parse(text) : undefined
    // The answers of a proxy are not part of the API.
    const isPortal = ![PROXY, 'Caddy'].includes(response.headers.get('server') ?? '')
    if (isPortal && (path.startsWith('/api/') || /^\/[a-z]+z$/.test(path)))
      conforms(method, path, response.status, parsed)
    return { status: response.status, body: parsed, text, bytes, headers: response.headers }
  }

  return withJson(cookies, send)
}

/** A browser by what sends its requests. */
export function withJson(cookies: Map<string, string>, send: Browser['send']): Browser {
  const json =
    (method: string) =>
    (path: string, body?: unknown, options: RequestOptions = {}) =>
      body === undefined
        ? send(method, path, undefined, options)
        : send(method, path, JSON.stringify(body), {
            headers: { 'content-type': 'application/json', ...options.headers },
          })

  return {
    cookies,
    send,
    get: (path, options) => send('GET', path, undefined, options),
    post: json('POST'),
    patch: json('PATCH'),
    delete: (path, options) => send('DELETE', path, undefined, options),
  }
}

/** The first chunk of an endless answer. */
async function beginningOf({ body }: Response): Promise<Buffer> {
  const reader = body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return Buffer.from(value ?? [])
}
