import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { z } from 'zod'
import { ListedBatch } from '#services/payments/batches/batch-api.ts'
import { AdminPayout, ListedPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { LedgerEntry } from '#services/trading/accounts/ledger-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { goTo, press } from './keyboard.ts'
import { openFilters, type Site, type Visit } from './kit.ts'

/** The day of a desk: 30 payouts of ten traders by four methods, in two currencies, until all of them are paid. */

const TRADERS = 10
const OPENING = 1_050_000
/** Twelve of the 30 requests are by bank, and six by each of the others. */
const methods = ['bank', 'paypal', 'bank', 'skrill', 'crypto'] as const
type Method = (typeof methods)[number]

const decimal = (cents: number) =>
  `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
const centsOf = (amount: string) => Math.round(Number(amount) * 100)
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0)

interface Asked {
  readonly id: string
  readonly trader: Trader
  readonly method: Method
  readonly cents: number
}

/** A file that left, with what it pays, by reference. */
interface Sent {
  readonly batch: string
  readonly currency: 'EUR' | 'USD'
  readonly sha256: string
  /** Cents of the currency. */
  readonly orders: ReadonlyMap<string, number>
  readonly text: string
}

/** Everything by keyboard, but for the choice of a file. Fails where two numbers of the same money differ by a cent. */
export async function walkDeskDay(site: Site, width: number): Promise<void> {
  const admin = await site.portal.admin()
  await admin.patch('/api/admin/system/firm-account', {
    name: 'Proof GmbH',
    iban: 'NL91ABNA0417164300',
    bic: 'ABNANL2A',
  })
  const asked = await requestAll(site)
  const idsBy = (method: Method) => asked.filter((each) => each.method === method).map(({ id }) => id)
  const desk = await site.visit({ as: await site.portal.member('payouts', { name: 'Dana' }), width })
  const { page } = desk
  await desk.open('/admin/dashboard')
  await approveAll(page, asked.length)

  await goTo(page, 'Batches of payments')
  const bank = await payBatch(page, { format: 'SEPA', isFirstRate: true })
  const paypal = await payBatch(page, { format: 'PayPal' })
  const skrill = await payBatch(page, { format: 'Plain' })
  const wallets = await payBatch(page, { format: 'Wallets' })
  for (const [sent, method] of [
    [bank, 'bank'],
    [paypal, 'paypal'],
    [skrill, 'skrill'],
    [wallets, 'crypto'],
  ] as const)
    expect([...sent.orders.keys()].sort()).toEqual(
      idsBy(method)
        .map((id) => `${id}-1`)
        .sort(),
    )

  // The bank refuses one of its orders, and PayPal knows no such address; the others by providers arrive.
  const [refused = '', ...rest] = bank.orders.keys()
  const [unknown = '', ...known] = paypal.orders.keys()
  await uploadAnswers(page, 'Status', 'status.xml', statusReport(bank.batch, refused))
  await page.getByText('RJCT, rejected: MS03', { exact: false }).first().waitFor()
  const paidRows = [
    ...known.map((reference) => `${reference},${decimal(paypal.orders.get(reference) ?? 0)},USD,paid,`),
    ...[skrill, wallets].flatMap(({ orders }) => [...orders].map(([id, cents]) => `${id},${decimal(cents)},USD,paid,`)),
    `${unknown},${decimal(paypal.orders.get(unknown) ?? 0)},USD,failed,The recipient has no account`,
  ]
  await uploadAnswers(
    page,
    'Table',
    'providers.csv',
    ['reference,amount,currency,state,reason', ...paidRows, ''].join('\n'),
  )
  await page.getByText('The recipient has no account').first().waitFor()

  const wronged = asked.find(({ id }) => unknown.startsWith(`${id}-`))
  if (!wronged) throw new Error(`${unknown} is of no request`)
  await giveNewAddress(site, wronged, width)

  // Both are paid once more.
  await press(page, page.getByRole('link', { name: 'All batches' }))
  const bankAgain = await payBatch(page, { format: 'SEPA', again: true })
  const paypalAgain = await payBatch(page, { format: 'PayPal', again: true })
  expect([...bankAgain.orders.keys(), ...paypalAgain.orders.keys()]).toEqual([next(refused), next(unknown)])
  expect(paypalAgain.text).toContain(RIGHT_ADDRESS)

  // The statement books the rest of the first order in one sum, and names the second order's payment.
  const restSum = sumOf(rest.map((reference) => bank.orders.get(reference) ?? 0))
  const entries = [
    entry(
      restSum,
      `<Btch><PmtInfId>${bank.batch}</PmtInfId><NbOfTxs>${rest.length}</NbOfTxs><TtlAmt Ccy="EUR">${decimal(restSum)}</TtlAmt></Btch>`,
    ),
    entry(
      490,
      '<TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><RmtInf><Ustrd>Account fee</Ustrd></RmtInf></TxDtls>',
    ),
    ...[...bankAgain.orders].map(([reference, cents]) =>
      entry(cents, `<TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs></TxDtls>`),
    ),
  ]
  await uploadAnswers(page, 'Statement', 'statement.xml', statement(entries))
  await page
    .getByText(`statement.xml: ${rest.length + 1} of ${rest.length + 1} recorded.`)
    .or(page.getByText('statement.xml', { exact: false }))
    .first()
    .waitFor()
  await uploadAnswers(
    page,
    'Table',
    'again.csv',
    [
      'reference,amount,currency,state,reason',
      ...[...paypalAgain.orders].map(([id, cents]) => `${id},${decimal(cents)},USD,paid,`),
      '',
    ].join('\n'),
  )
  await page.getByText('again.csv', { exact: false }).first().waitFor()

  await press(page, page.getByRole('link', { name: 'All batches' }))
  const table = page.getByRole('table', { name: 'Batches' })
  await until(async () => (await table.getByText(/^Settled: /).count()) === 6, 'all six batches to be settled')
  await desk.expectGoodLook()

  await expectAgreement(site, desk, asked, [bank, paypal, skrill, wallets, bankAgain, paypalAgain], width)
}

const RIGHT_ADDRESS = 'right@pay.example'

/** The trader opens the mail about the payment, and gives another address. */
async function giveNewAddress(site: Site, { id, trader }: Asked, width: number): Promise<void> {
  // Another payment of the same trader may have failed, too.
  const mail = await site.portal.mailWith(
    trader.email,
    ({ subject, text }) => subject?.endsWith('failed') === true && text?.includes(id) === true,
  )
  const [link = ''] = /\/payouts\?\S+/.exec(mail.text ?? '') ?? []
  const { page, open } = await site.visit({ as: trader, width })
  await open(link)
  const form = page.getByRole('region', { name: 'Give a new destination' })
  await press(page, form.getByLabel('Payment Details (PayPal email)'), RIGHT_ADDRESS.slice(0, 1))
  await page.keyboard.type(RIGHT_ADDRESS.slice(1))
  await page.keyboard.press('Enter')
  await page.getByText(`${RIGHT_ADDRESS}, before that`, { exact: false }).waitFor()
}

const next = (reference: string) => reference.replace(/1$/, '2')

async function requestAll(site: Site): Promise<readonly Asked[]> {
  const admin = await site.portal.admin()
  const asked: Asked[] = []
  for (let number = 0; number < TRADERS; number++) {
    const holder = `Trader ${String.fromCharCode(65 + number)}`
    const trader = await eligibleTrader(site.portal, admin, { fullName: holder })
    await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: decimal(OPENING), profitLoss: '500.00' })
    for (let own = 0; own < 3; own++) {
      const index = number * 3 + own
      const method = methods[index % methods.length] ?? 'bank'
      const cents = 10_001 + index * 137
      const destinations = {
        bank: { holder, iban: 'DE89370400440532013000' },
        paypal: { email: `payee${number}@pay.example` },
        skrill: { email: `payee${number}@skrill.example` },
        crypto: { network: 'TRC20', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' },
      }
      const answer = await trader.post('/api/user/payouts', {
        amount: decimal(cents),
        paymentMethod: method,
        destination: destinations[method],
      })
      asked.push({ id: read(Payout, answer).id, trader, method, cents })
    }
  }
  return asked
}

async function approveAll(page: Page, count: number): Promise<void> {
  await goTo(page, 'Payouts')
  await page.waitForURL('**/admin/payouts')
  await page.locator('[data-row]').first().waitFor()
  await press(page, page.getByLabel('Rows per page'), 'ArrowDown')
  await page.waitForURL(/size=50/)
  await until(async () => (await page.locator('[data-row]').count()) === count, 'all requests to be on the page')
  // The keys of a page do not work while a choice has the focus.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+X')
  await page
    .getByLabel(/^Select all/)
    .and(page.locator(':checked'))
    .waitFor()
  await page.keyboard.press('Shift+A')
  const dialog = page.getByRole('dialog', { name: 'Approve several payouts' })
  await dialog
    .getByRole('button', { name: `Approve ${count} payouts` })
    .and(page.locator(':enabled'))
    .waitFor()
  await page.keyboard.press('Control+Enter')
  await dialog.getByText(`${count} approved, none failed`).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}

interface NewBatch {
  readonly format: 'SEPA' | 'PayPal' | 'Plain' | 'Wallets'
  /** No rate was used before: it is confirmed. */
  readonly isFirstRate?: boolean
  /** It takes what failed. */
  readonly again?: boolean
}

/** From the list of batches: makes one, compares its file before and after the release, and returns to the list. */
async function payBatch(page: Page, { format, isFirstRate = false, again = false }: NewBatch): Promise<Sent> {
  await press(page, page.getByRole('button', { name: 'New Batch' }))
  const dialog = page.getByRole('dialog', { name: 'New Batch' })
  await dialog.getByLabel('Format').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(format)
  if (format === 'SEPA') {
    await press(page, dialog.getByLabel('1 EUR = … USD'), 'Tab')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.type('1.082954')
    await dialog.getByText('so 1 USD = 0.9234 EUR.', { exact: false }).waitFor()
    if (isFirstRate) await press(page, dialog.getByLabel('These figures are right'), 'Space')
    await press(page, dialog.getByLabel('Source of the rate'), 'E')
    await page.keyboard.type('CB')
  }
  if (again)
    await press(page, dialog.getByRole('group', { name: 'Failed or returned' }).getByRole('checkbox').last(), 'Space')
  await dialog
    .getByRole('button', { name: /^Make Batch of [1-9]/ })
    .and(page.locator(':enabled'))
    .waitFor()
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(/batches\/[a-z0-9]{8,}$/)
  const batch = new URL(page.url()).pathname.split('/').at(-1) ?? ''

  const content = page.getByRole('region', { name: 'Content of the file' })
  const preview = Buffer.from((await content.textContent()) ?? '')
  const sha256 = createHash('sha256').update(preview).digest('hex')
  await page.getByText(sha256).waitFor()
  await press(page, page.getByRole('button', { name: 'Release' }))
  const question = page.getByRole('alertdialog', { name: 'Release this batch' })
  await question.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
  await press(page, question.getByRole('button', { name: 'Release' }))
  await question.waitFor({ state: 'detached' })
  const link = page.getByRole('link', { name: 'Download File' })
  await link.waitFor()
  const download = page.waitForEvent('download')
  await press(page, link)
  const file = await readFile(await (await download).path())
  expect(file.equals(preview), `${format}: the file is the one of the preview`).toBe(true)
  await page.getByText(sha256).waitFor()
  await press(page, page.getByRole('link', { name: 'All batches' }))
  const text = file.toString('utf8')
  return { batch, currency: format === 'SEPA' ? 'EUR' : 'USD', sha256, text, orders: ordersIn(format, text) }
}

/** The payments of a file, as the bank or the provider reads them. */
function ordersIn(format: NewBatch['format'], file: string): ReadonlyMap<string, number> {
  if (format === 'SEPA')
    return new Map(
      [...file.matchAll(/<EndToEndId>(.+?)<\/EndToEndId>.*?<InstdAmt Ccy="EUR">(.+?)</gs)].map(
        ([, reference = '', amount = '']) => [reference, centsOf(amount)],
      ),
    )
  const rows = file
    .trim()
    .split('\r\n')
    .map((row) => row.split(','))
  const columns = { PayPal: [3, 1], Plain: [0, 1], Wallets: [4, 3] } as const
  const [reference, amount] = columns[format]
  return new Map(
    (format === 'PayPal' ? rows : rows.slice(1)).map((cells) => [cells[reference] ?? '', centsOf(cells[amount] ?? '')]),
  )
}

async function uploadAnswers(page: Page, format: string, name: string, text: string): Promise<void> {
  if ((await page.getByRole('button', { name: 'Upload Answers' }).count()) === 0)
    await press(page, page.getByRole('link', { name: 'All batches' }))
  await press(page, page.getByRole('button', { name: 'Upload Answers' }))
  const dialog = page.getByRole('dialog', { name: 'Upload Answers' })
  await dialog.getByLabel('Format').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(format)
  await dialog.getByLabel('File').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
  await page.keyboard.press('Control+Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(name, { exact: false }).first().waitFor()
}

/** The bank's report on an order of which it refuses one payment (pain.002). */
function statusReport(batch: string, refused: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>R1</MsgId><CreDtTm>2026-11-26T08:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${batch}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>${batch}</OrgnlPmtInfId><PmtInfSts>PART</PmtInfSts>
<TxInfAndSts><OrgnlEndToEndId>${refused}</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>MS03</Cd></Rsn></StsRsnInf></TxInfAndSts>
</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`
}

