import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultsBySchema, whyNoSchemas } from '#test-support/iso20022/iso20022-schemas.ts'
import { type AnswerFormat, LARGEST_ANSWER_FILE } from '../batch-vocabulary.ts'
import { readAnswers } from './answer-file.ts'
import { UnreadableFile } from './bank-answer.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
/** The batch of the reports and statements here. */
const BATCH = 'b7k2m9b7k2m9b7k2'
const read = (format: AnswerFormat, text: string | Uint8Array) =>
  readAnswers(format, typeof text === 'string' ? bytes(text) : text).answers((id) => id === BATCH)

/** A reference of ours. */
const ours = (number: number) => `trader01-a1-p${number}-1`

const HEADER = 'reference,amount,currency,state,reason\n'

/** A report on an order; `version` as in its namespace. */
const pain002 = (below: string, { version = '001.03', group = '' } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.${version}">
<CstmrPmtStsRpt>
<GrpHdr><MsgId>m1</MsgId><CreDtTm>2026-11-26T08:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${BATCH}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>
${below}
</CstmrPmtStsRpt>
</Document>`

const instruction = (status: string, payments = '') =>
  `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${BATCH}</OrgnlPmtInfId>${status}${payments}</OrgnlPmtInfAndSts>`

const rejected = `<TxInfAndSts><OrgnlEndToEndId>trader01-a1-p1-1</OrgnlEndToEndId><TxSts>RJCT</TxSts>
<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Closed on 1 May</AddtlInf></StsRsnInf>
<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">2944.00</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>`

const statement = (entries: string, version = '001.08') =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>s1</MsgId><CreDtTm>2026-11-26T18:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>s1</Id>
${entries}
</Stmt></BkToCstmrStmt></Document>`

const entry = (details: string, { amount = '2944.00', direction = 'DBIT', status = '<Cd>BOOK</Cd>', more = '' } = {}) =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${more}<Sts>${status}</Sts><NtryDtls>${details}</NtryDtls></Ntry>`

const booked = (reference: string, more = '') =>
  `<TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs>${more}</TxDtls>`

describe('answers in a table', () => {
  it('are read row by row', () => {
    const text = `\ufeff${HEADER}trader01-a1-p1-1,2944.00,EUR,paid,\r\n\n"trader01-a1-p2-1",0.01,USD,failed,"AC04, said ""no""\nand more"\n`
    expect(read('csv', text)).toEqual([
      {
        place: 'line 2',
        about: { payments: ['trader01-a1-p1-1'] },
        ...{ state: 'paid', payee: null, reason: null, said: null, remedy: null, problem: null },
        amounts: [{ amount: 294_400, currency: 'EUR' }],
      },
      {
        ...{ place: 'line 4', about: { payments: ['trader01-a1-p2-1'] }, state: 'failed', payee: null },
        amounts: [{ amount: 1, currency: 'USD' }],
        ...{ reason: 'AC04, said "no" and more', said: 'AC04, said "no" and more', remedy: null, problem: null },
      },
    ])
    expect(read('csv', HEADER)).toEqual([])
  })

  const row = 'trader01-a1-p1-1,2944.00,EUR,paid,\n'
  it.each([
    [
      'another header',
      'Reference,amount,currency,state,reason\n',
      'Line 1: the header has to be reference,amount,currency,state,reason',
    ],
    [
      'a column twice',
      'reference,amount,amount,currency,state,reason\n',
      'Line 1: the header has to be reference,amount,currency,state,reason',
    ],
    ['no header', row, 'Line 1: the header has to be reference,amount,currency,state,reason'],
    [
      'a cell too much',
      `${HEADER}${row}trader01-a1-p1-1,2944.00,EUR,paid,,x\n`,
      'Line 3: each row needs 5 cells, separated by commas',
    ],
    ['semicolons', `${HEADER}t;1.00;EUR;paid;\n`, 'Line 2: each row needs 5 cells, separated by commas'],
    ['an open quotation mark', `${HEADER}${row}"t-a1`, 'Line 3: a quotation mark is not closed'],
    ['a quotation mark inside', `${HEADER}t"x,1.00,EUR,paid,\n`, 'Line 2: a quotation mark stands inside a cell'],
    ['a row of commas', `${HEADER}t,1.00,EUR,paid,\n${','.repeat(3_900_000)}`, 'Line 3: the row is too long'],
    ['a row without end', `${HEADER}t,1.00,EUR,paid,${'x'.repeat(5000)}\n`, 'Line 2: the row is too long'],
    ['no reference', `${HEADER},1.00,EUR,paid,\n`, 'Line 2: the reference needs 1 to 35 plain characters'],
    ['an amount with a comma', `${HEADER}t,"1,00",EUR,paid,\n`, 'Line 2: the amount has to be like 3200.00, above 0'],
    ['an amount without cents', `${HEADER}t,1,EUR,paid,\n`, 'Line 2: the amount has to be like 3200.00, above 0'],
    ['a negative amount', `${HEADER}t,-1.00,EUR,paid,\n`, 'Line 2: the amount has to be like 3200.00, above 0'],
    ['no amount', `${HEADER}t,0.00,EUR,paid,\n`, 'Line 2: the amount has to be like 3200.00, above 0'],
    [
      'a currency in small letters',
      `${HEADER}t,1.00,eur,paid,\n`,
      'Line 2: the currency has to be three capital letters',
    ],
    ['another state', `${HEADER}t,1.00,EUR,open,\n`, 'Line 2: the state has to be sent, paid, failed or returned'],
  ])('are refused with %s', (_what, text, message) => {
    expect(() => read('csv', text)).toThrow(new UnreadableFile(message))
  })
})

describe('a report on an order', () => {
  it('says what became of payments', () => {
    expect(read('pain.002', pain002(instruction('<PmtInfSts>PART</PmtInfSts>', rejected)))).toEqual([
      {
        ...{ place: 'line 6', about: { payments: ['trader01-a1-p1-1'] }, state: 'failed', payee: null, problem: null },
        amounts: [{ amount: 294_400, currency: 'EUR' }],
        reason: 'AC04, the account is closed; Closed on 1 May',
        said: 'RJCT, rejected: AC04, the account is closed; Closed on 1 May',
        remedy: 'destination',
      },
    ])
  })

  it('says of the whole instruction what it does not say of a payment', () => {
    expect(read('pain.002', pain002(instruction('<PmtInfSts>RJCT</PmtInfSts>', rejected))).at(-1)).toEqual({
      ...{ place: 'line 6', about: { batch: BATCH, except: new Set(['trader01-a1-p1-1']) }, state: 'failed' },
      ...{ amounts: null, reason: null, said: 'RJCT, rejected', payee: null, remedy: null, problem: null },
    })
  })

  it('says of the whole order what it does not say of an instruction', () => {
    const group = '<GrpSts>ACSC</GrpSts>'
    expect(read('pain.002', pain002('', { group }))).toMatchObject([{ about: { batch: BATCH }, state: 'paid' }])
    const below = instruction('<PmtInfSts>ACSP</PmtInfSts>')
    expect(read('pain.002', pain002(below, { group }))).toMatchObject([{ about: { batch: BATCH }, state: 'sent' }])
  })

  it('may leave amounts out, and may be of any version, with a prefix', () => {
    const payment = '<TxInfAndSts><OrgnlEndToEndId>r1</OrgnlEndToEndId><TxSts>ACCP</TxSts></TxInfAndSts>'
    const message = pain002(instruction('', payment), { version: '001.12' })
    const prefixed = message.replaceAll(/<(\/?)([A-Z])/g, '<$1n:$2').replace('xmlns=', 'xmlns:n=')
    for (const text of [message, prefixed])
      expect(read('pain.002', text)).toMatchObject([{ about: { payments: ['r1'] }, state: 'sent', amounts: null }])
  })

  it.each([
    ['a status that no list has', '<TxSts>OKAY</TxSts>', '“OKAY” is no status of ISO 20022 (2Q2026_v3)'],
    ['no status', '', 'The bank gives no status'],
  ])('lists a payment with %s, and keeps the rejection beside it', (_what, status, words) => {
    const other = `<TxInfAndSts><OrgnlEndToEndId>${ours(2)}</OrgnlEndToEndId>${status}</TxInfAndSts>`
    expect(read('pain.002', pain002(instruction('', other + rejected)))).toMatchObject([
      { about: { payments: [ours(2)] }, state: null, problem: { outcome: 'unknown', words } },
      { about: { payments: [ours(1)] }, state: 'failed', problem: null },
    ])
  })

  it('lists a payment without a reference, and an amount that is none', () => {
    const nameless = '<TxInfAndSts><TxSts>RJCT</TxSts></TxInfAndSts>'
    expect(read('pain.002', pain002(instruction('', nameless)))).toMatchObject([
      { about: { payments: [] }, problem: { outcome: 'unknown' } },
    ])
    for (const part of ['2944.001', '-1'])
      expect(read('pain.002', pain002(instruction('', rejected.replace('2944.00', part))))).toMatchObject([
        { amounts: [] },
      ])
  })

  it('may be of the second version, and of the one that German banks sent', () => {
    const second = `<Document xmlns="urn:swift:xsd:$pain.002.002.02"><pain.002.001.02>
<OrgnlGrpInfAndSts><OrgnlMsgId>${BATCH}</OrgnlMsgId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts>
<TxInfAndSts><OrgnlEndToEndId>${ours(1)}</OrgnlEndToEndId><TxSts>RJCT</TxSts>
<StsRsnInf><StsRsn><Cd>AC01</Cd></StsRsn></StsRsnInf></TxInfAndSts></pain.002.001.02></Document>`
    expect(read('pain.002', second)).toMatchObject([
      { about: { payments: [ours(1)] }, state: 'failed', reason: 'AC01, the account number is wrong' },
    ])
  })

  it.each([
    ["a code of ISO's set", '<Cd>PN02</Cd>', 'close-match'],
    ['a code of the scheme', '<Prtry>NMTC</Prtry>', 'no-match'],
    ['a code of the scheme that says it could not be checked', '<Prtry>NOAP</Prtry>', 'not-possible'],
  ])('says what became of the check of the name by %s beside another status', (_what, reason, payee) => {
    const text = `<TxInfAndSts><OrgnlEndToEndId>${ours(1)}</OrgnlEndToEndId><TxSts>PDNG</TxSts>
<StsRsnInf><Rsn>${reason}</Rsn></StsRsnInf></TxInfAndSts>`
    expect(read('pain.002', pain002(instruction('', text)))).toMatchObject([{ state: 'sent', payee }])
  })

  it('lists a status of an order that it does not name, and keeps the rejection beside it', () => {
    const group = '<GrpSts>ACCP</GrpSts>'
    const text = pain002(instruction('', rejected), { group }).replace(
      `<OrgnlMsgId>${BATCH}`,
      '<OrgnlMsgId>NOTPROVIDED',
    )
    expect(read('pain.002', text)).toMatchObject([
      { about: { payments: [ours(1)] }, state: 'failed' },
      { problem: { outcome: 'unknown', words: 'The bank does not say which order it means' } },
    ])
  })

  it('says of an order whose parts differ, without naming them, just that', () => {
    expect(read('pain.002', pain002('', { group: '<GrpSts>PART</GrpSts>' }))).toMatchObject([
      { about: { batch: BATCH }, state: null, said: 'PART, some payments are accepted, others not yet' },
    ])
  })

  it.skipIf(whyNoSchemas)('is read here as the schema of ISO 20022 has it', async () => {
    const full = pain002(instruction('<PmtInfSts>PART</PmtInfSts>', rejected), { group: '<GrpSts>PART</GrpSts>' })
    expect(await faultsBySchema('pain.002.001.03', full)).toEqual([])
    expect(await faultsBySchema('pain.002.001.12', full.replace('pain.002.001.03', 'pain.002.001.12'))).toEqual([])
  })

  it.each([
    [
      'two references',
      instruction('', `${rejected.replace('<TxSts>', '<OrgnlEndToEndId>r2</OrgnlEndToEndId><TxSts>')}`),
      'Line 6: TxInfAndSts has a second OrgnlEndToEndId',
    ],
    [
      'a reference of 36 characters',
      instruction('', rejected.replace('trader01-a1-p1-1', 'r'.repeat(36))),
      'Line 6: a reference has more than 35 characters',
    ],
  ])('is refused with %s', (_what, below, message) => {
    expect(() => read('pain.002', pain002(below))).toThrow(new UnreadableFile(message))
  })
})

describe('a statement', () => {
  const named = (index: number) => ({ payments: [ours(index)] })

  it('says which debits were booked, each with its own amount', () => {
    const many = entry(
      booked(ours(1), '<Amt Ccy="EUR">1.5</Amt>') +
        booked(ours(2), '<AmtDtls><TxAmt><Amt Ccy="EUR">2.00000</Amt></TxAmt></AmtDtls>') +
        booked(ours(3), '<AmtDtls><InstdAmt><Amt Ccy="EUR">3</Amt></InstdAmt></AmtDtls>'),
      { amount: '6.50' },
    )
    const answers = read('camt.053', statement(`${many}\n${entry(booked(ours(4)), { status: 'BOOK' })}`, '001.02'))
    expect(answers.map(({ about, state, amounts, place }) => [about, state, amounts?.[0]?.amount, place])).toEqual([
      [named(1), 'paid', 150, 'line 4'],
      [named(2), 'paid', 200, 'line 4'],
      [named(3), 'paid', 300, 'line 4'],
      [named(4), 'paid', 294_400, 'line 5'],
    ])
  })

  it('says which came back, by the reason, the reversal, the code of the transaction or its own reference', () => {
    const returned = '<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>'
    const code = '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>'
    const direction = 'CRDT'
    const entries = [
      entry(booked(ours(1), returned), { direction }),
      entry(booked(ours(2)), { direction, more: '<RvslInd>true</RvslInd>' }),
      entry(booked('NOTPROVIDED', `<RmtInf><Ustrd>Payout ${ours(3)}</Ustrd></RmtInf>`), { direction, more: code }),
      entry(booked(ours(4), '<BkTxCd><Prtry><Cd>NRTI+159+00931</Cd></Prtry></BkTxCd>'), { direction }),
    ]
    expect(
      read('camt.053', statement(entries.join(''))).map(({ state, reason, said }) => [state, reason, said]),
    ).toEqual([
      ['returned', 'AC01, the account number is wrong', 'credited: AC01, the account number is wrong'],
      ['returned', null, 'credited'],
      ['returned', null, 'credited'],
      ['returned', null, 'credited, code NRTI+159+00931'],
    ])
  })

  it('lists what names a payment and can be read in two ways', () => {
    const words = `<RmtInf><Ustrd>I send back ${ours(1)}</Ustrd></RmtInf>`
    const entries = [
      entry(booked('NOTPROVIDED', words), { direction: 'CRDT' }),
      entry(booked(ours(2)), { more: '<RvslInd>true</RvslInd>' }),
      entry(booked(ours(3)), { direction: '?' }),
      entry(booked(ours(4)), { status: '<Cd>PDNG</Cd>' }),
    ]
    expect(
      read('camt.053', statement(entries.join(''))).map(({ state, problem, said }) => [state, problem?.words, said]),
    ).toEqual([
      [null, 'A credit names it in its text, and is not marked as a return', 'credited'],
      [null, 'A debit takes back an earlier entry', 'debited'],
      [null, 'The entry is neither a debit nor a credit', 'debited'],
      [null, undefined, 'PDNG, not booked'],
    ])
  })

  it.each([
    ['its end-to-end id in capital letters', booked(ours(1).toUpperCase()), ''],
    [
      'a creditor reference',
      booked('NOTPROVIDED', `<RmtInf><Strd><CdtrRefInf><Ref>${ours(1)}</Ref></CdtrRefInf></Strd></RmtInf>`),
      '',
    ],
    ['the text of the bank', `<TxDtls><AddtlTxInf>EREF+${ours(1)} SVWZ+Payout</AddtlTxInf></TxDtls>`, ''],
    [
      'a text that is broken after a hyphen',
      `<TxDtls><RmtInf><Ustrd>Payout ${ours(1).replace('-p', '- p')}</Ustrd></RmtInf></TxDtls>`,
      '',
    ],
    ['the text of an entry without details', undefined, `<AddtlNtryInf>Payout ${ours(1)}</AddtlNtryInf>`],
    [
      'the text of an entry with nameless details',
      '<TxDtls><Refs/></TxDtls>',
      `<AddtlNtryInf>Payout ${ours(1)}</AddtlNtryInf>`,
    ],
  ])('finds a payment by %s', (_what, details, more) => {
    const text = entry(details ?? '', { more })
    const answers = read(
      'camt.053',
      statement(details === undefined ? text.replace('<NtryDtls></NtryDtls>', '') : text),
    )
    expect(answers).toMatchObject([
      { about: named(1), state: 'paid', amounts: expect.arrayContaining([{ amount: 294_400, currency: 'EUR' }]) },
    ])
  })

  it.each([
    ['the batch', `<Btch><PmtInfId>${BATCH}</PmtInfId><NbOfTxs>2</NbOfTxs><TtlAmt Ccy="EUR">10.00</TtlAmt></Btch>`, ''],
    ['the message of the batch', `<Btch><MsgId>${BATCH}</MsgId><TtlAmt Ccy="EUR">10.00</TtlAmt></Btch>`, ''],
    [
      'the batch, beside details without a reference',
      `<Btch><PmtInfId>${BATCH}</PmtInfId></Btch><TxDtls><Purp><Cd>SALA</Cd></Purp></TxDtls>`,
      '',
    ],
    ['the references of each payment', `<TxDtls><Refs><PmtInfId>${BATCH}</PmtInfId></Refs></TxDtls>`.repeat(2), ''],
    ['the text of the entry', '', `<AddtlNtryInf>SEPA BATCH ${BATCH.toUpperCase()}</AddtlNtryInf>`],
  ])('says that a whole batch was booked, by %s', (_what, details, more) => {
    expect(read('camt.053', statement(entry(details, { amount: '10.00', more })))).toMatchObject([
      {
        ...{ place: 'line 4', about: { batch: BATCH, except: new Set() }, state: 'paid', reason: null },
        amounts: expect.arrayContaining([{ amount: 1000, currency: 'EUR' }]),
      },
    ])
  })

  it('says of the payments of a batch that it does not name what it does not say of the others', () => {
    const nameless = `<TxDtls><Refs><PmtInfId>${BATCH}</PmtInfId></Refs><Amt Ccy="EUR">4.00</Amt></TxDtls>`
    const details = booked(ours(1), '<Amt Ccy="EUR">2.00</Amt>') + nameless + nameless
    expect(read('camt.053', statement(entry(details, { amount: '10.00' })))).toMatchObject([
      { about: named(1), amounts: [{ amount: 200 }, { amount: 200 }] },
      { about: { batch: BATCH, except: new Set([ours(1)]) }, amounts: [{ amount: 800, currency: 'EUR' }] },
    ])
  })

  it.each([
    [
      'what was instructed, not what was booked in the currency of the account',
      '<AmtDtls><InstdAmt><Amt Ccy="EUR">250.00</Amt></InstdAmt><TxAmt><Amt Ccy="USD">271.15</Amt></TxAmt></AmtDtls>',
      { amount: '271.15' },
    ],
    [
      'what was instructed, not what was booked with three decimal places',
      '<Amt Ccy="KWD">83.125</Amt><AmtDtls><InstdAmt><Amt Ccy="EUR">250.00</Amt></InstdAmt></AmtDtls>',
      { amount: '83.125' },
    ],
    [
      'a debit without its charges',
      '<Amt Ccy="EUR">251.50</Amt><Chrgs><Rcrd><Amt Ccy="EUR">1.50</Amt></Rcrd></Chrgs>',
      {},
    ],
    [
      'a debit without the charges of the second version',
      '<Amt Ccy="EUR">251.50</Amt><Chrgs><Amt Ccy="EUR">1.50</Amt></Chrgs>',
      {},
    ],
    [
      'a credit with the charges that were kept',
      '<Amt Ccy="EUR">247.50</Amt><Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">2.50</TtlChrgsAndTaxAmt></Chrgs>',
      { direction: 'CRDT' },
    ],
  ])('compares with the order %s', (_what, amounts, change) => {
    const [answer] = read('camt.053', statement(entry(booked(ours(1), amounts), change)))
    expect(answer?.amounts).toContainEqual({ amount: 25_000, currency: 'EUR' })
  })

  it('compares one sum with payments that have no amounts of their own', () => {
    const details = booked(ours(1)) + booked(ours(2))
    expect(read('camt.053', statement(entry(details, { amount: '500.00' })))).toMatchObject([
      { about: { payments: [ours(1), ours(2)] }, state: 'paid' },
    ])
    expect(read('camt.053', statement(entry(details, { amount: '500.00' })))[0]?.amounts).toContainEqual({
      amount: 50_000,
      currency: 'EUR',
    })
  })

  it('takes a payment that is named in words before the batch that a reference names', () => {
    const refs = `<Refs><PmtInfId>${BATCH}</PmtInfId><EndToEndId>NOTPROVIDED</EndToEndId></Refs>`
    const details = `<TxDtls>${refs}<RmtInf><Ustrd>Payout ${ours(1)}</Ustrd></RmtInf></TxDtls>`
    expect(read('camt.053', statement(entry(details)))).toMatchObject([{ about: named(1), state: 'paid' }])
  })

  it('says nothing of what is none of ours, in whatever form', () => {
    const others = [
      entry(booked('CARD-9', '<Amt Ccy="KWD">38.125</Amt>')),
      entry(booked('r1'), { status: '<Cd>PDNG</Cd>' }),
      entry(booked('NOTPROVIDED')),
      entry(booked('r'.repeat(36))),
      entry(booked('r2') + booked('r3'), { amount: '', direction: '?' }),
      entry('<TxDtls><Refs/></TxDtls>'),
      entry(booked('r2'), { direction: 'CRDT' }),
      entry('<Btch><PmtInfId>aaaaaaaaaaaaaaaa</PmtInfId></Btch>'),
      '<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts></Ntry>',
      '<Ntry><Amt>1.00</Amt><Amt>2.00</Amt><Sts/><Sts/></Ntry>',
    ]
    expect(read('camt.053', statement(others.join('')))).toEqual([])
  })

  it.skipIf(whyNoSchemas)('is read here as the schema of ISO 20022 has it', async () => {
    const balance = `<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Dt><Dt>2026-11-26</Dt></Dt></Bal>`
    const code = '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>'
    const complete = (status: string, amount: string) => `<CreDtTm>2026-11-26T18:00:00Z</CreDtTm>
<Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></Acct>${balance}
<Ntry><Amt Ccy="EUR">2944.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>${status}</Sts>${code}
<NtryDtls><TxDtls><Refs><EndToEndId>trader01-a1-p1-1</EndToEndId></Refs>${amount}
<RtrInf><Rsn><Cd>AC06</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry>`
    const [older, newer] = [
      statement(complete('BOOK', '<AmtDtls><TxAmt><Amt Ccy="EUR">2944.00</Amt></TxAmt></AmtDtls>'), '001.02'),
      statement(complete('<Cd>BOOK</Cd>', '<Amt Ccy="EUR">2944.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>')),
    ]
    expect(await faultsBySchema('camt.053.001.02', older)).toEqual([])
    expect(await faultsBySchema('camt.053.001.08', newer)).toEqual([])
    for (const text of [older, newer])
      expect(read('camt.053', text)).toMatchObject([
        {
          about: { payments: ['trader01-a1-p1-1'] },
          state: 'returned',
          amounts: expect.arrayContaining([{ amount: 294_400, currency: 'EUR' }]),
          reason: 'AC06, the account is blocked',
        },
      ])
  })
})

describe('a hostile file', () => {
  const entity = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
  it.each([
    ['is empty', '', 'The file is empty'],
    [
      'declares entities',
      `<?xml version="1.0"?>\n${entity}<Document>&b;</Document>`,
      'Line 2: the file has a DTD, which no bank sends',
    ],
    [
      'names an external DTD',
      '<!doctype Document SYSTEM "file:///etc/passwd"><Document/>',
      'Line 1: the file has a DTD, which no bank sends',
    ],
    ['uses an entity', `${statement('').replace('s1<', '&xxe;<')}`, "Line 2: Named entity isn't defined: &xxe;"],
    [
      'is written in another encoding',
      '<?xml version="1.0" encoding="EBCDIC-US"?><Document/>',
      'Line 1: the file says that it is written in ebcdic-us, which cannot be read here. Export it in UTF-8',
    ],
    ['ends early', statement('<Ntry>').replace(/<.Stmt>[^]*/, ''), 'Line 4: Missing end tag for element Ntry'],
    ['is no XML', '{"paid": true}', 'Line 1: Root element is missing or invalid'],
    [
      'is another message',
      pain002(''),
      'Line 2: this is no camt.053, but Document of urn:iso:std:iso:20022:tech:xsd:pain.002.001.03',
    ],
    ['has no namespace', '<Document><BkToCstmrStmt/></Document>', 'Line 1: this is no camt.053, but Document'],
    [
      'mixes two messages',
      statement('').replace('</BkToCstmrStmt>', '</BkToCstmrStmt>\n<CstmrPmtStsRpt/>'),
      'Line 6: the file mixes two messages, BkToCstmrStmt and CstmrPmtStsRpt',
    ],
    [
      'holds a part of another message',
      statement('<Ntry xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"/>'),
      'Line 4: the file mixes two messages, urn:iso:std:iso:20022:tech:xsd:camt.053.001.08 and urn:iso:std:iso:20022:tech:xsd:pain.002.001.10',
    ],
    ['is two files in one', statement('') + statement(''), expect.stringMatching(/^Line 5: /)],
    [
      'is nested some thousand times',
      statement(`<Ntry>${'<a>'.repeat(3000)}${'</a>'.repeat(3000)}</Ntry>`),
      'Line 4: the elements are nested too deeply',
    ],
    ['is nested a million times', '<a>'.repeat(1_000_000), 'Line 1: the elements are nested too deeply'],
  ])('that %s is refused', (_what, text, message) => {
    const refused = () => read('camt.053', text)
    expect(refused).toThrow(UnreadableFile)
    expect(refused).toThrow(expect.objectContaining({ message }))
  })

  it('that is too large is refused before it is read', () => {
    expect(() => readAnswers('csv', new Uint8Array(LARGEST_ANSWER_FILE + 1))).toThrow('The file is larger than 4 MB')
  })

  it('that is not UTF-8 is refused with the line', () => {
    const latin1 = Uint8Array.of(...bytes(`${HEADER}t,1.00,EUR,failed,`), 0xfc)
    for (const format of ['csv', 'camt.053'] as const)
      expect(() => readAnswers(format, latin1)).toThrow(new UnreadableFile('Line 2: the file is not written in UTF-8'))
  })

  it.each([
    ['UTF-16, with its mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'), 'UTF-16'],
    ['UTF-16 in the other order', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'UTF-16'],
    ['UTF-8 with its mark', (text: string) => Buffer.from(`\ufeff${text}`), 'UTF-8'],
    ['UTF-8, though it says UTF-16', (text: string) => Buffer.from(text), 'utf-16'],
    ['Latin-1', (text: string) => Buffer.from(text, 'latin1'), 'ISO-8859-1'],
    ['the code page of Windows', (text: string) => Buffer.from(text, 'latin1'), 'windows-1252'],
  ])('of a bank may be written in %s', (_what, written, encoding) => {
    const rejected = `<TxInfAndSts><OrgnlEndToEndId>${ours(1)}</OrgnlEndToEndId><TxSts>RJCT</TxSts>
<StsRsnInf><Rsn><Prtry>Empfänger ungültig</Prtry></Rsn></StsRsnInf></TxInfAndSts>`
    const text = pain002(instruction('', rejected)).replace('UTF-8', encoding)
    expect(read('pain.002', new Uint8Array(written(text)))).toMatchObject([{ reason: 'Empfänger ungültig' }])
  })

  it('of the largest size is read in seconds', () => {
    const text = statement('<a>x</a>'.repeat(500_000))
    expect(text.length).toBeGreaterThan(LARGEST_ANSWER_FILE - 200_000)
    const before = performance.now()
    expect(read('camt.053', text)).toEqual([])
    expect(performance.now() - before).toBeLessThan(15_000)
  })

  it('is read or refused with a sentence, however it was changed', () => {
    const good = {
      'pain.002': pain002(instruction('<PmtInfSts>RJCT</PmtInfSts>', rejected)),
      'camt.053': statement(entry(booked(ours(1), '<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>'), { direction: 'CRDT' })),
      csv: `${HEADER}trader01-a1-p1-1,2944.00,EUR,failed,"AC04, closed"\n`,
    }
    const change = fc.record({
      format: fc.constantFrom<AnswerFormat>('csv', 'pain.002', 'camt.053'),
      at: fc.nat(),
      gone: fc.nat({ max: 40 }),
      instead: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 8 }),
        fc.constantFrom('<', '&', '"', ',', '\n', '</Ntry>'),
      ),
    })
    let refused = 0
    fc.assert(
      fc.property(change, ({ format, at, gone, instead }) => {
        const text = good[format]
        const start = at % text.length
        try {
          for (const { amounts, place } of read(format, text.slice(0, start) + instead + text.slice(start + gone))) {
            expect(amounts?.every(({ amount }) => Number.isSafeInteger(amount)) ?? true).toBe(true)
            expect(place).toMatch(/^line \d+$/)
          }
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableFile)
          expect(String(error)).toMatch(/^UnreadableFile: (Line \d+: \S|The file )/)
          refused++
        }
      }),
      { numRuns: 2000 },
    )
    expect(refused).toBeGreaterThan(0)
  })
})
