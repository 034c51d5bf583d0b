import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { eligibleTrader, uploadCertificate } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { seal } from '#test-support/small-firm.ts'
import { type Access, openApiPath } from '#services/framework/api/route.ts'
import { ADMIN_COOKIE, SESSION_COOKIE } from '#services/framework/api/headers.ts'
import type { AdminRole } from '#services/identity/staff/staff-api.ts'
import { isPermission, mayRole } from '#services/identity/staff/permissions.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { ErrorAnswer } from '#services/framework/api/error-schemas.ts'

/**
 * Schemathesis holds the server against its own OpenAPI document, with thousands of valid and invalid requests as each
 * kind of caller. It is a program of its own: `pip install schemathesis==4.32.5`. SCHEMATHESIS names it where `st` is
 * not on the path.
 */

const SCHEMATHESIS = process.env['SCHEMATHESIS'] ?? 'st'

/** Requests for each call and role, beside those that cover its bounds. */
const EXAMPLES = 100

interface Accepted {
  /** Of Schemathesis; 'positive_data_acceptance' without it: a request that fits the document is refused. */
  readonly check?: string
  /** Of the answer; 400 without it. */
  readonly status?: number
  readonly refusal: RegExp
  readonly why: string
}

/** What Schemathesis finds and why it stays: mostly refusals (400) by a rule that no schema can say. */
const accepted: readonly Accepted[] = [
  {
    refusal: /^[\w.]+: (There is an invisible character here|Please write this on one line)/,
    why: 'JSON Schema has no Unicode properties; the document says it in words',
  },
  { refusal: /^confirmPassword: Passwords do not match$/, why: 'two fields must be the same' },
  {
    refusal: /^adminNotes: Please provide notes for rejecting this payout$/,
    why: 'a field is required only with a value of another',
  },
  {
    refusal: /^banReason: Please provide a reason for banning this user$/,
    why: 'a field is required only with a value of another',
  },
  { refusal: /^evidence: Evidence belongs to a breach$/, why: 'a field is allowed only with a value of another' },
  {
    refusal: /^(corrects|reason): /,
    why: 'what a correction corrects, and that it has a reason, depends on the state of the account',
  },
  { refusal: /^(at|from|to|evidence\.occurredAt): This moment is still to come$/, why: 'the clock decides' },
  { refusal: /^expiresAt: Please choose a date in the future$/, why: 'the clock decides' },
  {
    refusal:
      /^(new)?[pP]assword: (A password may not be your name or address|This password is too (common|easy to guess))\. /,
    why: 'other fields, or lists of words, decide',
  },
  {
    refusal: /^(currentPassword: Your current password|secret: Your (password|access key)) is not correct$/,
    why: 'the state decides',
  },
  { refusal: /^token: Invalid reset token$/, why: 'the state decides' },
  {
    refusal: /^cursor: Invalid input$/,
    why: 'a cursor has the right characters, and is none that this list handed out',
  },
  {
    refusal: /^(certificateFile: .*|The upload is not valid)$/,
    why: 'the bytes of a file and its name are no part of a schema, nor is the form that carries it',
  },
  {
    check: 'negative_data_rejection',
    status: 431,
    refusal: /^$/,
    why: 'an address over 16 KB is refused before it is read; the document says so, and Schemathesis knows no 431 for a request that is not valid',
  },
]

/**
 * What would end the caller's session, or never ends. Lists name the caller's own session and member, and Schemathesis
 * uses what it reads.
 */
const excluded = [
  ...['logout', 'adminLogout', 'live', 'endOwnSessions', 'endStaffSessions'],
  ...['changeStaffMember', 'replaceStaffKey', 'revokeStaffMember'],
]

/**
 * Calls that no request here can make succeed: they need a password, a mailed link, a confirmation, or what does not
 * exist.
 */
const unreachable: readonly string[] = [
  ...['login', 'signInChoice', 'signInFactor', 'passkeySignIn', 'adminLogin', 'staffSignInChoice', 'staffSignInFactor'],
  ...['resetPassword', 'revertEmail', 'changePassword', 'confirmTrader', 'confirmStaff', 'retryEvent'],
  ...[
    'addOwnPasskey',
    'renameOwnPasskey',
    'removeOwnPasskey',
    'turnOnOwnAuthenticator',
    'turnOffOwnAuthenticator',
    'issueOwnRecoveryCodes',
  ],
  ...[
    'addStaffPasskey',
    'renameStaffPasskey',
    'removeStaffPasskey',
    'turnOnStaffAuthenticator',
    'turnOffStaffAuthenticator',
    'issueStaffRecoveryCodes',
  ],
  ...['sharedCertificate', 'sharedReceipt', 'logTile'],
]

let portal: Portal
const cookies: Record<'trader' | 'admin' | 'auditor', string> = { trader: '', admin: '', auditor: '' }
const folder = mkdtempSync(join(tmpdir(), 'proofdesk-schemathesis-'))

beforeAll(async () => {
  // Passkeys need a host name.
  portal = await openPortal({ environment: { HOST: 'localhost' } })
  const [admin, auditor] = [await portal.admin(), await portal.auditor()]
  const trader = await eligibleTrader(portal, admin)
  await uploadCertificate(admin, { userId: trader.id })
  await seal(portal.running.parts)
  const cookie = (who: Browser, name: string) => who.cookies.get(name) ?? ''
  Object.assign(cookies, {
    trader: cookie(trader, SESSION_COOKIE),
    admin: cookie(admin, ADMIN_COOKIE),
    auditor: cookie(auditor, ADMIN_COOKIE),
  })
})
afterAll(async () => {
  await portal.stop()
  rmSync(folder, { recursive: true, force: true })
})

