import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { messageOf } from '#infra/failures.ts'
import { z } from 'zod'
import { email } from '#services/framework/api/email-address.ts'
import { centsOf } from '#services/rules/money.ts'
import { parseWitnessPolicy } from '#services/proof/witness-policy.ts'
import { checkEventStoreDbAddress } from '#infra/event-store/eventstoredb-address.ts'
import { parseS3Location } from '#infra/file-store/s3-address.ts'
import { parseSmtpServer } from '#infra/mail-transport/smtp-address.ts'
import { checkMongodbAddress } from '#infra/mongodb/mongodb-address.ts'
import { checkRedisAddress } from '#infra/redis/redis-address.ts'

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

const hours = wholeNumber.min(1, 'must be at least 1').max(8_760, 'must be at most 8760')

const folder = z.string().transform((path) => resolve(path))

const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((text) => new URL(text))

const purchaseTemplate = z
  .string()
  .refine(
    (text) => z.url({ protocol: /^https?$/ }).safeParse(text.replaceAll(/\{(size|challenge)\}/g, 'x')).success,
    'must be an http or https address',
  )

/** A value that a parser of ours makes of the text, with the parser's own message where it refuses. */
function parsedBy<Value>(parse: (text: string) => Value, explain: (reason: string, text: string) => string) {
  return z.string().transform((text, context) => {
    try {
      return parse(text)
    } catch (error) {
      context.addIssue({
        code: 'custom',
        message: explain(messageOf(error), text),
      })
      return z.NEVER
    }
  })
}

const asItSays = (reason: string) => reason
const bucket = parsedBy(parseS3Location, asItSays)
const mailServer = parsedBy(parseSmtpServer, asItSays)
const eventStoreUrl = parsedBy(checkEventStoreDbAddress, asItSays)
const mongodbUrl = parsedBy(checkMongodbAddress, asItSays)
const redisUrl = parsedBy(checkRedisAddress, asItSays)

/** Links are made of it, so it has neither a path, which they would lose, nor anything else. */
const origin = webAddress.refine(
  ({ href, origin }) => href === `${origin}/`,
  'must be an origin and nothing else, like https://portal.example',
)

/** An IP address, also in the brackets of a URL, or a name; without a port. */
const listeningHost = z
  .string()
  .transform((text) => text.replace(/^\[(.*)\]$/, '$1'))
  .refine(
    (text) => isIP(text) !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(text),
    'must be an address of this machine, like 127.0.0.1 or ::1, without a port',
  )

const policyFile = parsedBy(
  (path) => parseWitnessPolicy(readFileSync(path)),
  (reason, path) => `${path} can't be used: ${reason}`,
)

/** A sum in dollars, which becomes cents. */
const dollars = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,2})?$/, 'must be a sum in dollars, such as 1000 or 999.50')
  .transform(centsOf)

const yesOrNo = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((text) => text === 'true')
const masterKey = z.string().min(32, 'must have at least 32 characters')

/** Variables that hold secrets. Each may be the content of a file instead, which `<name>_FILE` names. */
const secrets = {
  /** EventStoreDB, which holds the event log; unset, it is in the data folder. */
  eventstoreUrl: eventStoreUrl.optional(),
  /** MongoDB, which holds read models and keys; unset, they are in the data folder. */
  mongodbUrl: mongodbUrl.optional(),
  /** Redis, which holds sessions, the outbox and rate limits; unset, they are in the data folder and in memory. */
  redisUrl: redisUrl.optional(),
  /** The bucket of the files; unset, they are in the data folder. */
  s3Url: bucket.optional(),
  /** The mail server; unset, mails are kept as files. */
  smtpUrl: mailServer.optional(),
  /** The first access key; unset, one is made at the first start. */
  adminAccessKey: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(500, 'must have at most 500 characters')
    .optional(),
  masterKey: masterKey.optional(),
  /** Replaces the master key in a rotation. */
  newMasterKey: masterKey.optional(),
  /** A bucket for the seals, preferably with other credentials than that of the files. */
  sealsUrl: bucket.optional(),
}

