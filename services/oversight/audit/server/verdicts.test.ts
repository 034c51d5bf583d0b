import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import {
  type AccountState,
  accountStreams,
  type AccountStreamEvent,
} from '#services/trading/stream/account-aggregate.ts'
import { accountIdOf, findingIdOf, programmeId, userId } from '#services/framework/ids.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { observation } from '#services/rules/observation.ts'
import { toCents } from '#services/rules/money.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { startChild } from '#test-support/child-process.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import { runCommand } from '#test-support/command-line.ts'
import { programOf } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { buildProgram } from '#test-support/program.ts'
import { until } from '#test-support/until.ts'

/** Files of accounts under a programme, some of them by an operator who has all keys, as a stranger verifies them. */

const PROGRAMME = 'two-step-100000'
const { hash } = hashedTerms(presetTerms('two-step', 100_000))
const folder = await mkdtemp(join(tmpdir(), 'proofdesk-verdicts-'))

let portal: Portal
let admin: Browser
let bridge: Browser
let files = 0

beforeAll(async () => {
  await buildProgram()
  portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
  admin = await portal.admin()
  bridge = await programOf(portal, admin, { name: 'Bridge', scopes: ['feed'] })
})
afterAll(async () => {
  await portal.stop()
  await rm(folder, { recursive: true })
})

const accountOf = ({ id }: Pick<Trader, 'id'>) => accountIdOf(userId.parse(id), 1)
const findingOf = (trader: Pick<Trader, 'id'>) => findingIdOf(accountOf(trader), 1)
const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()

/** A trader under a programme, whose account had these equities at a balance of 100,000.00. */
async function enrolled(...equities: readonly string[]): Promise<Trader> {
  const trader = await portal.trader()
  const account = accountOf(trader)
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: PROGRAMME })
  await admin.patch(`/api/admin/accounts/${account}`, wholeLogin(String(70_000_000 + ++files)))
  const rows = equities.map((equity, n) => ({
    ...{ account, at: at(equities.length - n), kind: 'state', balance: '100000.00', equity },
    open: equity !== '100000.00',
  }))
  await bridge.post('/api/feed/observations', { rows })
  return trader
}

/** What an operator with all keys records: the portal's own code encrypts, commits and signs it. */
const operator = (trader: Trader, decide: (state: AccountState) => readonly AccountStreamEvent[]) =>
  portal.running.parts.repositories
    .of(accountStreams)
    .decide(accountOf(trader), systemContext('rules', 'a forgery'), (state) => [...decide(state)])

/** The file of the trader, or an auditor's, once all of it is sealed. */
async function fileOf(trader: Trader, kind: 'trader' | 'auditor' = 'trader'): Promise<string> {
  const { transparencyLog } = portal.running.parts
  const last = (await portal.events(`account-${accountOf(trader)}`)).slice(-1)
  await until(async () => {
    const newest = await transparencyLog.newest()
    const [index] = newest ? await transparencyLog.indexesOf(last, newest.size) : []
    return index !== undefined
  }, 'a checkpoint')
  const path = kind === 'trader' ? '/api/user/history/proof' : `/api/audit/accounts/${trader.id}/export`
  return (await (kind === 'trader' ? trader : admin).get(path)).text
}

async function saved(content: string): Promise<string> {
  const path = join(folder, `history-${++files}.json`)
  await writeFile(path, content)
  return path
}

async function verified(trader: Trader, kind: 'trader' | 'auditor' = 'trader') {
  const { code, stdout } = await runCommand(['verify', await saved(await fileOf(trader, kind))], {})
  return { code, lines: stdout.split('\n') }
}

const decide = (trader: Trader, verdict: 'confirm' | 'dismiss', body: object = {}) =>
  admin.post(`/api/admin/findings/${findingOf(trader)}/${verdict}`, body)

type Raised = Extract<AccountStreamEvent, { type: 'RuleFindingRaised' }>['data']

/** A breach by the daily loss at this hit, confirmed by nobody. */
function raised(trader: Trader, { hit, ...figures }: Pick<Raised, 'hit' | 'floor' | 'measured'>): AccountStreamEvent[] {
  const finding = findingOf(trader)
  return [
    {
      type: 'RuleFindingRaised',
      data: {
        ...{ finding, kind: 'breach', rule: { index: 1, kind: 'daily-loss' }, ...figures, hit, evidence: [1, 2] },
        ...{ programme: { id: programmeId.parse(PROGRAMME), version: 1, hash, stage: 0 } },
        ...{ proposed: true, status: 'active' },
      },
    },
    { type: 'BreachConfirmed', data: { finding, from: 'proposed', hit } },
  ]
}

/** A breach that the second observation does not show. */
const inventedBreach = (trader: Trader) =>
  operator(trader, ({ stage }) => {
    const hit = { observation: 2, payoutId: null, at: stage?.known.list.get(1)?.now?.at.ms ?? 0 }
    return raised(trader, { hit, floor: toCents(96_000_00), measured: toCents(95_400_00) })
  })

