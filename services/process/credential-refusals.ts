import type { Unavailable } from '#infra/failures.ts'

/** The servers that check credentials at the start, by the part they hold, and how each refuses them. */
const servers: readonly {
  readonly parts: readonly string[]
  readonly name: string
  readonly variable: string
  readonly isRefusal: (cause: Error & { readonly code?: unknown; readonly type?: unknown }) => boolean
}[] = [
  {
    parts: ['event store'],
    name: 'EventStoreDB',
    variable: 'EVENTSTORE_URL',
    // The client's AccessDeniedError: a wrong password or a missing right.
    isRefusal: ({ type }) => type === 'access-denied',
  },
  {
    parts: ['view store', 'key store'],
    name: 'MongoDB',
    variable: 'MONGODB_URL',
    // Unauthorized, AuthenticationFailed, and Atlas's code for the latter.
    isRefusal: ({ code }) => code === 13 || code === 18 || code === 8000,
  },
  {
    parts: ['session store', 'mail queue'],
    name: 'Redis',
    variable: 'REDIS_URL',
    // Inside a script the last one is an error of the script.
    isRefusal: ({ message }) => /^(WRONGPASS|NOAUTH|NOPERM)\b|^ERR The user executing the script /.test(message),
  },
]

/** In one line, which server refuses the user of which variable; undefined when the server is merely away. */
export function credentialRefusal({ part, cause }: Unavailable): string | undefined {
  const server = servers.find(({ parts }) => parts.includes(part))
  return server && cause instanceof Error && server.isRefusal(cause)
    ? `${server.name} refuses the user of ${server.variable}`
    : undefined
}
