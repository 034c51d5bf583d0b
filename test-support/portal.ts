import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { z } from 'zod'
import { POSITION_HEADER } from '#services/framework/api/headers.ts'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { createPersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import type { Service } from '#services/cli/server.ts'
import type { AdminRole } from '#services/identity/staff/access-key.ts'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'
import { startServices } from './separate-services.ts'
import { type Browser, browser } from './http-client.ts'
import { keysOfFiles, storesFor, takenByMailServer } from './portal-stores.ts'
import { decodeEvents, storedEvents } from './stores.ts'
import { ADMIN_KEY } from './program.ts'
import { until } from './until.ts'

export type Portal = Awaited<ReturnType<typeof openPortal>>

export interface Trader extends Browser {
  readonly id: string
  readonly email: string
  readonly password: string
}

export interface Member extends Browser {
  readonly id: string
  readonly accessKey: string
}

interface MemberOptions {
  readonly name?: string
  /** Ms since 1970. */
  readonly expiresAt?: number | null
}

/** The body of a registration without the email. */
export const registration = {
  fullName: 'Ada Lovelace',
  password: 'correct horse',
  privacyPolicyAgreed: true,
  country: 'uk',
  city: 'London',
  street: 'St James Square',
  houseNumber: '12',
}

export type Registered = typeof registration & { readonly email: string }

let people = 0

/** An email address that no other test uses. */
export function newEmail(): string {
  people += 1
  return `trader${people}.${process.pid}@example.com`
}

export interface PortalOptions {
  /** Variables beside those that every test needs. */
  readonly environment?: Readonly<Record<string, string>>
  readonly services?: readonly Service[]
  /** An existing folder, which is kept after the test. */
  readonly dataDir?: string
  /** Whether passwords are hashed at the cost of a real installation; else in no time. */
  readonly realHashes?: boolean
}

/** The least that Argon2id takes. */
const leastCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** Starts the real program on a free port with a data folder of its own, in one process or as separate services. */
export async function openPortal({
  environment = {},
  services,
  dataDir: given,
  realHashes = false,
}: PortalOptions = {}) {
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'proofdesk-portal-')))
  const variables = {
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    ADMIN_ACCESS_KEY: ADMIN_KEY,
    // All tests come from one address.
    REGISTRATIONS_PER_HOUR: '0',
    LOG_LEVEL: 'silent',
    ...(await storesFor(dataDir)),
    ...environment,
  }
  const options = realHashes ? {} : { passwordCost: leastCost }
  const running = await startServices(variables, services, options)
  const url = running.address
  const { eventStore, keyStore, secrets } = running.parts

  // Another process may have destroyed a key: for each reading it is another minute, so that none is remembered.
  let readings = 0
  const personKeys = createPersonKeys(keyStore, secrets, { now: () => readings * 60_000 })
  /** All events in order, or those of one stream. MailSent is left out, because it is appended at any time. */
  const events = async (stream?: string): Promise<RecordedEvent<AnyEvent>[]> => {
    readings += 1
    const stored: StoredEvent[] = []
    if (stream === undefined) stored.push(...(await storedEvents({ eventStore })))
    else for await (const page of eventStore.readStream(stream)) stored.push(...page)
    const decoded = await decodeEvents({ personKeys }, stored)
    return stream === undefined ? decoded.filter(({ type }) => type !== 'MailSent') : decoded
  }

  /** All mails handed over to an address so far, oldest first. */
  const allMails = async (to: string): Promise<Email[]> => {
    const taken = (await takenByMailServer(dataDir)) ?? (await readEmlFolder(join(dataDir, 'outbox')))
    const all = await Promise.all(taken.map((bytes) => PostalMime.parse(bytes)))
    return all
      .filter((mail) => mail.to?.some(({ address }) => address === to))
      .sort((a, b) => (a.date ?? '').localeCompare(b.date ?? ''))
  }
  /** The same without the one after each sign-up, which only tests of it are about. */
  const mails = async (to: string): Promise<Email[]> =>
    (await allMails(to)).filter(({ subject }) => subject !== 'Confirm your email for Proofdesk')

  const signIn = async (accessKey: string): Promise<Browser> => {
    const admin = browser(url)
    await admin.post('/api/admin/login', { accessKey })
    return admin
  }
  /** A browser of a new member of staff, and the member's id. */
  const member = async (
    role: AdminRole,
    { name = `A member of ${role}`, expiresAt = null }: MemberOptions = {},
  ): Promise<Member> => {
    const { repositories, secrets } = running.parts
    const { id, accessKey } = await new AccessKeys(repositories, secrets).issue(name, role, 'a test', { expiresAt })
    return { ...(await signIn(accessKey)), id, accessKey }
  }
  return {
    url,
    dataDir,
    /** The access key of an administrator. */
    adminKey: ADMIN_KEY,
    running,
    /** A client with its own cookies. Each answer must conform to the API. */
    browser: () => browser(url),
    /** A browser that is signed in with an access key. */
    admin: () => signIn(ADMIN_KEY),
    /** A browser that is signed in with an auditor's access key. */
    auditor: () => member('auditor', { name: 'Ernst & Co' }),
    member,
    /** A browser whose new user is registered and signed in. */
    async trader(given: Partial<Registered> = {}): Promise<Trader> {
      const trader = browser(url)
      const email = newEmail()
      const { status, body, text } = await trader.post('/api/register', { ...registration, email, ...given })
      if (status !== 201) throw new Error(`The trader was not registered: ${status} ${text}`)
      const { id, email: used } = z.object({ id: z.string(), email: z.string() }).parse(body)
      return { ...trader, id, email: used, password: given.password ?? registration.password }
    },
    events,
    /** What happened to a user, without the assignment of the account that everyone has from the start. */
    async userEvents(id: string) {
      const first = accountIdOf(userId.parse(id), 1)
      return (await events(`user-${id}`)).filter(
        ({ type, data }) => type !== 'AccountAssigned' || data.accountId !== first,
      )
    },
    /** Makes a request wait for all that happened, also by others than its browser. */
    atEnd: async () => ({ headers: { [POSITION_HEADER]: await eventStore.end() } }),
    allMails,
    mails,
    /** Waits until an address has received this many mails. */
    mailsTo: (to: string, count: number) =>
      until(async () => {
        const found = await mails(to)
        return found.length >= count ? found : undefined
      }, `${count} mails to ${to}`),
    /** Waits for a matching mail to an address. */
    mailWith: (to: string, matches: (mail: Email) => boolean) =>
      until(async () => (await allMails(to)).find(matches), `a certain mail to ${to}`),
    /** Waits until every mail caused by the log so far is handed over. */
    async mailed(): Promise<void> {
      const { outbox } = running.parts
      // The end is read each time, because the worker moves it.
      const handedOver = async () =>
        (await outbox.checkpoint()) === (await eventStore.checkpointAtEnd()) && (await outbox.counts()).waiting === 0
      await until(handedOver, 'all mails to be handed over')
    },
    /** The keys of all stored files. */
    files: () => keysOfFiles(dataDir),
    async stop(): Promise<void> {
      await running.stop()
      if (given === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The mails that are kept as files. */
async function readEmlFolder(outbox: string): Promise<Buffer[]> {
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.eml'))
  const mails = await Promise.all(names.map((name) => readFile(join(outbox, name)).catch(removedMeanwhile)))
  return mails.filter((mail) => mail !== undefined)
}

/** A deletion of a person removes their mails. */
function removedMeanwhile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