const Report = z.object({
  recorder: z.object({
    label: z.string(),
    checks: z.record(z.string(), z.array(z.object({ name: z.string(), status: z.string() }))),
    interactions: z.record(
      z.string(),
      z.object({
        request: z.object({ method: z.string(), uri: z.string() }),
        response: z.object({ status_code: z.int(), content: z.object({ $base64: z.string() }).nullish() }).nullish(),
      }),
    ),
  }),
})

interface Finding {
  readonly check: string
  readonly call: string
  readonly status: number
  /** 'field: message', or the message alone. */
  readonly refusal: string
}

/** Runs it as one kind of caller. */
async function run(role: string, scheme?: { readonly name: 'session' | 'admin'; readonly cookie: string }) {
  const config = join(folder, `${role}.toml`)
  writeFileSync(config, scheme ? `[auth.openapi.${scheme.name}]\napi_key = ${JSON.stringify(scheme.cookie)}\n` : '')
  const reports = join(folder, role)
  const args = [
    '--config-file',
    config,
    'run',
    `${portal.url}/api/openapi.json`,
    '--phases',
    'coverage,fuzzing',
    '-n',
    String(EXAMPLES),
  ]
  const others = ['--continue-on-failure', '--request-timeout', '20', '--report', 'ndjson', '--report-dir', reports]
  const child = spawn(SCHEMATHESIS, [...args, ...others, ...excluded.flatMap((id) => ['--exclude-operation-id', id])], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code]: unknown[] = await once(child, 'close').catch((error: unknown) => {
    throw new Error(`Schemathesis can't be run (pip install schemathesis==4.32.5): ${String(error)}`)
  })
  // 1 is for findings, which are sorted here.
  if (code !== 0 && code !== 1) throw new Error(`Schemathesis ended with ${String(code)}:\n${output}`)
  const [report = ''] = readdirSync(reports)
  const lines = readFileSync(join(reports, report), 'utf8').trim().split('\n')
  const scenarios = lines.flatMap((line) => {
    const finished: unknown = Reflect.get(Object(JSON.parse(line)), 'ScenarioFinished')
    return finished === undefined ? [] : [Report.parse(finished).recorder]
  })
  const findings = scenarios.flatMap(({ label, checks, interactions }) =>
    Object.entries(checks).flatMap(([id, results]) =>
      results
        .filter(({ status }) => status === 'failure')
        .map(({ name }): Finding => {
          const response = interactions[id]?.response
          const text = Buffer.from(response?.content?.$base64 ?? '', 'base64').toString()
          return { check: name, call: label, status: response?.status_code ?? 0, refusal: refusalIn(text) }
        }),
    ),
  )
  const succeeded = scenarios
    .filter(({ interactions }) =>
      Object.values(interactions).some(({ response }) => response && response.status_code < 300),
    )
    .map(({ label }) => label)
  const requests = scenarios.reduce((sum, { interactions }) => sum + Object.keys(interactions).length, 0)
  return { findings, succeeded: new Set(succeeded), requests }
}

function refusalIn(text: string): string {
  const { data } = ErrorAnswer.safeParse(text.startsWith('{') ? JSON.parse(text) : undefined)
  if (!data) return text.slice(0, 200)
  const [field] = Object.keys(data.errors ?? {})
  return field === undefined ? data.message : `${field}: ${data.message}`
}

const isAccepted = ({ check, status, refusal }: Finding) =>
  accepted.some(
    (one) =>
      check === (one.check ?? 'positive_data_acceptance') &&
      status === (one.status ?? 400) &&
      one.refusal.test(refusal),
  )

const opened = (isOpen: (access: Access) => boolean) =>
  allRoutes.filter(({ name, access }) => isOpen(access) && !excluded.includes(name))
const openTo = (...open: readonly string[]) => opened((access) => open.includes(access))
const openToRole = (role: AdminRole) =>
  opened((access) => access === 'public' || (isPermission(access) && mayRole(role, access)))

async function isSignedIn({
  name,
  cookie,
}: {
  readonly name: 'session' | 'admin'
  readonly cookie: string
}): Promise<boolean> {
  const [path, cookieName] = name === 'admin' ? ['/api/admin/stats', ADMIN_COOKIE] : ['/api/user', SESSION_COOKIE]
  return (await portal.browser().get(path, { headers: { cookie: `${cookieName}=${cookie}` } })).status === 200
}

it.each([
  ['nobody', undefined, openTo('public')],
  ['trader', () => ({ name: 'session', cookie: cookies.trader }) as const, openTo('public', 'trader')],
  ['auditor', () => ({ name: 'admin', cookie: cookies.auditor }) as const, openToRole('auditor')],
  ['administrator', () => ({ name: 'admin', cookie: cookies.admin }) as const, openToRole('admin')],
] as const)(
  'the document is what the server does, to %s',
  async (role, scheme, open) => {
    const { findings, succeeded, requests } = await run(role, scheme?.())
    const unexpected = findings.filter((finding) => !isAccepted(finding))
    expect([...new Set(unexpected.map((finding) => JSON.stringify(finding)))]).toEqual([])
    // The session was good to the end, and requests were.
    if (scheme) expect(await isSignedIn(scheme())).toBe(true)
    expect(requests).toBeGreaterThan(open.length * 10)
    const reachable = open.filter(({ name }) => !unreachable.includes(name))
    const reached = reachable.filter(({ method, path }) =>
      succeeded.has(`${method.toUpperCase()} ${openApiPath(path)}`),
    )
    expect(reached.length).toBeGreaterThan(reachable.length / 2)
    process.stdout.write(
      `${role}: ${requests} requests, ${findings.length} findings, all accepted; ${reached.length} of ${reachable.length} calls succeeded\n`,
    )
  },
  60 * 60_000,
)
