import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { fold } from '#services/event-sourcing/decider.ts'
import { isOneOf } from '#services/event-sourcing/event-definitions.ts'
import { accountStateDecider, accountStreamEvents } from '#services/trading/stream/account-aggregate.ts'
import { AnswerRow, Batch } from '#services/payments/batches/batch-api.ts'
import { payoutId } from '#services/framework/ids.ts'
import { LedgerEntry } from '#services/trading/accounts/ledger-api.ts'
import { AdminPayout, Payout, VerdictGiven } from '#services/payments/payouts/payout-api.ts'
import { Payment } from '#services/trading/stream/payout-fields.ts'
import type { Payout as PayoutOfState } from '#services/trading/stream/payout.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { randomSeed } from '#test-support/random-seed.ts'
import { sampleTerms } from '#test-support/terms.ts'

/**
 * Money over HTTP: any order of requests, verdicts, balances, terms, batches, answers of a bank, holds, breaches, bans,
 * deletions and restarts, some at the same moment. A bank is played outside: what it was told to pay by files, and what
 * staff paid by hand, is counted there, and compared with what was acknowledged and with the log.
 */

/** More plays are those of other seeds: `ORDERS_RUNS=500`. */
const RUNS = Number(process.env['ORDERS_RUNS'] ?? 12)
const TIMEOUT_MS = 600_000
const TRADERS = 2
const IBAN = 'DE89370400440532013000'

type BankState = 'paid' | 'failed' | 'returned'

type Step =
  | { readonly kind: 'request'; readonly trader: number; readonly dollars: number; readonly again: boolean }
  | { readonly kind: 'approve'; readonly payout: number; readonly deduct: boolean; readonly member: number }
  | { readonly kind: 'reject' | 'withdraw'; readonly payout: number }
  | { readonly kind: 'balance'; readonly trader: number; readonly dollars: number }
  | { readonly kind: 'book'; readonly trader: number; readonly dollars: number; readonly reference: number }
  | { readonly kind: 'terms'; readonly trader: number; readonly everyDays: number | null }
  | { readonly kind: 'make'; readonly payouts: readonly number[]; readonly euro: boolean; readonly fits: boolean }
  | { readonly kind: 'release' | 'cancel'; readonly batch: number }
  /** A batch of one payout, its release, and what the bank says. */
  | { readonly kind: 'pay'; readonly payout: number; readonly state: BankState }
  | {
      readonly kind: 'answer'
      readonly line: number
      readonly state: BankState
      readonly fault: 'none' | 'amount' | 'reference'
    }
  | { readonly kind: 'by-hand'; readonly payout: number; readonly state: 'sent' | 'paid' | 'failed' | 'returned' }
  | { readonly kind: 'hold'; readonly payout: number; readonly reason: string | null }
  | { readonly kind: 'breach' | 'ban' | 'pardon'; readonly trader: number }
  | { readonly kind: 'restart' }

