/**
 * What clients may use of the portal and how often they may try, in one table. docs/operate.md shows the same numbers
 * (limits.test.ts compares them). Times are in seconds.
 */
export const limits = {
  connections: {
    /** Of this process, where the system allows so many open files. */
    most: 10_000,
    /** Open files that are kept free for databases, files and servers. */
    sparedFiles: 256,
  },
  connection: {
    /** Requests that wait on one connection for the answer ahead of them; one more closes it. */
    waitingRequests: 16,
    headerLines: 100,
    headerBytes: 16 * 1024,
    /** Until the head of a request has come. */
    headSeconds: 30,
    /** Until all of a request has come. */
    requestSeconds: 120,
    /** Neither a byte received nor one taken in by the client, while an answer is under way. */
    silentSeconds: 120,
    /** Between two requests: longer than proxies keep a connection (Caddy 2 minutes, nginx 1), so that it is never us who ends it just when a request comes. */
    idleSeconds: 150,
  },
  body: {
    jsonBytes: 100 * 1024,
    /** A body that is declared larger than this is refused unread, and its connection closed. */
    declaredBytes: 16 * 1024 * 1024,
  },
} as const