const settings = {
  dataDir: folder.prefault('./data'),
  port: port.default(3000),
  /** The address to listen on; unset, every one of this machine. */
  host: listeningHost.optional(),
  /** The port of the metrics; unset, there are none. */
  metricsPort: port.optional(),
  /** Where people reach the portal; unset, this machine at the port in use. */
  publicUrl: origin.optional(),
  /** The firm's name on public pages; the host of its address by default. */
  firmName: z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters').optional(),
  /** Template with `{size}` and `{challenge}`. */
  purchaseUrl: purchaseTemplate.default('https://checkout.example.com/{challenge}/{size}'),
  mailFrom: email('must be an email address').default('proofdesk@localhost.localdomain'),
  /** Whom people ask for help; shown on screens and in mails. Unset, they only read that there is a support. */
  supportEmail: email('must be an email address').optional(),
  /** The privacy policy that people agree to when they sign up; unset, the form links none. */
  privacyPolicyUrl: webAddress.optional(),
  trustedProxies: wholeNumber.min(0, 'must be a whole number').max(10, 'must be at most 10').default(0),
  /** Where seals are kept outside the log; unset, a folder in the data folder. */
  sealsDir: folder.optional(),
  /**
   * The name of the log in its tree checkpoints; unset, the public address with `/log`. Witnesses know the log by it.
   */
  logOrigin: z
    .string()
    .regex(/^[!-*,-~]+$/, 'must be a name like portal.example/log, without spaces and +')
    .optional(),
  /** A tlog-policy file with the witnesses that cosign checkpoints; unset, there are none. */
  witnessPolicy: policyFile.optional(),
  /** An RFC 3161 time-stamping authority; unset, checkpoints have no time stamps. */
  tsaUrl: webAddress
    .refine(({ username, password }) => username === '' && password === '', 'must have no name and password')
    .optional(),
  /** The longest time between an event and its seal. */
  sealSeconds: wholeNumber.min(1, 'must be at least 1').max(86_400, 'must be at most 86400').default(300),
  /** The least time between the beginnings of two verifications of the whole log by the worker. */
  verifySeconds: wholeNumber.min(1, 'must be at least 1').max(86_400, 'must be at most 86400').default(30),
  /** From one network; 0 for any number. */
  registrationsPerHour: wholeNumber
    .min(0, 'must be a whole number')
    .max(1_000_000, 'must be at most 1000000')
    .default(20),
  /** The limit on one trader's changes of the own profile, and payout requests; 0 for any number. */
  traderChangesPerHour: wholeNumber
    .min(0, 'must be a whole number')
    .max(1_000_000, 'must be at most 1000000')
    .default(60),
  /** Dollars: a larger payout needs the approval of two members of staff; unset, none does. */
  secondApprovalAbove: dollars.optional(),
  /** Hours within which a payout is promised to be decided, and then sent, where no terms say it; unset, no promise. */
  payoutDecisionHours: hours.optional(),
  payoutSendingHours: hours.optional(),
  /** Hours within which a trader's objection is answered, and days in which one is possible. */
  caseHours: hours.default(72),
  appealDays: wholeNumber.min(1, 'must be at least 1').max(3_650, 'must be at most 3650').default(14),
  /** Decisions that need a second member of staff, besides large payouts; unset, none. */
  secondConfirmation: z
    .string()
    .transform((text) => text.split(',').flatMap((one) => one.trim() || []))
    .pipe(z.array(z.enum(['breaches', 'batches'], { error: 'must be breaches, batches or both' })))
    .prefault(''),
  /** Staff must add a second factor before they can do anything else. */
  requireStaffSecondFactor: yesOrNo.prefault('false'),
  /** Verdicts on payouts above this sum need a recent confirmation; unset, none do. */
  stepUpAbove: dollars.optional(),
  /** Calls that traders may make only once they have confirmed their address; unset, none. */
  requireConfirmedEmail: z.enum(['payouts'], { error: 'must be payouts' }).optional(),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], { error: 'must be debug, info, warn, error or silent' })
    .default('info'),
}

/** Every setting; the name of its variable follows from its own: `dataDir` is DATA_DIR. */
const configuration = z
  .object({ ...secrets, ...settings })
  .refine(({ sealsDir, sealsUrl }) => sealsDir === undefined || sealsUrl === undefined, {
    path: ['sealsUrl'],
    error: 'SEALS_DIR is set as well; seals are kept in one place',
  })
  .transform(({ host, metricsPort, ...others }) => ({
    ...others,
    /** Undefined: every address of this machine. */
    host,
    // Metrics are not public by accident: without HOST they are for this machine only.
    metrics: metricsPort === undefined ? undefined : { port: metricsPort, host: host ?? '127.0.0.1' },
  }))

