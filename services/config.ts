import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseS3Location } from '../infra/file-store/s3-address.ts'

/** A configured value is invalid: the start stops with this one line. */
export class BadConfiguration extends Error {
  override readonly name = 'BadConfiguration'
}

const port = z.coerce
  .number({ error: 'must be a port number' })
  .int('must be a port number')
  .min(0, 'must be a port number')
  .max(65_535, 'must be a port number')

const wholeNumber = z.coerce.number({ error: 'must be a whole number' }).int('must be a whole number')

const folder = z.string().transform((path) => resolve(path))

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

const redisUrl = z.url({ protocol: /^rediss?$/, error: 'must be the address of a Redis, like redis://localhost:6379' })

const bucket = z.string().transform((text, context) => {
  try {
    return parseS3Location(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'must be the address of a bucket' })
    return z.NEVER
  }
})

const masterKey = z.string().min(32, 'must have at least 32 characters')

/** Variables that hold secrets. Each may be the content of a file instead, which `<name>_FILE` names. */
const secrets = {
  /** EventStoreDB, which holds the event log; unset, it is in the data folder. */
  EVENTSTORE_URL: eventStoreUrl.optional(),
  /** MongoDB, which holds read models and keys; unset, they are in the data folder. */
  MONGODB_URL: mongodbUrl.optional(),
  /** Redis, which holds sessions, the outbox and rate limits; unset, they are in the data folder and in memory. */
  REDIS_URL: redisUrl.optional(),
  /** The bucket of the files; unset, they are in the data folder. */
  S3_URL: bucket.optional(),
  /** The mail server; unset, mails are kept as files. */
  SMTP_URL: mailServer.optional(),
  /** The first access key; unset, one is made at the first start. */
  ADMIN_ACCESS_KEY: z.string().min(8, 'must have at least 8 characters').max(500, 'must have at most 500 characters').optional(),
  MASTER_KEY: masterKey.optional(),
  /** Replaces the master key in a rotation. */
  NEW_MASTER_KEY: masterKey.optional(),
  /** A bucket for the seals, preferably with other credentials than that of the files. */
  SEALS_URL: bucket.optional(),
}

const settings = {
  DATA_DIR: folder.prefault('./data'),
  PORT: port.default(3000),
  /** The address to listen on; unset, every one of this machine. */
  HOST: z.string().optional(),
  /** The port of the metrics; unset, there are none. */
  METRICS_PORT: port.optional(),
  /** Where people reach the portal; unset, this machine at the port in use. */
  PUBLIC_URL: webAddress.optional(),
  /** Template with `{size}` and `{challenge}`. */
  PURCHASE_URL: purchaseTemplate.default('https://checkout.example.com/{challenge}/{size}'),
  MAIL_FROM: z.email('must be an email address').default('proofdesk@localhost.localdomain'),
  TRUSTED_PROXIES: wholeNumber.min(0, 'must be a whole number').max(10, 'must be at most 10').default(0),
  /** Where seals are kept outside the log; unset, a folder in the data folder. */
  SEALS_DIR: folder.optional(),
  /** The longest time between an event and its seal. */
  SEAL_SECONDS: wholeNumber.min(1, 'must be at least 1').max(86_400, 'must be at most 86400').default(300),
  /** From one network; 0 for any number. */
  REGISTRATIONS_PER_HOUR: wholeNumber.min(0, 'must be a whole number').max(1_000_000, 'must be at most 1000000').default(20),
  /** Of one trader: changes of the own profile, and payout requests; 0 for any number. */
  TRADER_CHANGES_PER_HOUR: wholeNumber.min(0, 'must be a whole number').max(1_000_000, 'must be at most 1000000').default(60),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent'], { error: 'must be debug, info, warn, error or silent' }).default('info'),
}

/** Every variable, and what the program makes of it. */
const environment = z
  .object({ ...secrets, ...settings })
  .refine(({ SEALS_DIR, SEALS_URL }) => SEALS_DIR === undefined || SEALS_URL === undefined, {
    path: ['SEALS_URL'],
    error: 'SEALS_DIR is set as well; seals are kept in one place',
  })
  .transform((variables) => ({
    eventStoreUrl: variables.EVENTSTORE_URL,
    mongodbUrl: variables.MONGODB_URL,
    redisUrl: variables.REDIS_URL,
    dataDir: variables.DATA_DIR,
    port: variables.PORT,
    host: variables.HOST ?? '::',
    // Metrics are not public by accident: without HOST they are for this machine only.
    metrics: variables.METRICS_PORT === undefined ? undefined : { port: variables.METRICS_PORT, host: variables.HOST ?? '127.0.0.1' },
    adminAccessKey: variables.ADMIN_ACCESS_KEY,
    publicUrl: variables.PUBLIC_URL,
    masterKey: variables.MASTER_KEY,
    newMasterKey: variables.NEW_MASTER_KEY,
    purchaseUrl: variables.PURCHASE_URL,
    mailFrom: variables.MAIL_FROM,
    smtpUrl: variables.SMTP_URL,
    trustedProxies: variables.TRUSTED_PROXIES,
    sealsDir: variables.SEALS_DIR,
    sealsBucket: variables.SEALS_URL,
    filesBucket: variables.S3_URL,
    sealSeconds: variables.SEAL_SECONDS,
    registrationsPerHour: variables.REGISTRATIONS_PER_HOUR,
    traderChangesPerHour: variables.TRADER_CHANGES_PER_HOUR,
    logLevel: variables.LOG_LEVEL,
  }))

export type Config = Readonly<z.output<typeof environment>>

type Variables = Readonly<Record<string, string | undefined>>

/** Reads all variables at once; an empty one counts as unset. @throws {BadConfiguration} naming the variable. */
export function readConfig(variables: Variables): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const { data, error } = environment.safeParse({ ...given, ...secretsInFiles(given) })
  if (error) throw new BadConfiguration(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  return data
}

/** Secrets that are in files, as container platforms provide them. */
function secretsInFiles(variables: Variables): Variables {
  return Object.fromEntries(
    Object.keys(secrets).flatMap((name) => {
      const path = variables[`${name}_FILE`]
      if (path === undefined) return []
      if (variables[name] !== undefined) throw new BadConfiguration(`${name}_FILE: ${name} is set as well; set one of them`)
      try {
        const content = readFileSync(path, 'utf8').trim()
        if (content === '') throw new Error('it is empty')
        return [[name, content]]
      } catch (error) {
        throw new BadConfiguration(`${name}_FILE: ${path} can't be used: ${error instanceof Error ? error.message : String(error)}`)
      }
    }),
  )
}
