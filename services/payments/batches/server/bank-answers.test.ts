import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { ANSWER_FIELD, Batch, BatchDetails } from '../batch-api.ts'

/** Files as banks send them, read by the portal as staff upload them. */

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  const firm = { name: 'Proof GmbH', iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' }
  await admin.patch('/api/admin/system/firm-account', firm)
})
afterAll(() => portal.stop())

/** A released batch of payments of 250.00 EUR, with their references. */
async function sent(count: number) {
  const trader = await eligibleTrader(portal, admin)
  const payouts: string[] = []
  for (let number = 0; number < count; number++) {
    const destination = { holder: 'Ada Lovelace', iban: 'DE89370400440532013000' }
    const request = { amount: '250.00', paymentMethod: 'bank', destination }
    const { id } = read(Payout, await trader.post('/api/user/payouts', request))
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    payouts.push(id)
  }
  const terms = { format: 'pain.001', currency: 'EUR', rate: '1', rateSource: 'Test', payouts }
  const { id } = read(Batch, await admin.post('/api/admin/batches', terms))
  const { items } = read(Batch, await admin.post(`/api/admin/batches/${id}/release`))
  return { batch: id, references: items.map(({ reference }) => reference) }
}

function upload(format: string, text: string): Promise<Answer> {
  const form = new FormData()
  form.append('format', format)
  form.append(ANSWER_FIELD, new Blob([text]), 'answers')
  return admin.send('POST', '/api/admin/payments/answers', form)
}

const rowShape = z.object({ reference: z.string(), outcome: z.string(), reason: z.string().nullable() }).loose()

async function rowsOf(format: string, text: string) {
  const answer = await upload(format, text)
  expect(answer.status, answer.text).toBe(200)
  return { answer, rows: z.array(rowShape).parse(answer.body) }
}

async function outcomes(format: string, text: string) {
  return (await rowsOf(format, text)).rows.map(({ outcome }) => outcome)
}

/** Where the payments of a batch are. */
async function states(batch: string): Promise<string> {
  const answer = await admin.get(`/api/admin/batches/${batch}`, await portal.atEnd())
  return read(BatchDetails, answer)
    .items.map(({ payment }) => payment)
    .join(' ')
}

