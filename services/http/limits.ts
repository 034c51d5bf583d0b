const QUARTER = 15 * 60

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
  /** Live streams. */
  live: {
    /** Of this process. */
    most: 5_000,
    /** Of these, so many are left to staff. */
    reservedForStaff: 500,
    perSession: 8,
    perTrader: 16,
    perAccessKey: 200,
    /** Traders and not staff. A network is an IPv4 address or the /64 of an IPv6 address. */
    perNetwork: 500,
  },
  /** Attempts in a span of time, of all processes together where Redis counts them. Of sign-ins only failures count. */
  attempts: {
    signInAccount: { attempts: 40, seconds: QUARTER },
    signInNetwork: { attempts: 400, seconds: QUARTER },
    /** From a browser that signed in to the account before. */
    signInDevice: { attempts: 40, seconds: QUARTER },
    /** Wrong access keys, from browsers that no access key opened the portal for before. */
    accessKeyInstallation: { attempts: 200, seconds: QUARTER },
    accessKeyNetwork: { attempts: 40, seconds: QUARTER },
    /** From a browser that an access key opened the portal for before. */
    accessKeyDevice: { attempts: 40, seconds: QUARTER },
    /** Events that say that a key was refused, for each key that was issued and for all others together. */
    accessKeyRefusalEvent: { attempts: 1, seconds: QUARTER },
    forgotAccount: { attempts: 10, seconds: QUARTER },
    forgotNetwork: { attempts: 120, seconds: QUARTER },
    resetAccount: { attempts: 30, seconds: QUARTER },
    resetNetwork: { attempts: 120, seconds: QUARTER },
    passwordAccount: { attempts: 30, seconds: QUARTER },
    /** Unless REGISTRATIONS_PER_HOUR says otherwise. */
    registrationNetwork: { attempts: 20, seconds: 60 * 60 },
  },
} as const