export type Config = Readonly<z.output<typeof configuration>>

type Variables = Readonly<Record<string, string | undefined>>

const variableOf = (setting: PropertyKey): string => String(setting).replaceAll(/[A-Z]/g, '_$&').toUpperCase()

/** The name of every variable, with those that name the file of a secret. */
const known = [
  ...[...Object.keys(secrets), ...Object.keys(settings)].map(variableOf),
  ...Object.keys(secrets).map((secret) => `${variableOf(secret)}_FILE`),
]

/**
 * Reads all variables at once; an empty one counts as unset.
 *
 * @throws {BadConfiguration} naming the variable: one of a bad value, or one that is none of ours and nearly one.
 */
export function readConfig(variables: Variables): Config {
  const misspelt = misspeltVariables(variables, known)
  const stray = strayCharacters(variables)
  if (stray.length > 0) throw new BadConfiguration([...misspelt, ...stray].join('; '))
  const texts = [...Object.keys(secrets), ...Object.keys(settings)].map((setting) => {
    const variable = variableOf(setting)
    return [setting, (setting in secrets && readSecretFile(variable, variables)) || variables[variable] || undefined]
  })
  const { data, error } = configuration.safeParse(Object.fromEntries(texts))
  const faults = error?.issues.map(({ path, message }) => `${path.map(variableOf).join('.')}: ${message}`) ?? []
  if (error || misspelt.length > 0) throw new BadConfiguration([...misspelt, ...faults].join('; '))
  return data
}

/**
 * Describes the values with what an editor, a shell or an env file left in them: blanks or quotes around them, and
 * characters that nobody sees. They would name another folder, or make another key.
 */
function strayCharacters(variables: Variables): readonly string[] {
  return known.flatMap((name) => {
    const value = variables[name]
    if (!value) return []
    if (/\p{Cc}/u.test(value)) return [`${name}: has a line break or another control character in it; remove it`]
    if (value !== value.trim()) return [`${name}: begins or ends with a blank; remove it`]
    return /^(["'`]).*\1$/s.test(value) ? [`${name}: is in quotes, which are part of it; remove them`] : []
  })
}

/** A secret that is in a file, as container platforms provide it. */
function readSecretFile(variable: string, variables: Variables): string | undefined {
  const path = variables[`${variable}_FILE`]
  if (!path) return undefined
  if (variables[variable]) throw new BadConfiguration(`${variable}_FILE: ${variable} is set as well; set one of them`)
  try {
    const content = readFileSync(path, 'utf8').trim()
    if (content === '') throw new Error('it is empty')
    return content
  } catch (error) {
    throw new BadConfiguration(`${variable}_FILE: ${path} can't be used: ${messageOf(error)}`)
  }
}

/** A shorter name is another word with two other letters: HOME is not HOST. */
const LONG = 8

/**
 * Describes the faults of variables that were probably meant as one of ours: a misspelt one would be ignored, and with it what
 * it protects. An empty one counts as unset.
 *
 * @param known Every variable that the program reads.
 */
export function misspeltVariables(variables: Variables, known: readonly string[]): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (!value || known.includes(name)) return []
    const meant = known
      .map((candidate) => ({ candidate, letters: lettersBetween(name, candidate) }))
      .filter(({ candidate, letters }) => letters <= (candidate.length < LONG ? 1 : 2))
      .toSorted((one, other) => one.letters - other.letters)[0]
    return meant ? [`${name}: there is no such variable. ${meant.candidate} was probably meant`] : []
  })
}

/**
 * How many letters are missing, added, replaced or swapped with their neighbour between two words (optimal string
 * alignment).
 */
function lettersBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Infinity
  let [beforeLast, last]: [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, i) => i),
  ]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = at(last, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, isSwapped ? at(beforeLast, j - 2) + 1 : Infinity)
    }
    ;[beforeLast, last] = [last, row]
  }
  return at(last, other.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