const report = (batch: string, payments: string, { group = '', version = '001.10' } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.${version}"><CstmrPmtStsRpt>
<GrpHdr><MsgId>BANK1</MsgId><CreDtTm>2026-11-26T10:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${batch}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>${batch}</OrgnlPmtInfId>${payments}</OrgnlPmtInfAndSts>
</CstmrPmtStsRpt></Document>`

const status = (reference: string | undefined, code: string, more = '') =>
  `<TxInfAndSts><OrgnlEndToEndId>${reference}</OrgnlEndToEndId><TxSts>${code}</TxSts>${more}</TxInfAndSts>`

const statement = (...entries: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>ST1</MsgId><CreDtTm>2026-11-26T10:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>S1</Id><Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></Acct>
${entries.join('\n')}</Stmt></BkToCstmrStmt></Document>`

const entry = (amount: string, direction: 'DBIT' | 'CRDT', details: string, more = '') =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${more}<Sts><Cd>BOOK</Cd></Sts>
<BookgDt><Dt>2026-11-26</Dt></BookgDt><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
<NtryDtls>${details}</NtryDtls></Ntry>`

const booked = (reference: string | undefined, more = '') =>
  `<TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs>${more}</TxDtls>`

describe('a status that the portal did not know (F1)', () => {
  it('of the check of names is shown at each payment, and moves none', async () => {
    const { batch, references } = await sent(3)
    const [one, two, three] = references
    const text = report(batch, status(one, 'RCVC') + status(two, 'RVNM') + status(three, 'RVMC'), {
      group: '<GrpSts>RVCM</GrpSts>',
    })
    const { answer, rows } = await rowsOf('pain.002', text)
    expect(rows).toMatchObject([
      { reference: one, outcome: 'noted', reason: 'RCVC, the name matches the account', next: null },
      { reference: two, outcome: 'noted', reason: 'RVNM, the name does not match the account', payee: 'no-match' },
      { reference: three, outcome: 'noted', reason: 'RVMC, the name is close to that of the account' },
    ])
    expect(rows[1]).toMatchObject({ trader: 'Ada Lovelace', amount: '250.00', currency: 'EUR', payment: 'sent' })
    expect(rows[1]?.['next']).toMatch(/^Ask the trader/)
    const seen = read(BatchDetails, await admin.get(`/api/admin/batches/${batch}`, after(answer)))
    expect(seen.items.map(({ payment, payee }) => [payment, payee])).toEqual([
      ['sent', 'match'],
      ['sent', 'no-match'],
      ['sent', 'close-match'],
    ])
    const length = (await portal.events()).length
    expect(await outcomes('pain.002', text)).toEqual(['noted', 'noted', 'noted'])
    expect(await portal.events()).toHaveLength(length)
  })

  it.each(['ACFW', 'BLCK', 'PRES', 'RVNA', 'OKAY', 'B2'])('keeps the rejection beside %s', async (code) => {
    const { batch, references } = await sent(2)
    const reason = '<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>'
    const text = report(batch, status(references[0], code) + status(references[1], 'RJCT', reason), {
      group: '<GrpSts>PART</GrpSts>',
      version: '001.14',
    })
    const { rows } = await rowsOf('pain.002', text)
    expect(rows.map(({ outcome }) => outcome)).toEqual([/[a-z]|OKAY|\d/.test(code) ? 'unknown' : 'noted', 'recorded'])
    expect(rows[1]).toMatchObject({ payment: 'failed', said: 'RJCT, rejected: AC04, the account is closed' })
    expect(rows[1]?.['next']).toMatch(/another destination/)
    expect(await states(batch)).toBe('sent failed')
  })

  it('of an order as a whole is listed once, or at each payment where it says it of each', async () => {
    const { batch, references } = await sent(2)
    const whole = (code: string) =>
      report(batch, '', { group: `<GrpSts>${code}</GrpSts>` }).replace(/<OrgnlPmtInfAndSts>.*<.OrgnlPmtInfAndSts>/, '')
    expect((await rowsOf('pain.002', whole('RVNC'))).rows).toMatchObject([{ reference: batch, outcome: 'noted' }])
    expect((await rowsOf('pain.002', whole('XYZ'))).rows).toMatchObject([
      { reference: batch, outcome: 'unknown', next: 'Ask the bank what it means.' },
    ])
    expect((await rowsOf('pain.002', whole('RCVC'))).rows).toMatchObject(
      references.map((reference) => ({ reference, outcome: 'noted', payee: 'match' })),
    )
    expect(await outcomes('pain.002', whole('ACSP'))).toEqual(['noted', 'noted'])
    expect(await outcomes('pain.002', whole('ACSC'))).toEqual(['recorded', 'recorded'])
  })
})

describe('a batch that is booked in one sum (F2)', () => {
  const nameless = '<TxDtls><BkTxCd><Prtry><Cd>584</Cd></Prtry></BkTxCd><Purp><Cd>SALA</Cd></Purp></TxDtls>'
  it.each([
    ['beside details without a reference', (id: string) => `<Btch><PmtInfId>${id}</PmtInfId></Btch>${nameless}`, ''],
    [
      'by the message of its order',
      (id: string) => `<Btch><MsgId>${id}</MsgId><NbOfTxs>2</NbOfTxs></Btch>${nameless}`,
      '',
    ],
    [
      'by the references of nameless payments',
      (id: string) =>
        `<TxDtls><Refs><PmtInfId>${id}</PmtInfId><EndToEndId>NOTPROVIDED</EndToEndId></Refs><Amt Ccy="EUR">250.00</Amt></TxDtls>`.repeat(
          2,
        ),
      '',
    ],
    ['in words alone', () => nameless, 'SEPA-Sammelauftrag'],
  ])('is paid %s', async (_what, details, words) => {
    const { batch } = await sent(2)
    const more = words === '' ? '' : `<AddtlNtryInf>${words} ${batch.toUpperCase()}</AddtlNtryInf>`
    expect(await outcomes('camt.053', statement(entry('500.00', 'DBIT', details(batch), more)))).toEqual([
      'recorded',
      'recorded',
    ])
    expect(await states(batch)).toBe('paid paid')
  })

  it('is paid where its payments are named and have no amounts of their own', async () => {
    const { batch, references } = await sent(2)
    const details = references.map((reference) => booked(reference)).join('')
    expect(await outcomes('camt.053', statement(entry('500.01', 'DBIT', details)))).toEqual([
      'other-amount',
      'other-amount',
    ])
    expect(await outcomes('camt.053', statement(entry('500.00', 'DBIT', details)))).toEqual(['recorded', 'recorded'])
    expect(await states(batch)).toBe('paid paid')
  })

  it('is in a row where its sum is another', async () => {
    const { batch } = await sent(2)
    const text = statement(entry('500.01', 'DBIT', `<Btch><PmtInfId>${batch}</PmtInfId></Btch>${nameless}`))
    expect((await rowsOf('camt.053', text)).rows).toMatchObject([{ reference: batch, outcome: 'other-amount' }])
    expect(await states(batch)).toBe('sent sent')
  })
})

describe('a credit with our reference (F3)', () => {
  const code = '<BkTxCd><Prtry><Cd>NRTI+159+00931</Cd></Prtry></BkTxCd>'
  it.each([
    ["with the bank's own code", (reference: string) => entry('250.00', 'CRDT', booked(reference, code))],
    ['without any mark', (reference: string) => entry('250.00', 'CRDT', booked(reference))],
    [
      'in the creditor reference, marked as a return',
      (reference: string) =>
        entry(
          '250.00',
          'CRDT',
          booked(
            'NOTPROVIDED',
            `<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf><RmtInf><Strd><CdtrRefInf><Ref>${reference}</Ref></CdtrRefInf></Strd></RmtInf>`,
          ),
        ),
    ],
    [
      'in the text of the bank, marked as a reversal',
      (reference: string) =>
        entry(
          '250.00',
          'CRDT',
          `<TxDtls><AddtlTxInf>RETOURE EREF+${reference}</AddtlTxInf></TxDtls>`,
          '<RvslInd>true</RvslInd>',
        ),
    ],
  ])('came back, %s', async (_what, credit) => {
    const { batch, references } = await sent(1)
    const [reference = ''] = references
    const debit = entry('250.00', 'DBIT', booked(reference))
    expect(await outcomes('camt.053', statement(debit, credit(reference)))).toEqual(['recorded', 'recorded'])
    expect(await states(batch)).toBe('returned')
  })

  it('is listed where only its text names it, and where a debit takes something back', async () => {
    const { batch, references } = await sent(1)
    const [reference = ''] = references
    const text = statement(
      entry('250.00', 'DBIT', booked(reference)),
      entry('250.00', 'CRDT', `<TxDtls><RmtInf><Ustrd>Thanks for ${reference}</Ustrd></RmtInf></TxDtls>`),
      entry('250.00', 'DBIT', booked(reference), '<RvslInd>true</RvslInd>'),
    )
    expect(await outcomes('camt.053', text)).toEqual(['recorded', 'refused', 'refused'])
    expect(await states(batch)).toBe('paid')
  })

  it('for a whole batch brings back all of it', async () => {
    const { batch } = await sent(2)
    const details = `<Btch><PmtInfId>${batch}</PmtInfId><NbOfTxs>2</NbOfTxs></Btch>`
    const text = statement(entry('500.00', 'DBIT', details), entry('500.00', 'CRDT', details))
    expect(await outcomes('camt.053', text)).toEqual(['recorded', 'recorded', 'recorded', 'recorded'])
    expect(await states(batch)).toBe('returned returned')
  })
})

describe('the rest of a batch in one sum (F4)', () => {
  const sum = (batch: string, amount: string) =>
    entry(amount, 'DBIT', `<Btch><PmtInfId>${batch}</PmtInfId><TtlAmt Ccy="EUR">${amount}</TtlAmt></Btch>`)

  it('is compared with what was not rejected', async () => {
    const { batch, references } = await sent(3)
    await rowsOf('pain.002', report(batch, status(references[1], 'RJCT')))
    expect(await outcomes('camt.053', statement(sum(batch, '500.00')))).toEqual(['recorded', 'recorded'])
    expect(await states(batch)).toBe('paid failed paid')
    expect(await outcomes('camt.053', statement(sum(batch, '500.00')))).toEqual(['duplicate', 'duplicate'])
  })

  it('is compared with what the same statement has not booked alone', async () => {
    const { batch, references } = await sent(3)
    const text = statement(entry('250.00', 'DBIT', booked(references[2])), sum(batch, '500.00'))
    expect(await outcomes('camt.053', text)).toEqual(['recorded', 'recorded', 'recorded'])
    expect(await states(batch)).toBe('paid paid paid')
  })

  it('names what is booked though it was rejected, and pays the others', async () => {
    const { batch, references } = await sent(2)
    await rowsOf('pain.002', report(batch, status(references[0], 'RJCT')))
    expect(await outcomes('camt.053', statement(sum(batch, '500.00')))).toEqual(['refused', 'recorded'])
    expect(await states(batch)).toBe('failed paid')
  })

  it('does not count what was rejected and paid again in another batch', async () => {
    const { batch, references } = await sent(3)
    await rowsOf('pain.002', report(batch, status(references[0], 'RJCT')))
    const again = { format: 'pain.001', currency: 'EUR', rate: '1', payouts: [references[0]?.replace(/-1$/, '')] }
    const second = read(Batch, await admin.post('/api/admin/batches', again))
    await admin.post(`/api/admin/batches/${second.id}/release`)
    expect(await outcomes('camt.053', statement(sum(batch, '500.00')))).toEqual(['recorded', 'recorded'])
    expect(await states(second.id)).toBe('sent')
  })
})

describe('an amount that is not the booked one (F5)', () => {
  const instructed = '<AmtDtls><InstdAmt><Amt Ccy="EUR">250.00</Amt></InstdAmt></AmtDtls>'
  it.each([
    [
      'the instructed amount of a return less a fee',
      '247.50',
      'CRDT',
      `<Amt Ccy="EUR">247.50</Amt><CdtDbtInd>CRDT</CdtDbtInd>${instructed}<Chrgs><Rcrd><Amt Ccy="EUR">2.50</Amt></Rcrd></Chrgs><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>`,
    ],
    [
      'a return less a fee that is stated',
      '247.50',
      'CRDT',
      '<Amt Ccy="EUR">247.50</Amt><Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">2.50</TtlChrgsAndTaxAmt></Chrgs>',
    ],
    ['the instructed amount of an account in dollars', '271.15', 'DBIT', `<Amt Ccy="USD">271.15</Amt>${instructed}`],
    [
      'the instructed amount of an account with three decimal places',
      '83.125',
      'DBIT',
      `<Amt Ccy="KWD">83.125</Amt>${instructed}`,
    ],
    [
      'a debit with its fee',
      '250.35',
      'DBIT',
      '<Amt Ccy="EUR">250.35</Amt><Chrgs><Rcrd><Amt Ccy="EUR">0.35</Amt></Rcrd></Chrgs>',
    ],
  ] as const)('is that of the order by %s', async (_what, amount, direction, details) => {
    const { batch, references } = await sent(1)
    expect(await outcomes('camt.053', statement(entry(amount, direction, booked(references[0], details))))).toEqual([
      'recorded',
    ])
    expect(await states(batch)).toBe(direction === 'DBIT' ? 'paid' : 'returned')
  })

  it('is another where what was instructed is another', async () => {
    const { batch, references } = await sent(1)
    const details = '<Amt Ccy="EUR">250.00</Amt><AmtDtls><InstdAmt><Amt Ccy="EUR">260.00</Amt></InstdAmt></AmtDtls>'
    const { rows } = await rowsOf('camt.053', statement(entry('250.00', 'DBIT', booked(references[0], details))))
    expect(rows).toMatchObject([{ outcome: 'other-amount', trader: 'Ada Lovelace', amount: '250.00', payment: 'sent' }])
    expect(await states(batch)).toBe('sent')
  })
})

describe("a stranger's entry that cannot be read (F6)", () => {
  it.each([
    ['three decimal places', entry('120.00', 'DBIT', booked('CARD-9', '<Amt Ccy="KWD">38.125</Amt>'))],
    ['no amount', '<Ntry><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts></Ntry>'],
    [
      'no direction',
      '<Ntry><Amt Ccy="EUR">1.00</Amt><Sts>BOOK</Sts><NtryDtls><TxDtls><Refs><EndToEndId>X</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>',
    ],
    ['a reference of forty characters', entry('1.00', 'DBIT', booked('X'.repeat(40)))],
    ['an element twice', entry('1.00', 'DBIT', booked('INVOICE 7').repeat(2), '<Sts>BOOK</Sts>')],
  ])('with %s is passed over', async (_what, stranger) => {
    const { batch, references } = await sent(1)
    const own = entry('250.00', 'DBIT', booked(references[0], '<Amt Ccy="EUR">250.00</Amt>'))
    expect(await outcomes('camt.053', statement(stranger, own, stranger))).toEqual(['recorded'])
    expect(await states(batch)).toBe('paid')
  })

  it('leaves a row of what looks like ours and is not', async () => {
    const text = statement(entry('1.00', 'DBIT', booked('trader01abcdefgh-a1-p1-1')))
    expect((await rowsOf('camt.053', text)).rows).toMatchObject([{ outcome: 'unknown', trader: null, payment: null }])
  })
})

describe('a file that is none', () => {
  it.each([
    ['no XML', 'pain.002', () => 'reference;amount', /^Line 1: /],
    [
      'a DTD',
      'pain.002',
      (good: string) => good.replace('<Document', '\n<!DOCTYPE x>\n<Document'),
      /^Line 3: the file has a DTD/,
    ],
    [
      'two messages',
      'pain.002',
      (good: string) => good.replace('</CstmrPmtStsRpt>', '</CstmrPmtStsRpt>\n<BkToCstmrStmt/>'),
      /^Line 7: the file mixes two messages/,
    ],
    ['another message', 'camt.053', (good: string) => good, /^Line 2: this is no camt.053/],
  ])('with %s is refused whole, and nothing is stored', async (_what, format, spoilt, message) => {
    const { batch, references } = await sent(1)
    const length = (await portal.events()).length
    const answer = await upload(format, spoilt(report(batch, status(references[0], 'RJCT'))))
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ errors: { [ANSWER_FIELD]: expect.stringMatching(message) } })
    expect(await portal.events()).toHaveLength(length)
    expect(await states(batch)).toBe('sent')
  })

  it('is too large above 4 MB', async () => {
    expect((await upload('camt.053', statement(' '.repeat(4 * 1024 * 1024)))).status).toBe(413)
  })
})