/** A booked debit of the firm's account. */
function entry(cents: number, details: string): string {
  return `<Ntry><Amt Ccy="EUR">${decimal(cents)}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-26</Dt></BookgDt><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls>${details}</NtryDtls></Ntry>`
}

function statement(entries: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>ST1</MsgId><CreDtTm>2026-11-26T18:00:00Z</CreDtTm></GrpHdr><Stmt><Id>S1</Id><Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></Acct>
${entries.join('\n')}
</Stmt></BkToCstmrStmt></Document>`
}

/** The numbers of trader, staff, files and ledger are the same, to the cent. */
async function expectAgreement(
  site: Site,
  { page }: Visit,
  asked: readonly Asked[],
  files: readonly Sent[],
  width: number,
): Promise<void> {
  const admin = await site.portal.admin()
  const end = await site.portal.atEnd()
  const listed = read(z.array(AdminPayout), await admin.get('/api/admin/payouts?limit=100', end))
  const batches = read(z.array(ListedBatch), await admin.get('/api/admin/batches', end))
  expect(batches.map(({ id, settled, file, total }) => [id, settled, file?.sha256, total]).sort()).toEqual(
    files.map(({ batch, sha256, orders }) => [batch, true, sha256, decimal(sumOf([...orders.values()]))]).sort(),
  )
  for (const { id, trader, method, cents } of asked) {
    const own = read(z.array(ListedPayout), await trader.get('/api/user/payouts', end)).find((each) => each.id === id)
    const staffs = listed.find((each) => each.id === id)
    const reference = own?.payment?.reference ?? ''
    const sent = files.filter(({ orders }) => orders.has(reference))
    expect(sent, `${reference} is in one file`).toHaveLength(1)
    const inFile = sent[0]?.orders.get(reference) ?? 0
    for (const payout of [own, staffs])
      expect(payout).toMatchObject({
        amount: decimal(cents),
        traderReceives: decimal(cents),
        firmKeeps: '0.00',
        payment: { state: 'paid', reference, batch: sent[0]?.batch },
      })
    if (method === 'bank')
      for (const payout of [own, staffs])
        expect(payout?.payment?.exchanged).toEqual({ currency: 'EUR', amount: decimal(inFile), rate: '0.9234' })
    // Euro are rounded down to the cent.
    expect(inFile).toBe(method === 'bank' ? Math.floor((cents * 9234) / 10_000) : cents)
  }
  for (const trader of new Set(asked.map((each) => each.trader))) {
    const own = asked.filter((each) => each.trader === trader)
    const account = read(OwnAccount, await trader.get('/api/user/account', end))
    const ledger = read(z.array(LedgerEntry), await trader.get('/api/user/ledger', end))
    const paid = ledger.filter(({ payoutId }) => payoutId !== null)
    expect(paid.map(({ payoutId, amount }) => [payoutId, amount]).sort()).toEqual(
      own.map(({ id, cents }) => [id, decimal(-cents)]).sort(),
    )
    const left = decimal(OPENING - sumOf(own.map(({ cents }) => cents)))
    expect([account.balance, ledger.at(-1)?.balance]).toEqual([left, left])
  }
  const total = sumOf(asked.map(({ cents }) => cents))
  const dollars = (cents: number) => `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`
  await goTo(page, 'Payouts')
  await page.waitForURL('**/admin/payouts')
  await openFilters(page)
  await press(page, page.getByLabel('Payment', { exact: true }), 'P')
  await page.keyboard.type('aid')
  await page.waitForURL(/payment=paid/)
  const figures = page.getByLabel('Filtered payouts in figures')
  await figures.getByText(dollars(total)).nth(1).waitFor()
  await figures.getByText('$0.00').waitFor()

  // The receipt of the payment that the bank had refused at first.
  const [again] = asked.filter(({ method }) => method === 'bank')
  if (!again) throw new Error('nothing was paid by bank')
  const own = await site.visit({ as: again.trader, width })
  await own.open(`/receipt/${again.id}`)
  await own.page.getByText(`Payment of ${dollars(again.cents)}`).waitFor()
  const euro = Math.floor((again.cents * 9234) / 10_000)
  await own.page.getByText(decimal(euro), { exact: false }).first().waitFor()
}
