const QUARTER = 15 * 60
const HOUR = 60 * 60

/**
 * What clients may use and how often they may try, in one table. docs/operate.md shows the same numbers
 * (limits.test.ts compares them). Times are in seconds.
 */
export const limits = {
  connections: {
    /** Per process, as far as the system allows that many open files. */
    most: 10_000,
    /** Open files reserved for databases, files and servers. */
    sparedFiles: 256,
  },
  connection: {
    /** Pipelined requests that may wait on one connection; one more closes it. */
    waitingRequests: 16,
    headerLines: 100,
    headerBytes: 16 * 1024,
    /** Until the head of a request is received. */
    headSeconds: 30,
    /** Until the whole request is received. */
    requestSeconds: 120,
    /** Without a byte received or sent while a response is in progress. */
    silentSeconds: 120,
    /** Between two requests. Longer than proxies keep a connection (Caddy 2 minutes, nginx 1): closing first could lose a request. */
    idleSeconds: 150,
  },
  /** First data inside pages of the web app; a page beyond it goes without, and its app asks. */
  pageData: {
    /** Pages for which it is being read, per process. */
    most: 50,
    /** Until a page goes without. */
    milliseconds: 250,
  },
  body: {
    jsonBytes: 100 * 1024,
    /** A body declared larger than this is refused unread, and its connection closed. */
    declaredBytes: 16 * 1024 * 1024,
  },
  passwords: {
    /** Checks of passwords that wait for a free processor core, per process; beyond it 503. Each takes about 20 ms. */
    waiting: 100,
    /** Of one network at sign-in, those being checked included, so that a network leaves room for others; beyond it 429. */
    perNetwork: 60,
  },
  sessions: {
    /** Of one trader or access key; a sign-in beyond it ends the longest unused. */
    perPerson: 100,
  },
  /** Live streams. */
  live: {
    /** Per process. */
    most: 5_000,
    /** Of these, reserved for staff. */
    reservedForStaff: 500,
    perSession: 8,
    perTrader: 16,
    perAccessKey: 200,
    /** For traders only. A network is an IPv4 address or the /64 of an IPv6 address. */
    perNetwork: 500,
  },
  /** Attempts per span of time, over all processes where Redis counts them. Of sign-ins only failures count. */
  attempts: {
    signInAccount: { attempts: 40, seconds: QUARTER },
    signInNetwork: { attempts: 400, seconds: QUARTER },
    /** From a browser that has signed in to the account before. */
    signInDevice: { attempts: 40, seconds: QUARTER },
    /** Wrong access keys, from browsers that have not used a valid access key before. */
    accessKeyInstallation: { attempts: 200, seconds: QUARTER },
    accessKeyNetwork: { attempts: 40, seconds: QUARTER },
    /** From a browser that has used a valid access key before. */
    accessKeyDevice: { attempts: 40, seconds: QUARTER },
    /** Events about refused keys: per issued key, and for all unknown keys together. */
    accessKeyRefusalEvent: { attempts: 1, seconds: QUARTER },
    forgotAccount: { attempts: 10, seconds: QUARTER },
    forgotNetwork: { attempts: 120, seconds: QUARTER },
    /** From a browser that has signed in to the account before. */
    forgotDevice: { attempts: 10, seconds: QUARTER },
    /** Wrong links only. */
    resetAccount: { attempts: 30, seconds: QUARTER },
    resetNetwork: { attempts: 120, seconds: QUARTER },
    passwordAccount: { attempts: 30, seconds: QUARTER },
    /** Wrong codes and passkeys of one person: with 10, guessing a code of six digits takes a year and a half on average. */
    factorPerson: { attempts: 10, seconds: QUARTER },
    /** From a browser that has signed in to the account before. */
    factorDevice: { attempts: 10, seconds: QUARTER },
    /** Mails and events about sign-ins from new browsers. Further ones are only logged. */
    newBrowserNotice: { attempts: 5, seconds: QUARTER },
    /**
     * TRADER_CHANGES_PER_HOUR overrides these four. A person's own changes of email and address, payout requests and changes of shared
     * certificates: those that took effect, and refused emails.
     */
    profilePerson: { attempts: 60, seconds: HOUR },
    emailPerson: { attempts: 20, seconds: HOUR },
    payoutPerson: { attempts: 60, seconds: HOUR },
    sharePerson: { attempts: 60, seconds: HOUR },
    /** Exports of accounts: they read, prove and sign a whole history. */
    exportTrader: { attempts: 20, seconds: QUARTER },
    /** Of lists as well. */
    exportAccessKey: { attempts: 200, seconds: QUARTER },
    /** Receipts: each reads a path in the tree. */
    receiptTrader: { attempts: 200, seconds: QUARTER },
    receiptAccessKey: { attempts: 2_000, seconds: QUARTER },
    /** Pages and receipts of shared certificates. */
    sharedCertificateNetwork: { attempts: 600, seconds: QUARTER },
    /** Master passwords that a member of staff looks at. */
    showPasswordMember: { attempts: 60, seconds: HOUR },
    /** Reads of /log/: a client that copies all tiles of ten million events takes half an hour. */
    logNetwork: { attempts: 20_000, seconds: QUARTER },
    /** Overridden by REGISTRATIONS_PER_HOUR. */
    registrationNetwork: { attempts: 20, seconds: HOUR },
  },
} as const