const trader = fc.nat({ max: TRADERS - 1 })
const payout = fc.nat({ max: 5 })
const kind = <Kind extends string>(...kinds: readonly Kind[]) => fc.constantFrom(...kinds)

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind('request'),
      trader,
      dollars: fc.integer({ min: 1, max: 3_500 }),
      again: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('approve'), payout, deduct: fc.boolean(), member: fc.nat({ max: 1 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('reject', 'withdraw'), payout }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('balance'), trader, dollars: fc.integer({ min: 99_000, max: 112_000 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('book'),
      trader,
      dollars: fc.integer({ min: -500, max: 500 }),
      reference: fc.nat({ max: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('terms'), trader, everyDays: fc.constantFrom(null, 0, 0, 2) }) },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: kind('make'),
      payouts: fc.uniqueArray(payout, { minLength: 1, maxLength: 4 }),
      euro: fc.boolean(),
      /** Only payouts that can be paid, as far as is known outside. */
      fits: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: kind('release', 'release', 'release', 'release', 'release', 'cancel'),
      batch: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: kind('answer'),
      line: fc.nat({ max: 5 }),
      state: fc.constantFrom('paid', 'failed', 'failed', 'returned'),
      fault: fc.constantFrom('none', 'none', 'none', 'amount', 'reference'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind('pay'),
      payout,
      state: fc.constantFrom('paid', 'failed', 'failed', 'returned'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('by-hand'),
      payout,
      state: fc.constantFrom('sent', 'paid', 'paid', 'failed', 'returned'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind('hold'), payout, reason: fc.constantFrom('Ask the bank', null, null) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('breach', 'ban', 'pardon', 'pardon', 'pardon'), trader }) },
)

/** What happens at the same moment; a restart or a deletion alone. */
const anyMoment: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 12, arbitrary: anyStep.map((step) => [step]) },
  { weight: 5, arbitrary: fc.array(anyStep, { minLength: 2, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant([{ kind: 'restart' as const }]) },
)

interface Line {
  readonly payout: string
  readonly reference: string
  readonly amount: string
  readonly currency: string
}

interface Plan {
  readonly moments: readonly (readonly Step[])[]
  /** Whose deletion ends the play, if anybody's. */
  readonly deleted: number | null
}

const plan: fc.Arbitrary<Plan> = fc.record({
  moments: fc.array(anyMoment, { minLength: 25, maxLength: 60, size: 'max' }),
  deleted: fc.option(trader, { freq: 3 }),
})

/** A play in which each thing happens once, whatever is drawn. */
const everything: Plan = {
  moments: [
    [{ kind: 'request', trader: 0, dollars: 3_200, again: true }],
    [{ kind: 'approve', payout: 0, deduct: true, member: 0 }],
    [{ kind: 'approve', payout: 0, deduct: true, member: 1 }],
    [{ kind: 'request', trader: 1, dollars: 10, again: false }],
    [{ kind: 'withdraw', payout: 0 }],
    [{ kind: 'pay', payout: 0, state: 'failed' }],
    [{ kind: 'answer', line: 0, state: 'failed', fault: 'none' }],
    [{ kind: 'answer', line: 0, state: 'paid', fault: 'none' }],
    [{ kind: 'answer', line: 0, state: 'paid', fault: 'amount' }],
    [{ kind: 'answer', line: 0, state: 'paid', fault: 'reference' }],
    [{ kind: 'restart' }],
    [{ kind: 'pay', payout: 0, state: 'returned' }],
    [{ kind: 'reject', payout: 1 }],
    [{ kind: 'book', trader: 0, dollars: -50, reference: 0 }],
    [{ kind: 'book', trader: 0, dollars: -60, reference: 0 }],
  ],
  deleted: 0,
}

/** How often each thing happened in all plays. */
const seen = new Map<string, number>()
const saw = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

/** What has to happen in some play, or the test shows nothing. */
const must = [
  ...['PayoutRequested', 'PayoutFirstApproved', 'PayoutApproved', 'PayoutRejected', 'PayoutWithdrawn', 'BatchReleased'],
  ...['PaymentFailed', 'PaymentReturned', 'paid again', 'deleted', 'restart', 'book 201', 'book 409'],
  ...['outcome recorded', 'outcome duplicate', 'outcome unknown', 'outcome other-amount', 'outcome refused'],
]

/** A portal in one folder that is stopped and started again. */
class Installation {
  private constructor(
    readonly dataDir: string,
    public portal: Portal,
  ) {}

  static readonly environment = { TRADER_CHANGES_PER_HOUR: '0', SECOND_APPROVAL_ABOVE: '3000.00' }

  static async open(): Promise<Installation> {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-orders-'))
    return new Installation(dataDir, await openPortal({ dataDir, environment: Installation.environment }))
  }

  async restart(): Promise<void> {
    await this.portal.stop()
    this.portal = await openPortal({ dataDir: this.dataDir, environment: Installation.environment })
    saw('restart')
  }

  async close(): Promise<void> {
    await this.portal.stop()
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

/** One play: its people, what they were answered, and the bank. */
class Play {
  readonly #payouts: string[] = []
  readonly #batches: string[] = []
  /** What the bank was told to pay. */
  readonly #lines: Line[] = []
  readonly #files = new Map<string, string>()
  /** The last verdict on each payout: most steps are about one that allows them. */
  readonly #verdicts = new Map<string, 'pending' | 'approved' | 'rejected' | 'withdrawn'>()
  /** How often each kind of event was acknowledged. */
  readonly #acknowledged = new Map<string, number>()
  /** The transfers of each payout that are under way or arrived. */
  readonly #transfers = new Map<string, number>()
  #transfersByHand = 0
  #requests = 0
  #deleted: number | null = null

  private constructor(
    readonly installation: Installation,
    private members: readonly [Browser, Browser],
    private traders: readonly Trader[],
  ) {}

  static async begin(installation: Installation): Promise<Play> {
    const { portal } = installation
    const members = [
      await portal.member('admin', { name: 'Dana' }),
      await portal.member('admin', { name: 'Robin' }),
    ] as const
    const traders: Trader[] = []
    for (let n = 0; n < TRADERS; n++) {
      const one = await eligibleTrader(portal, members[0])
      await members[0].patch(`/api/admin/accounts/${one.id}-a1`, { status: 'active', balance: '104000.00' })
      traders.push(one)
    }
    const play = new Play(installation, [...members], traders)
    for (const n of traders.keys()) {
      await play.take({ kind: 'request', trader: n, dollars: 1_000, again: true })
      await play.take({ kind: 'approve', payout: 0, deduct: true, member: 0 })
    }
    return play
  }

  async take(step: Step): Promise<void> {
    const [admin] = this.members
    switch (step.kind) {
      case 'request':
        return this.#request(step)
      case 'approve': {
        const id = this.#payout(step.payout, 'pending', 'rejected')
        const verdict = { status: 'approved', deduct: step.deduct }
        const answer = await this.members[step.member]?.patch(`/api/admin/payouts/${id}`, verdict)
        if (!answer || !this.#accepts(step, answer)) return
        if (read(VerdictGiven, answer).status !== 'approved') return this.#acknowledge('PayoutFirstApproved')
        return this.#decided(id, 'approved', 'PayoutApproved')
      }
      case 'reject': {
        const id = this.#payout(step.payout, 'pending', 'approved')
        const answer = await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'No' })
        return this.#accepts(step, answer) ? this.#decided(id, 'rejected', 'PayoutRejected') : undefined
      }
      case 'withdraw': {
        const id = this.#payout(step.payout, 'pending')
        const owner = this.traders.find((one) => id.startsWith(one.id))
        const answer = await owner?.post(`/api/user/payouts/${id}/withdraw`, {})
        return answer && this.#accepts(step, answer) ? this.#decided(id, 'withdrawn', 'PayoutWithdrawn') : undefined
      }
      case 'balance':
        this.#accepts(step, await admin.patch(this.#account(step.trader), { balance: `${step.dollars}.00` }))
        return
      case 'book': {
        const { dollars, reference } = step
        const entry = { kind: dollars < 0 ? 'fee' : 'credit', amount: `${dollars}.00`, reason: 'Booked in a play' }
        const path = `${this.#account(step.trader)}/ledger`
        this.#accepts(step, await admin.post(path, { ...entry, reference: `B-${reference}` }))
        return
      }
      case 'terms': {
        const terms = step.everyDays === null ? null : sampleTerms({ everyDays: step.everyDays })
        this.#accepts(step, await admin.patch(this.#account(step.trader), { terms }))
        return
      }
      case 'make': {
        const wanted = step.payouts.map((n) => this.#payout(n, 'approved'))
        const fits = (id: string) => this.#verdicts.get(id) === 'approved' && !this.#transfers.get(id)
        await this.#make(step.fits ? wanted.filter(fits) : wanted, step.euro)
        return
      }
      case 'pay': {
        const batch = await this.#make([this.#payout(step.payout, 'approved')], false)
        const [line] = batch === undefined ? [] : await this.#endBatch(batch, 'release')
        return this.#answer(line, step.state, 'none')
      }
      case 'release':
      case 'cancel':
        if (this.#batches.length > 0)
          await this.#endBatch(this.#batches.at(-1 - (step.batch % this.#batches.length)) ?? '', step.kind)
        return
      case 'answer':
        return this.#answer(this.#lines.at(-1 - (step.line % this.#lines.length)), step.state, step.fault)
      case 'by-hand':
        return this.#byHand(step)
      case 'hold':
        this.#accepts(
          step,
          await admin.patch(`/api/admin/payouts/${this.#payout(step.payout, 'approved')}/payment`, {
            hold: step.reason,
          }),
        )
        return
      case 'breach':
        this.#accepts(step, await admin.patch(this.#account(step.trader), { status: 'breached' }))
        return
      case 'ban':
      case 'pardon': {
        const path = `/api/admin/user/${this.traders[step.trader]?.id}/ban`
        if (step.kind === 'pardon') await this.#release(step.trader)
        const ban = step.kind === 'ban' ? { banned: true, banReason: 'Copied trades' } : { banned: false }
        this.#accepts(step, await admin.patch(path, ban))
        return
      }
      case 'restart':
        return this.restart()
    }
  }

  /** Staff make an account active again, and release what its breach or ban put on hold. */
  async #release(n: number): Promise<void> {
    const [admin] = this.members
    this.#accepts({ kind: 'pardon' }, await admin.patch(this.#account(n), { status: 'active' }))
    for (const id of this.#payouts)
      if (id.startsWith(this.traders[n]?.id ?? '?'))
        this.#accepts({ kind: 'hold' }, await admin.patch(`/api/admin/payouts/${id}/payment`, { hold: null }))
  }

  async #request(step: Extract<Step, { kind: 'request' }>): Promise<void> {
    const body = { amount: `${step.dollars}.00`, paymentMethod: 'bank', destination: { holder: 'Ada', iban: IBAN } }
    const options = { headers: { 'Idempotency-Key': `request ${++this.#requests}` } }
    const ask = async () => this.traders[step.trader]?.post('/api/user/payouts', body, options)
    const answers = await Promise.all(step.again ? [ask(), ask()] : [ask()])
    const ids = answers.flatMap((answer) => (answer && this.#accepts(step, answer) ? read(Payout, answer).id : []))
    // The same request twice has one answer.
    expect(new Set(ids).size).toBeLessThanOrEqual(1)
    for (const id of new Set(ids)) {
      this.#payouts.push(id)
      this.#decided(id, 'pending', 'PayoutRequested')
    }
  }

  /** @returns the batch, if one was made. */
  async #make(payouts: readonly string[], inEuro: boolean): Promise<string | undefined> {
    if (payouts.length === 0) return undefined
    const currency = inEuro ? { currency: 'EUR', rate: '0.92' } : { currency: 'USD' }
    const body = { format: 'csv', payouts: [...new Set(payouts)], ...currency }
    const answer = await this.members[0].post('/api/admin/batches', body)
    if (!this.#accepts({ kind: 'make' }, answer)) return undefined
    const { id } = read(Batch, answer)
    this.#batches.push(id)
    return id
  }

  /** @returns what the bank is told to pay. */
  async #endBatch(id: string, kind: 'release' | 'cancel'): Promise<readonly Line[]> {
    const answer = await this.members[0].post(`/api/admin/batches/${id}/${kind}`)
    if (!this.#accepts({ kind }, answer) || kind === 'cancel') return []
    const { state, file } = read(Batch, answer)
    if (state !== 'released') return []
    this.#acknowledge('BatchReleased')
    const text = await this.#fileOf(id)
    expect(createHash('sha256').update(text).digest('hex')).toBe(file?.sha256)
    this.#files.set(id, text)
    const rows = z.array(z.object({ reference: z.string(), amount: z.string(), currency: z.string() }))
    const lines = rows.parse(parse(text, { columns: true })).map((row) => ({ ...row, payout: payoutOf(row.reference) }))
    for (const line of lines) {
      this.#lines.push(line)
      this.#transfer(line.payout, 1)
    }
    return lines
  }

  /** The bank says what became of a transfer, or gets its reference or amount wrong. */
  async #answer(line: Line | undefined, state: BankState, fault: 'none' | 'amount' | 'reference'): Promise<void> {
    if (!line) return
    const reference = fault === 'reference' ? `${line.payout}-99` : line.reference
    const amount = fault === 'amount' ? (Number(line.amount) + 0.01).toFixed(2) : line.amount
    const row = [reference, amount, line.currency, state, 'AC04'].join(',')
    const form = new FormData()
    form.append('format', 'csv')
    form.append('answerFile', new Blob([`reference,amount,currency,state,reason\n${row}\n`]), 'answers.csv')
    const answer = await this.members[0].send('POST', '/api/admin/payments/answers', form)
    if (!this.#accepts({ kind: 'answer' }, answer)) return
    for (const { outcome } of read(z.array(AnswerRow), answer)) {
      saw(`outcome ${outcome}`)
      if (outcome !== 'recorded') continue
      expect(fault).toBe('none')
      this.#came(line.payout, state)
    }
  }

  async #byHand({ kind, payout, state }: Extract<Step, { kind: 'by-hand' }>): Promise<void> {
    const id = this.#payout(payout, 'approved')
    const own = `wire ${++this.#transfersByHand}`
    const body = { state, ...(state === 'paid' && { reference: own }) }
    const answer = await this.members[0].patch(`/api/admin/payouts/${id}/payment`, body)
    if (!this.#accepts({ kind }, answer)) return
    const { payment } = z.object({ payment: Payment }).parse(answer.body)
    if (state === 'sent' || payment.reference === own) this.#transfer(id, 1)
    else this.#came(id, state)
  }

  /** A transfer arrived or came back. */
  #came(id: string, state: BankState): void {
    if (state === 'paid') return
    this.#acknowledge(state === 'failed' ? 'PaymentFailed' : 'PaymentReturned')
    this.#transfer(id, -1)
  }

  #transfer(id: string, change: 1 | -1): void {
    this.#transfers.set(id, (this.#transfers.get(id) ?? 0) + change)
    if (change === 1 && this.#lines.filter((line) => line.payout === id).length > 1) saw('paid again')
  }

  #decided(id: string, status: 'pending' | 'approved' | 'rejected' | 'withdrawn', type: string): void {
    this.#verdicts.set(id, status)
    this.#acknowledge(type)
  }

  #acknowledge(type: string): void {
    this.#acknowledged.set(type, (this.#acknowledged.get(type) ?? 0) + 1)
    saw(type)
  }

  /** Whether an answer is that of a change that was made. Only refusals may come instead of it. */
  #accepts({ kind }: Pick<Step, 'kind'>, { status, text }: Answer): boolean {
    expect([200, 201, 400, 401, 403, 404, 409], `${kind}: ${text}`).toContain(status)
    saw(`${kind} ${status}`)
    return status < 300
  }

  #account = (n: number) => `/api/admin/accounts/${this.traders[n]?.id}-a1`

  /** A payout by its number: mostly one with one of these statuses; one that never was while there is none. */
  #payout(n: number, ...wanted: readonly string[]): string {
    const fitting = this.#payouts.filter((id) => wanted.includes(this.#verdicts.get(id) ?? ''))
    const among = n < 5 && fitting.length > 0 ? fitting : this.#payouts
    return among.at(-1 - (n % among.length)) ?? 'missing0-a1-p1'
  }

  async #fileOf(id: string): Promise<string> {
    const file = await this.members[0].get(`/api/admin/batches/${id}/file`, await this.installation.portal.atEnd())
    expect(file.status, file.text).toBe(200)
    return file.text
  }

  /** The program stops and begins again in its folder; its people go on with their sessions. */
  async restart(): Promise<void> {
    await this.installation.restart()
    const { portal } = this.installation
    const again = <Who extends Browser>(who: Who): Who => {
      const next = portal.browser()
      for (const [name, value] of who.cookies) next.cookies.set(name, value)
      return { ...who, ...next }
    }
    this.members = [again(this.members[0]), again(this.members[1])]
    this.traders = this.traders.map(again)
  }

  async delete(n: number): Promise<void> {
    const answer = await this.members[0].delete(`/api/admin/user/${this.traders[n]?.id}`)
    expect(answer.status).toBe(200)
    this.#deleted = n
    saw('deleted')
    // What is on its way may still fail.
    for (const line of this.#lines.filter((each) => each.payout.startsWith(this.traders[n]?.id ?? '?')))
      await this.#answer(line, 'failed', 'none')
  }

  /** No payout was paid twice, as the bank and the firm saw it. */
  checkTransfers(): void {
    for (const [id, count] of this.#transfers) expect([0, 1], `transfers of ${id}`).toContain(count)
    const references = this.#lines.map(({ reference }) => reference)
    expect(new Set(references).size).toBe(references.length)
  }

  /** What holds after every play: nothing acknowledged is lost, nothing is there twice, and every cent has an entry. */
  async check(): Promise<void> {
    this.checkTransfers()
    const { portal } = this.installation
    const types = new Map<string, number>()
    const events = await Promise.all(this.traders.map(({ id }) => portal.events(`account-${id}-a1`)))
    for (const { type } of events.flat()) types.set(type, (types.get(type) ?? 0) + 1)
    for (const id of this.#batches) {
      const of = (await portal.events(`batch-${id}`)).map(({ type }) => type)
      expect(of.filter((type) => type === 'BatchMade')).toHaveLength(1)
      if (of.includes('BatchReleased')) types.set('BatchReleased', (types.get('BatchReleased') ?? 0) + 1)
    }
    for (const [type, count] of this.#acknowledged)
      // A deletion rejects what waits.
      if (type !== 'PayoutRejected' || this.#deleted === null) expect([type, types.get(type)]).toEqual([type, count])
    for (const [n, one] of this.traders.entries()) await this.#checkAccount(n, one, events[n] ?? [])
    for (const [id, text] of this.#files) {
      const deleted = this.traders[this.#deleted ?? -1]?.id
      if (deleted === undefined || !text.includes(deleted)) expect(await this.#fileOf(id)).toBe(text)
    }
  }

  async #checkAccount(n: number, { id }: Trader, events: Awaited<ReturnType<Portal['events']>>): Promise<void> {
    const state = fold(
      accountStateDecider,
      events.flatMap((event) => (isOneOf(accountStreamEvents, event) ? [event] : [])),
    )
    expect(state.ledger).toMatchObject({ sum: state.account.balance, faultAt: null })
    for (const payout of state.payouts.list.values()) {
      const { state: payment } = payout.payment ?? {}
      // The events say of each payment what the bank saw of it.
      expect(this.#transfers.get(payout.id) ?? 0, payout.id).toBe(payment === 'sent' || payment === 'paid' ? 1 : 0)
      const entries = events.flatMap(({ type, data }) =>
        (type === 'PayoutDeducted' || type === 'PayoutBookedBack') && data.payoutId === payout.id
          ? data.from - data.to
          : [],
      )
      expect(entries.reduce((sum, one) => sum + one, 0)).toBe(payout.deducted ? payout.amount : 0)
      if (n === this.#deleted) expect(['open', 'in-batch', 'failed', 'returned']).not.toContain(payment)
    }
    if (n === this.#deleted) return
    const end = await this.installation.portal.atEnd()
    const [admin] = this.members
    const ledger = read(LedgerEntry.array(), await admin.get(`${this.#account(n)}/ledger`, end))
    const numbers = new Set(events.map(({ position }) => Number(position)))
    let balance = 0
    for (const entry of ledger) {
      balance += Math.round(Number(entry.amount) * 100)
      expect(Math.round(Number(entry.balance) * 100)).toBe(balance)
      expect(numbers.has(entry.event)).toBe(true)
    }
    expect(balance).toBe(state.account.balance)
    const shown = read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?userId=${id}&limit=200`, end))
    for (const { id: payout, status, payment, deducted } of shown)
      expect({ status, payment: payment?.state, deducted }).toEqual(
        pick(state.payouts.list.get(payoutId.parse(payout))),
      )
  }
}

function pick(payout: PayoutOfState | undefined) {
  return { status: payout?.status, payment: payout?.payment?.state, deducted: payout?.deducted }
}

function payoutOf(reference: string): string {
  return reference.slice(0, reference.lastIndexOf('-'))
}

it(
  'pays no payout twice, moves no cent without an entry, and loses nothing it acknowledged, in any order',
  async () => {
    const installation = await Installation.open()
    try {
      await fc.assert(
        fc.asyncProperty(plan, async ({ moments, deleted }) => {
          const play = await Play.begin(installation)
          for (const moment of moments) {
            await Promise.all(moment.map((step) => play.take(step)))
            play.checkTransfers()
          }
          if (deleted !== null) await play.delete(deleted)
          await installation.portal.mailed()
          await play.check()
          await play.restart()
          await play.check()
        }),
        { numRuns: RUNS, seed: randomSeed(), examples: [[everything]] },
      )
    } finally {
      await installation.close()
    }
    process.stderr.write(`Money in any order: ${JSON.stringify(Object.fromEntries([...seen].toSorted()))}\n`)
    for (const what of must) expect(seen.get(what) ?? 0, what).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)
