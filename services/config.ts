import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { type S3Location, parseS3Location } from '../infra/file-store/s3-address.ts'

/** A configured value is no good: the start stops with this one line. */
export class BadConfiguration extends Error {
  override readonly name = 'BadConfiguration'
}

const port = z.coerce
  .number({ error: 'must be a port number' })
  .int('must be a port number')
  .min(0, 'must be a port number')
  .max(65_535, 'must be a port number')

const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).transform((text) => new URL(text))

const purchaseTemplate = z
  .string()
  .refine((text) => z.url({ protocol: /^https?$/ }).safeParse(text.replaceAll(/\{(size|challenge)\}/g, 'x')).success, 'must be an http or https address')

const mailServer = z
  .url({ protocol: /^smtps?$/, error: 'must be an smtp or smtps address' })
  .transform((text) => new URL(text))
  .refine(({ hostname }) => hostname !== '', 'must name a host')

const eventStoreUrl = z
  .string()
  .regex(/^esdb(\+discover)?:\/\/[^/?#\s]+(\/?\?\S*|\/)?$/, 'must be the address of an EventStoreDB, like esdb://localhost:2113?tls=false')

const mongodbUrl = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^/?#\s]+(\/[^/?#\s]*)?(\?\S*)?$/, 'must be the address of a MongoDB, like mongodb://localhost:27017/proofdesk')

const bucket = z.string().transform((text, context) => {
  try {
    return parseS3Location(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'must be the address of a bucket' })
    return z.NEVER
  }
})

const redisUrl = z.url({ protocol: /^rediss?$/, error: 'must be the address of a Redis, like redis://localhost:6379' })

/** Every variable there is, read once. An empty one counts as unset. */
const environment = z.object({
  EVENTSTORE_URL: eventStoreUrl.optional(),
  MONGODB_URL: mongodbUrl.optional(),
  REDIS_URL: redisUrl.optional(),
  S3_URL: bucket.optional(),
  SMTP_URL: mailServer.optional(),
  DATA_DIR: z
    .string()
    .default('./data')
    .transform((path) => resolve(path)),
  PORT: port.default(3000),
  HOST: z.string().optional(),
  METRICS_PORT: port.optional(),
  ADMIN_ACCESS_KEY: z.string().min(8, 'must have at least 8 characters').max(500, 'must have at most 500 characters').optional(),
  PUBLIC_URL: webAddress.optional(),
  MASTER_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  NEW_MASTER_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  PURCHASE_URL: purchaseTemplate.default('https://checkout.example.com/{challenge}/{size}'),
  MAIL_FROM: z.email('must be an email address').default('proofdesk@localhost.localdomain'),
  TRUSTED_PROXIES: z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(0, 'must be a whole number')
    .max(10, 'must be at most 10')
    .default(0),
  SEALS_DIR: z
    .string()
    .transform((path) => resolve(path))
    .optional(),
  SEALS_URL: bucket.optional(),
  SEAL_SECONDS: z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(86_400, 'must be at most 86400')
    .default(300),
  REGISTRATIONS_PER_HOUR: z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(0, 'must be a whole number')
    .max(1_000_000, 'must be at most 1000000')
    .default(20),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent'], { error: 'must be debug, info, warn, error or silent' }).default('info'),
})

export interface Config {
  /** EventStoreDB, which holds the event log; unset, it is in the data folder. */
  readonly eventStoreUrl: string | undefined
  /** MongoDB, which holds views and keys; unset, they are in the data folder. */
  readonly mongodbUrl: string | undefined
  /** Redis, which holds sessions, queued mails and counts of tries; unset, they are in the data folder and in memory. */
  readonly redisUrl: string | undefined
  readonly dataDir: string
  readonly port: number
  /** The address to listen on; every one of this machine unless set. */
  readonly host: string
  /** Where metrics are told; unset, they are not. */
  readonly metrics: { readonly port: number; readonly host: string } | undefined
  readonly adminAccessKey: string | undefined
  /** Where people reach the portal. Unset, it is this machine at the port that is really used. */
  readonly publicUrl: URL | undefined
  readonly masterKey: string | undefined
  /** What takes its place when it is exchanged. */
  readonly newMasterKey: string | undefined
  /** Template with `{size}` and `{challenge}`. */
  readonly purchaseUrl: string
  readonly mailFrom: string
  /** The mail server; unset, mails are kept as files. */
  readonly smtpUrl: URL | undefined
  readonly trustedProxies: number
  /** Where seals are kept outside the log; a folder in the data folder unless set. */
  readonly sealsDir: string | undefined
  /** Or a bucket, best one that other credentials open than {@link Config.filesBucket}. */
  readonly sealsBucket: S3Location | undefined
  /** The bucket of the files; unset, they are in the data folder. */
  readonly filesBucket: S3Location | undefined
  /** What is recorded is sealed after so many seconds at the latest. */
  readonly sealSeconds: number
  /** From one network; 0 for any number. */
  readonly registrationsPerHour: number
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** Variables that hold secrets. Each may be the content of a file instead, which `<name>_FILE` names. */
const secret = ['MASTER_KEY', 'NEW_MASTER_KEY', 'ADMIN_ACCESS_KEY', 'EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL', 'S3_URL', 'SEALS_URL', 'SMTP_URL'] as const

/** @throws {BadConfiguration} naming the variable. */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))
  const set = { ...given, ...Object.fromEntries(secret.flatMap((name) => fromFile(name, given))) }
  const { data, error } = environment.safeParse(set)
  if (data?.SEALS_DIR !== undefined && data.SEALS_URL !== undefined)
    throw new BadConfiguration('SEALS_URL: SEALS_DIR is set as well; seals are kept in one place')
  if (error) throw new BadConfiguration(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  return {
    eventStoreUrl: data.EVENTSTORE_URL,
    mongodbUrl: data.MONGODB_URL,
    redisUrl: data.REDIS_URL,
    dataDir: data.DATA_DIR,
    port: data.PORT,
    host: data.HOST ?? '::',
    // Whoever opens the portal to everybody has not thought of this.
    metrics: data.METRICS_PORT === undefined ? undefined : { port: data.METRICS_PORT, host: data.HOST ?? '127.0.0.1' },
    adminAccessKey: data.ADMIN_ACCESS_KEY,
    publicUrl: data.PUBLIC_URL,
    masterKey: data.MASTER_KEY,
    newMasterKey: data.NEW_MASTER_KEY,
    purchaseUrl: data.PURCHASE_URL,
    mailFrom: data.MAIL_FROM,
    smtpUrl: data.SMTP_URL,
    trustedProxies: data.TRUSTED_PROXIES,
    sealsDir: data.SEALS_DIR,
    sealsBucket: data.SEALS_URL,
    filesBucket: data.S3_URL,
    sealSeconds: data.SEAL_SECONDS,
    registrationsPerHour: data.REGISTRATIONS_PER_HOUR,
    logLevel: data.LOG_LEVEL,
  }
}

/** A secret that stands in a file, as container platforms hand them over. */
function fromFile(name: string, given: Readonly<Record<string, string | undefined>>): [name: string, value: string][] {
  const path = given[`${name}_FILE`]
  if (path === undefined) return []
  if (given[name] !== undefined) throw new BadConfiguration(`${name}_FILE: ${name} is set as well; set one of them`)
  try {
    const content = readFileSync(path, 'utf8').trim()
    if (content === '') throw new Error('it is empty')
    return [[name, content]]
  } catch (error) {
    throw new BadConfiguration(`${name}_FILE: ${path} can't be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}