describe('a verified history', () => {
  it('says that a confirmed breach follows, which terms hold, and by which entry', async () => {
    const trader = await enrolled('100000.00', '94000.00')
    expect((await decide(trader, 'confirm')).status).toBe(200)
    for (const kind of ['trader', 'auditor'] as const) {
      const { code, lines } = await verified(trader, kind)
      expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^Genuine: /)])
      const who = kind === 'trader' ? 'Staff member 1' : 'ADMIN_ACCESS_KEY'
      expect(lines).toContainEqual(
        expect.stringMatching(
          new RegExp(
            `^Breach of account ${accountOf(trader)}: Daily loss: \\$94,000\\.00 is \\$1,000\\.00 below the floor of \\$95,000\\.00 \\(finding ${findingOf(trader)}\\), at observation 2 \\(entry #\\d+\\): follows from the rules\\. ${who} confirmed it in entry #\\d+\\.`,
          ),
        ),
      )
      expect(lines).toContain(
        `Account ${accountOf(trader)} is under Two-Step 100K, version 1. The terms in this file have the hash ${hash}, which its enrolment names.`,
      )
    }
  })

  it('says that a person dismissed a breach against the rules, with the reason, and that none decided another', async () => {
    const [dismissed, open] = [await enrolled('94000.00'), await enrolled('94000.00')]
    await decide(dismissed, 'dismiss', { reason: 'A wrong price' })
    const { code, lines } = await verified(dismissed)
    expect(code).toBe(0)
    expect(lines).toContainEqual(
      expect.stringMatching(
        /: decided by a person against the rules\. Staff member 1 dismissed it .*: “A wrong price”\./,
      ),
    )
    const waiting = await verified(open)
    expect([waiting.code, waiting.lines.join('\n')]).toEqual([
      0,
      expect.stringMatching(/: not decided yet\. It was raised/),
    ])
  })

  it('says that a status set by hand is a decision of a person', async () => {
    const trader = await enrolled('100000.00')
    await admin.patch(`/api/admin/accounts/${accountOf(trader)}`, { status: 'breached', reason: 'Copied trades' })
    const { code, lines } = await verified(trader)
    expect(code).toBe(0)
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^Status of account \S+ from Active to Breached in entry #\d+: decided by a person against the rules\. Staff member 1 set it: “Copied trades”\. The rules find no breach\.$/,
      ),
    )
  })

  it('tells of a breach that an operator with all keys invented: exit 1, with what the rules give', async () => {
    const trader = await enrolled('100000.00', '95400.00')
    await inventedBreach(trader)
    for (const kind of ['trader', 'auditor'] as const) {
      const { code, lines } = await verified(trader, kind)
      expect([code, lines[0]]).toEqual([
        1,
        expect.stringMatching(/^Genuine, but not in order: .* One verdict in it does not follow from the rules\.$/),
      ])
      expect(lines).toContainEqual(
        expect.stringMatching(
          /: does not follow from the rules\. .* The rules find nothing at observation 2 \(entry #\d+\): there the floor is \$95,000\.00, the balance \$100,000\.00 and the equity \$95,400\.00\.$/,
        ),
      )
    }
    const json = await runCommand(['verify', await saved(await fileOf(trader)), '--json'], {})
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      outcome: 'genuine',
      verdicts: [{ account: accountOf(trader), finding: findingOf(trader), outcome: 'does-not-follow' }],
    })
  })

  it('tells of a breach that was raised with another floor than the rules give', async () => {
    const trader = await enrolled('100000.00')
    await operator(trader, (state) => {
      const row = observation.parse({ at: at(0), kind: 'state', balance: '94000.00', equity: '94000.00', open: false })
      const recorded = recordObservations(state, [row], 'feed').events
      const hit = { observation: 2, payoutId: null, at: row.at.ms }
      return [...recorded, ...raised(trader, { hit, floor: toCents(96_000_00), measured: toCents(94_000_00) })]
    })
    const { code, lines } = await verified(trader)
    expect(code).toBe(1)
    expect(lines).toContainEqual(
      expect.stringMatching(
        /: does not follow from the rules\. .*The rules give: Daily loss: \$94,000\.00 is \$1,000\.00 below the floor of \$95,000\.00, at observation 2 \(entry #\d+\)\.$/,
      ),
    )
  })
})

describe('a stranger', () => {
  it('needs one command of the built program, no installation and no network', async () => {
    const trader = await enrolled('100000.00', '95400.00')
    await inventedBreach(trader)
    const path = await saved(await fileOf(trader))
    const elsewhere = await mkdtemp(join(folder, 'elsewhere-'))
    await copyFile(path, join(elsewhere, 'history.json'))
    const launcher = fileURLToPath(new URL('../../../launch.mjs', import.meta.url))
    const { code, stdout } = await startChild([process.execPath, launcher, 'verify', join(elsewhere, 'history.json')], {
      PATH: process.env['PATH'],
      DATA_DIR: join(elsewhere, 'none'),
      http_proxy: 'http://127.0.0.1:1',
    }).finished
    expect([code, stdout]).toEqual([1, expect.stringContaining(': does not follow from the rules. ')])
  })
})
