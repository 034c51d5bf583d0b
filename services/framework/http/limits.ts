const QUARTER = 15 * 60
const HOUR = 60 * 60

/**
 * The limits on what clients use and how often they try, in one table. docs/operate.md shows the same numbers
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
    /**
     * Between two requests. Longer than proxies keep a connection (Caddy 2 minutes, nginx 1): closing first could lose
     * a request.
     */
    idleSeconds: 150,
  },
  body: {
    jsonBytes: 100 * 1024,
    /** A body declared larger than this is refused unread, and its connection closed. */
    declaredBytes: 24 * 1024 * 1024,
  },
  passwords: {
    /** Checks of passwords that wait for a free processor core, per process; beyond it 503. Each takes about 20 ms. */
    waiting: 100,
    /**
     * Checks for one network at sign-in, waiting and running, so that a network leaves room for others; beyond it 429.
     */
    perNetwork: 60,
  },
  statements: {
    /** Statements that wait in memory until the one before them is read, per process; beyond it 503. Each has up to 40 MB. */
    waiting: 5,
  },
  sessions: {
    /** Sessions of one trader or access key; a sign-in beyond it ends the longest unused. */
    perPerson: 100,
  },
  /** Live streams. */
  live: {
    /** Per process. */
    most: 5_000,
    /** This many of them are reserved for staff. */
    reservedForStaff: 500,
    perSession: 8,
    perTrader: 16,
    perAccessKey: 200,
    /** For traders only. A network is an IPv4 address or the /64 of an IPv6 address. */
    perNetwork: 500,
  },
  /**
   * Attempts per span of time, over all processes where Redis counts them by `name`. Of sign-ins only failures count.
   */
  attempts: {
    signInAccount: { name: 'sign-in-account', attempts: 40, seconds: QUARTER },
    signInNetwork: { name: 'sign-in-address', attempts: 400, seconds: QUARTER },
    /** From a browser that has signed in to the account before. */
    signInDevice: { name: 'sign-in-device', attempts: 40, seconds: QUARTER },
    /** Wrong access keys, from browsers that have not used a valid access key before. */
    accessKeyInstallation: { name: 'admin-installation', attempts: 200, seconds: QUARTER },
    accessKeyNetwork: { name: 'admin-address', attempts: 40, seconds: QUARTER },
    /** From a browser that has used a valid access key before. */
    accessKeyDevice: { name: 'admin-device', attempts: 40, seconds: QUARTER },
    /** Events about refused keys: per issued key, and for all unknown keys together. */
    accessKeyRefusalEvent: { name: 'admin-refusal-event', attempts: 1, seconds: QUARTER },
    forgotAccount: { name: 'forgot-account', attempts: 10, seconds: QUARTER },
    forgotNetwork: { name: 'forgot-address', attempts: 120, seconds: QUARTER },
    /** From a browser that has signed in to the account before. */
    forgotDevice: { name: 'forgot-device', attempts: 10, seconds: QUARTER },
    /** Wrong links only. */
    resetAccount: { name: 'reset-account', attempts: 30, seconds: QUARTER },
    resetNetwork: { name: 'reset-address', attempts: 120, seconds: QUARTER },
    passwordAccount: { name: 'password-account', attempts: 30, seconds: QUARTER },
    /**
     * Wrong codes and passkeys of one person: with 10, guessing a code of six digits takes a year and a half on
     * average.
     */
    factorPerson: { name: 'factor-person', attempts: 10, seconds: QUARTER },
    /** From a browser that has signed in to the account before. */
    factorDevice: { name: 'factor-device', attempts: 10, seconds: QUARTER },
    /** Mails and events about sign-ins from new browsers. Further ones are only logged. */
    newBrowserNotice: { name: 'new-browser', attempts: 5, seconds: QUARTER },
    /** Test mails of one member of staff: they go to any address at once. */
    testMailMember: { name: 'test-mail', attempts: 10, seconds: QUARTER },
    /** After the first password, the first sign-in from any browser is that of a new trader, and raises no alarm. */
    firstSignIn: { name: 'first-sign-in', attempts: 1, seconds: 24 * HOUR },
    /**
     * TRADER_CHANGES_PER_HOUR overrides these four. A person's own changes of email and address, payout requests and
     * changes of shared certificates: those that took effect, and refused emails.
     */
    profilePerson: { name: 'profile-person', attempts: 60, seconds: HOUR },
    emailPerson: { name: 'email-person', attempts: 20, seconds: HOUR },
    payoutPerson: { name: 'payout-person', attempts: 60, seconds: HOUR },
    sharePerson: { name: 'share-person', attempts: 60, seconds: HOUR },
    /** "60 of a trader's calls that write in 15 minutes." (cases.md) */
    casePerson: { name: 'case-person', attempts: 60, seconds: QUARTER },
    /** Exports of accounts: they read, prove and sign a whole history. */
    exportTrader: { name: 'export-trader', attempts: 20, seconds: QUARTER },
    /** Downloads of lists count, too. */
    exportAccessKey: { name: 'export-access-key', attempts: 200, seconds: QUARTER },
    /** Receipts: each reads a path in the tree. */
    receiptTrader: { name: 'receipt-trader', attempts: 200, seconds: QUARTER },
    receiptAccessKey: { name: 'receipt-access-key', attempts: 2_000, seconds: QUARTER },
    /** Pages and receipts of shared certificates. */
    sharedCertificateNetwork: { name: 'shared-certificate-address', attempts: 600, seconds: QUARTER },
    /** Master passwords that a member of staff looks at. */
    showPasswordMember: { name: 'show-password-member', attempts: 60, seconds: HOUR },
    /** Wrong keys of programs. */
    apiKeyNetwork: { name: 'program-key-address', attempts: 40, seconds: QUARTER },
    /** Calls with one key of a program. */
    apiKeyCalls: { name: 'program-key-calls', attempts: 10_000, seconds: QUARTER },
    /** Orders of one key of a program that could not be taken: each is an event and a task. */
    untakenOrdersOfKey: { name: 'untaken-orders-key', attempts: 100, seconds: HOUR },
    /** Reads of /log/: a client that copies all tiles of ten million events takes half an hour. */
    logNetwork: { name: 'log-address', attempts: 20_000, seconds: QUARTER },
    /** Overridden by REGISTRATIONS_PER_HOUR. */
    registrationNetwork: { name: 'registration-address', attempts: 20, seconds: HOUR },
  },
} as const

/** A limit on attempts, by its name in the table. */
export type AttemptLimit = keyof typeof limits.attempts
